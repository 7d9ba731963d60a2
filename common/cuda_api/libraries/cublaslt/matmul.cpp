// D = epilogue(alpha * op(A) * op(B) + beta * C), and the heuristic, which has one answer.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "common/cuda_api/libraries/cublaslt/descriptors.h"
#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/operands.h"
#include "common/cuda_api/libraries/products/product.h"

namespace gpulab::cublaslt {
namespace {

using namespace gpulab::libraries;

constexpr unsigned kRelu = 2, kBias = 4, kDRelu = 8, kBiasGradient = 16, kGelu = 32, kDGelu = 64, kAux = 128,
                   kBiasOfA = 256, kBiasOfB = 512;

/// A matrix of a layout; by rows it is stored as its transposed.
struct Placed {
  Operand operand;
  bool by_rows = false;
  template <typename W>
  [[nodiscard]] Factor<W> factor(const Values<W>& values, cublasOperation_t op) const {
    const i64 ld = operand.rows;
    const bool turned = (op != CUBLAS_OP_N) != by_rows;
    return turned ? Factor<W>{values.all.data(), ld, 1, op == CUBLAS_OP_C}
                  : Factor<W>{values.all.data(), 1, ld, op == CUBLAS_OP_C};
  }
};

Placed placed(const char* name, const void* pointer, const Layout& layout) {
  Placed made;
  made.by_rows = layout.order == CUBLASLT_ORDER_ROW;
  const auto rows = static_cast<i64>(layout.rows), columns = static_cast<i64>(layout.columns);
  made.operand = matrix(name, pointer, static_cast<Type>(layout.type), made.by_rows ? columns : rows,
                        made.by_rows ? rows : columns, layout.ld);
  made.operand.batch = layout.batch;
  made.operand.batch_stride = layout.stride;
  return made;
}

struct Product {
  cublasLtMatmulDesc_t description;
  Layout a, b, c, d;
  cublasOperation_t opa, opb;
  unsigned epilogue;
  i64 m, n, k, batch;

  [[nodiscard]] std::int32_t number(int which) const { return attribute<std::int32_t>(description, which); }
  [[nodiscard]] i64 wide(int which) const { return attribute<i64>(description, which); }
  [[nodiscard]] std::uint64_t pointer(int which) const { return attribute<std::uint64_t>(description, which); }
  [[nodiscard]] bool has(unsigned what) const { return (epilogue & what) != 0; }
};

Product product_of(cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                   cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d) {
  Product p{description, read(a), read(b), read(c), read(d), {}, {}, 0, 0, 0, 0, 0};
  p.opa = static_cast<cublasOperation_t>(p.number(CUBLASLT_MATMUL_DESC_TRANSA));
  p.opb = static_cast<cublasOperation_t>(p.number(CUBLASLT_MATMUL_DESC_TRANSB));
  p.epilogue = static_cast<unsigned>(p.number(CUBLASLT_MATMUL_DESC_EPILOGUE));
  p.m = static_cast<i64>(p.opa == CUBLAS_OP_N ? p.a.rows : p.a.columns);
  p.k = static_cast<i64>(p.opa == CUBLAS_OP_N ? p.a.columns : p.a.rows);
  p.n = static_cast<i64>(p.opb == CUBLAS_OP_N ? p.b.columns : p.b.rows);
  p.batch = p.d.batch;
  return p;
}

/// What is here; `name`: what is not, where it ends the program.
cublasStatus_t check(const Product& p, std::string* name = nullptr) {
  const auto rows = static_cast<i64>(p.opb == CUBLAS_OP_N ? p.b.rows : p.b.columns);
  for (const auto* one : {&p.a, &p.b, &p.c, &p.d}) {
    const bool by_rows = one->order == CUBLASLT_ORDER_ROW;
    if (static_cast<i64>(one->rows) < 0 || static_cast<i64>(one->columns) < 0 || one->batch < 1 ||
        one->ld < static_cast<i64>(by_rows ? one->columns : one->rows))
      return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes_of(static_cast<Type>(one->type)) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool special = (one->order != CUBLASLT_ORDER_COL && !by_rows) || one->plane != 0 || one->batch_mode != 0;
    if (special && name != nullptr) *name = "cublasLtMatmul with this order, plane offset or batch mode of a layout";
    if (special) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (rows != p.k || static_cast<i64>(p.d.rows) != p.m || static_cast<i64>(p.d.columns) != p.n ||
      p.c.rows != p.d.rows || p.c.columns != p.d.columns || p.a.batch != p.d.batch || p.b.batch != p.d.batch)
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool of_complex = is_complex(static_cast<Type>(p.d.type));
  if (of_complex != is_complex(static_cast<Type>(p.a.type)) || (of_complex && p.epilogue != CUBLASLT_EPILOGUE_DEFAULT))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  constexpr unsigned known = 1 | kRelu | kBias | kDRelu | kBiasGradient | kGelu | kDGelu | kAux | kBiasOfA | kBiasOfB;
  if ((p.epilogue & ~known) != 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  // Sums over k of an operand's rows: where that operand lies by columns of them alone, as on an H100.
  if ((p.has(kBiasOfA) && p.opa != CUBLAS_OP_N) || (p.has(kBiasOfB) && p.opb == CUBLAS_OP_N))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (static_cast<Type>(p.a.type) == CUDA_R_8I && p.a.order == CUBLASLT_ORDER_COL &&
      !byte_product_exists(p.opa != CUBLAS_OP_N, p.opb != CUBLAS_OP_N, p.m, p.n, p.k, p.batch == 1))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.has(kBias | kBiasGradient | kBiasOfA | kBiasOfB) && p.pointer(CUBLASLT_MATMUL_DESC_BIAS_POINTER) == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (p.has(kAux) &&
      (p.pointer(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER) == 0 || p.wide(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD) < p.m))
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const int mode : {31, 32, 33, 34, 35, 37})
    if (p.number(mode) != 0) {
      if (name != nullptr) *name = "cublasLtMatmul with scales of blocks";
      return CUBLAS_STATUS_NOT_SUPPORTED;
    }
  return CUBLAS_STATUS_SUCCESS;
}

/// (1 + tanh(y)) / 2 is 1 / (1 + exp(-2 y)): exact to the last places where it is near 0, too.
template <typename R>
R half_of_tanh(R x) {
  const R root = std::sqrt(2 / std::numbers::pi_v<R>);
  return 1 / (1 + std::exp(-2 * root * (x + R(0.044715L) * x * x * x)));
}
template <typename R>
R gelu(R x) {
  return x * half_of_tanh(x);
}
template <typename R>
R gelu_slope(R x) {
  const R root = std::sqrt(2 / std::numbers::pi_v<R>), h = half_of_tanh(x);
  return h + x * 2 * h * (1 - h) * root * (1 + 3 * R(0.044715L) * x * x);
}

/// Buffers beside the matrices.
struct Extras {
  std::optional<Operand> bias, aux, amax;
  Scalar scale_a, scale_b, scale_c, scale_d;
};

Scalar scale_of(const Product& p, const char* name, int which) {
  const std::uint64_t address = p.pointer(which);
  if (address == 0) return {CUDA_R_32F, false, 0, 1, name};
  return {CUDA_R_32F, true, address, 0, name};
}

Extras extras_of(const Product& p) {
  const auto type = static_cast<Type>(p.d.type);
  // In fp8 products a bias is bf16 (the manual's table), unless the program says otherwise.
  const Type plain_bias =
      bytes_of(static_cast<Type>(p.a.type)) == 1 && type != CUDA_R_16F && type != CUDA_R_32I ? CUDA_R_16BF : type;
  Extras made;
  if (p.has(kBias | kBiasGradient | kBiasOfA | kBiasOfB)) {
    const int set = p.number(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
    Operand bias;
    bias.name = "bias";
    bias.address = p.pointer(CUBLASLT_MATMUL_DESC_BIAS_POINTER);
    bias.type = set < 0 ? plain_bias : static_cast<Type>(set);
    bias.rows = p.has(kBiasOfB) ? p.n : p.m;
    bias.columns = 1;
    bias.batch = p.batch;
    bias.batch_stride = p.wide(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
    made.bias = p.has(kBias) ? bias : bias.written();
  }
  if (p.has(kAux)) {
    const int set = p.number(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE);
    const bool bits = p.has(kRelu | kDRelu);
    Operand aux;
    aux.name = "aux";
    aux.address = p.pointer(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
    aux.type = bits ? CUDA_R_8U : set < 0 ? type : static_cast<Type>(set);
    const i64 ld = p.wide(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
    aux.rows = bits ? (p.m + 7) / 8 : p.m;
    aux.columns = p.n;
    aux.ld = bits ? ld / 8 : ld;
    aux.batch = p.batch;
    aux.batch_stride = p.wide(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE) / (bits ? 8 : 1);
    made.aux = p.has(kDRelu | kDGelu) ? aux : aux.written();
  }
  if (const auto address = p.pointer(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER)) {
    Operand most;
    most.name = "amax of D";
    most.address = address;
    most.rows = most.columns = 1;
    made.amax = most.written();
  }
  made.scale_a = scale_of(p, "scale of A", CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
  made.scale_b = scale_of(p, "scale of B", CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
  made.scale_c = scale_of(p, "scale of C", CUBLASLT_MATMUL_DESC_C_SCALE_POINTER);
  made.scale_d = scale_of(p, "scale of D", CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
  return made;
}

/// What happens to the sums (m x n by columns) before they are stored.
template <typename R>
void apply_epilogue(LibraryAccess& memory, const Product& p, const Extras& extras, std::vector<R>& x, i64 index) {
  const auto at = [&](i64 i, i64 j) -> R& { return x[static_cast<std::size_t>(j * p.m + i)]; };
  const auto each = [&](const auto& change) {
    for (i64 j = 0; j < p.n; ++j)
      for (i64 i = 0; i < p.m; ++i) change(at(i, j), i, j);
  };
  if (p.has(kBias)) {
    const auto bias = load<R>(memory, *extras.bias, index);
    each([&](R& one, i64 i, i64) { one += bias[i]; });
  }
  if (p.has(kRelu | kGelu) && p.has(kAux)) {
    Values<R> aux(*extras.aux);
    each([&](R& one, i64 i, i64 j) {
      if (p.has(kGelu))
        aux.at(i, j) = one;
      else if (one > 0)
        aux.at(i / 8, j) += 1 << i % 8;
    });
    store(memory, aux, index);
  }
  if (p.has(kRelu)) each([](R& one, i64, i64) { one = one > 0 || std::isnan(one) ? one : 0; });
  if (p.has(kGelu)) each([](R& one, i64, i64) { one = gelu(one); });
  if (p.has(kDRelu | kDGelu)) {
    const auto aux = load<R>(memory, *extras.aux, index);
    each([&](R& one, i64 i, i64 j) {
      if (p.has(kDGelu))
        one *= gelu_slope(aux.at(i, j));
      else if ((static_cast<int>(aux.at(i / 8, j)) >> i % 8 & 1) == 0)
        one = 0;
    });
  }
  if (p.has(kBiasGradient)) {
    Values<R> sums(*extras.bias);
    each([&](R& one, i64 i, i64) { sums[i] += one; });
    store(memory, sums, index);
  }
}

/// Sums of A's rows or B's columns over k.
template <typename R>
void store_input_gradient(LibraryAccess& memory, const Product& p, const Extras& extras, const Factor<R>& a,
                          const Factor<R>& b, i64 index) {
  if (!p.has(kBiasOfA | kBiasOfB)) return;
  Values<R> sums(*extras.bias);
  const bool of_a = p.has(kBiasOfA);
  for (i64 i = 0; i < (of_a ? p.m : p.n); ++i)
    for (i64 l = 0; l < p.k; ++l) sums[i] += of_a ? a.data[i * a.down + l * a.right] : b.data[l * b.down + i * b.right];
  store(memory, sums, index);
}

/// alpha and beta: numbers of the host or the device, or vectors of the device.
struct Factors {
  Scalar alpha, beta;
  std::optional<Operand> alphas, betas;
};

struct Job {
  Product p;
  Extras extras;
  Factors by;
  Placed a, b, c, d;

  template <typename W>
  void run(LibraryAccess& memory, i64 index) const {
    const W alpha = by.alphas ? W(1) : by.alpha.get<W>(memory), beta = by.betas ? W(1) : by.beta.get<W>(memory);
    std::vector<W> sums(static_cast<std::size_t>(p.m * p.n));
    const auto scales = RealOf<W>(extras.scale_a.get<double>(memory) * extras.scale_b.get<double>(memory));
    if (alpha != W(0)) {
      const auto left = load<W>(memory, a.operand, index), right = load<W>(memory, b.operand, index);
      const auto fa = a.factor(left, p.opa), fb = b.factor(right, p.opb);
      add_product(p.m, p.n, p.k, fa, fb, 1, sums.data(), p.m);
      if constexpr (!kIsComplex<W>) store_input_gradient(memory, p, extras, fa, fb, index);
    }
    for (W& one : sums) one *= alpha * scales;
    if (by.alphas) scale_rows(sums, load<W>(memory, *by.alphas));
    add_c(memory, sums, beta, index);
    if constexpr (!kIsComplex<W>) finish(memory, sums, index);
    Values<W> result(d.operand);
    for (i64 j = 0; j < p.n; ++j)
      for (i64 i = 0; i < p.m; ++i)
        (d.by_rows ? result.at(j, i) : result.at(i, j)) = sums[static_cast<std::size_t>(j * p.m + i)];
    store(memory, result, index);
  }

 private:
  template <typename W>
  void scale_rows(std::vector<W>& sums, const Values<W>& factors) const {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] *= factors.all[i % static_cast<std::size_t>(p.m)];
  }
  template <typename W>
  void add_c(LibraryAccess& memory, std::vector<W>& sums, W beta, i64 index) const {
    if (beta == W(0)) return;
    const auto old = load<W>(memory, c.operand, index);
    const auto factors = by.betas ? load<W>(memory, *by.betas) : Values<W>(Operand());
    const auto scale = RealOf<W>(extras.scale_c.get<double>(memory));
    for (i64 j = 0; j < p.n; ++j)
      for (i64 i = 0; i < p.m; ++i) {
        const W one = (c.by_rows ? old.at(j, i) : old.at(i, j)) * beta * scale;
        sums[static_cast<std::size_t>(j * p.m + i)] += by.betas ? one * factors[i] : one;
      }
  }
  template <typename R>
  void finish(LibraryAccess& memory, std::vector<R>& sums, i64 index) const {
    apply_epilogue(memory, p, extras, sums, index);
    if (extras.amax) {
      Values<R> most(*extras.amax);
      for (const R one : sums) most.all[0] = std::max(most.all[0], std::fabs(one));
      store(memory, most);
    }
    const double scale = extras.scale_d.get<double>(memory);
    if (scale != 1)
      for (R& one : sums) one *= R(scale);
  }
};

Factors factors_of(const Product& p, const void* alpha, const void* beta) {
  const auto type = static_cast<Type>(p.number(CUBLASLT_MATMUL_DESC_SCALE_TYPE));
  const int mode = p.number(CUBLASLT_MATMUL_DESC_POINTER_MODE);
  Factors made;
  const Scalar none{type, false, 0, 0, "beta"};
  if (mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
    made.alphas = vector("alpha", alpha, type, p.m, 1);
  else
    made.alpha = scalar("alpha", alpha, type, mode == CUBLASLT_POINTER_MODE_DEVICE);
  if (mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
    made.betas = vector("beta", beta, type, p.m, 1);
  else if (mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
    made.beta = none;
  else
    made.beta = scalar("beta", beta, type, mode == CUBLASLT_POINTER_MODE_DEVICE);
  return made;
}

LibraryUnit unit_of(const Product& p) {
  const auto type = static_cast<Type>(p.a.type);
  if (real_of(type) == CUDA_R_64F) return LibraryUnit::fp64_tensor;
  if (real_of(type) == CUDA_R_32F)
    return p.number(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE) == CUBLAS_COMPUTE_32F_FAST_TF32 ? LibraryUnit::tf32_tensor
                                                                                       : LibraryUnit::fp32;
  return bytes_of(type) == 1 ? LibraryUnit::byte_tensor : LibraryUnit::half_tensor;
}

std::vector<LibraryBuffer> buffers_of(const Job& job) {
  const bool fresh = !job.by.betas && !job.by.beta.on_device && job.by.beta.value == Complex(0);
  const bool nothing = !job.by.alphas && !job.by.alpha.on_device && job.by.alpha.value == Complex(0);
  std::vector<LibraryBuffer> all{job.d.operand.written().buffer()};
  if (!nothing) all.push_back(job.a.operand.buffer());
  if (!nothing) all.push_back(job.b.operand.buffer());
  if (!fresh) all.push_back(job.c.operand.buffer());
  for (const auto* extra : {&job.extras.bias, &job.extras.aux, &job.extras.amax, &job.by.alphas, &job.by.betas})
    if (*extra) all.push_back((*extra)->buffer());
  for (const auto* one : {&job.extras.scale_a, &job.extras.scale_b, &job.extras.scale_c, &job.extras.scale_d,
                          &job.by.alpha, &job.by.beta})
    one->add_to(all);
  return all;
}

cublasStatus_t queue(const Job& job, cudaStream_t stream, void* caller) {
  const Product& p = job.p;
  LibraryOperation operation;
  operation.function = "cublasLtMatmul";
  operation.shape =
      fmt::format("{} x {} x {}{}", p.m, p.n, p.k, p.batch == 1 ? "" : fmt::format(", {} times", p.batch));
  operation.operations = (is_complex(static_cast<Type>(p.d.type)) ? 8.0 : 2.0) * static_cast<double>(p.m) *
                         static_cast<double>(p.n) * static_cast<double>(p.k) * static_cast<double>(p.batch);
  operation.unit = unit_of(p);
  operation.stream = stream;
  operation.caller = caller;
  const cudaError_t error = runtime().queue(operation, [job](LibraryAccess& memory) {
    memory.use(buffers_of(job));
    for (i64 i = 0; i < job.p.batch; ++i)
      for_type(memory, static_cast<Type>(job.p.d.type), [&](auto kind) { job.run<decltype(kind)>(memory, i); });
  });
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace
}  // namespace gpulab::cublaslt

using namespace gpulab::cublaslt;

extern "C" {

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (description == nullptr || a_layout == nullptr || b_layout == nullptr || c_layout == nullptr ||
      d_layout == nullptr || alpha == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const Product p = product_of(description, a_layout, b_layout, c_layout, d_layout);
  std::string missing;
  const auto status = check(p, &missing);
  if (!missing.empty()) gpulab::libraries::refuse(missing, __builtin_return_address(0));
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const auto by = factors_of(p, alpha, beta);
  if (beta == nullptr && by.beta.address == 0 && !by.betas &&
      p.number(CUBLASLT_MATMUL_DESC_POINTER_MODE) != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
  const Job job{
      p, extras_of(p), by, placed("A", a, p.a), placed("B", b, p.b), placed("C", c, p.c), placed("D", d, p.d)};
  return queue(job, stream, __builtin_return_address(0));
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t, int requested,
                                              cublasLtMatmulHeuristicResult_t* results, int* returned) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (description == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr || results == nullptr ||
      returned == nullptr || requested < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  if (const auto status = check(product_of(description, a, b, c, d)); status != CUBLAS_STATUS_SUCCESS) return status;
  results[0] = {};
  put(&results[0].algo, {});
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                       cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t*,
                                       cublasLtMatmulHeuristicResult_t* result) {
  int returned = 0;
  return cublasLtMatmulAlgoGetHeuristic(handle, description, a, b, c, d, nullptr, 1, result, &returned);
}

}  // extern "C"
