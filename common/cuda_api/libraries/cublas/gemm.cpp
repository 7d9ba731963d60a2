// C = alpha * op(A) * op(B) + beta * C, for all types, once or for many at a stride or by pointers.

#include "common/cuda_api/libraries/cublas/gemm.h"

#include <fmt/format.h>

namespace gpulab::cublas {
namespace {

std::string routine_of(const Call& call, const GemmNumbers& numbers) {
  return numbers.first_type == 0 ? call.routine() : "GEMM_EX";
}

}  // namespace

Type scalar_type_of(cublasComputeType_t compute, Type c) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
#if CUBLAS_VERSION >= 130100
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
#endif
      return is_complex(c) ? CUDA_C_64F : CUDA_R_64F;
    default:
      return is_complex(c) ? CUDA_C_32F : CUDA_R_32F;
  }
}

bool is_supported(const Gemm& g, cublasComputeType_t compute) {
  const auto all = [&](Type ab, Type c) { return g.at == ab && g.bt == ab && g.ct == c; };
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return all(CUDA_R_16F, CUDA_R_16F);
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return all(CUDA_R_8I, CUDA_R_32I);
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
#if CUBLAS_VERSION >= 130100
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
#endif
      return all(CUDA_R_64F, CUDA_R_64F) || all(CUDA_C_64F, CUDA_C_64F);
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
      return all(CUDA_R_32F, CUDA_R_32F) || all(CUDA_R_16F, CUDA_R_16F) || all(CUDA_R_16F, CUDA_R_32F) ||
             all(CUDA_R_16BF, CUDA_R_16BF) || all(CUDA_R_16BF, CUDA_R_32F) || all(CUDA_R_8I, CUDA_R_32F) ||
             all(CUDA_C_32F, CUDA_C_32F) || all(CUDA_C_8I, CUDA_C_32F);
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return all(CUDA_R_32F, CUDA_R_32F) || all(CUDA_C_32F, CUDA_C_32F) || all(CUDA_R_16F, CUDA_R_16F);
    default:
      return all(CUDA_R_32F, CUDA_R_32F) || all(CUDA_C_32F, CUDA_C_32F);
  }
}

Status check(const Call& call, const Gemm& g, const GemmNumbers& numbers) {
  const bool plain_a = g.opa == CUBLAS_OP_N, plain_b = g.opb == CUBLAS_OP_N;
  return call.check(routine_of(call, numbers), {{1, is_operation(g.opa)},
                                                {2, is_operation(g.opb)},
                                                {3, g.m >= 0},
                                                {4, g.n >= 0},
                                                {5, g.k >= 0},
                                                {numbers.lda, g.lda >= at_least_one(plain_a ? g.m : g.k)},
                                                {numbers.ldb, g.ldb >= at_least_one(plain_b ? g.k : g.n)},
                                                {numbers.ldc, g.ldc >= at_least_one(g.m)},
                                                {numbers.batch, g.batch >= 0}});
}

Operand a_of(const Gemm& g) {
  const bool plain = g.opa == CUBLAS_OP_N;
  Operand made = matrix("A", g.a, g.at, plain ? g.m : g.k, plain ? g.k : g.m, g.lda);
  made.batch = g.batch;
  made.batch_stride = g.sa;
  return made;
}
Operand b_of(const Gemm& g) {
  const bool plain = g.opb == CUBLAS_OP_N;
  Operand made = matrix("B", g.b, g.bt, plain ? g.k : g.n, plain ? g.n : g.k, g.ldb);
  made.batch = g.batch;
  made.batch_stride = g.sb;
  return made;
}
Operand c_of(const Gemm& g) {
  Operand made = matrix("C", g.c, g.ct, g.m, g.n, g.ldc);
  made.batch = g.batch;
  made.batch_stride = g.sc;
  return made;
}

double operations_of(const Gemm& g) {
  return flops(g.ct) * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) *
         static_cast<double>(g.batch);
}

std::string shape_of(const Gemm& g) {
  const auto shape = fmt::format("{} x {} x {}", g.m, g.n, g.k);
  return g.batch == 1 ? shape : fmt::format("{}, {} times", shape, g.batch);
}

template <typename W>
void multiply(LibraryAccess& memory, const Gemm& g, const Operand& a, const Operand& b, const Operand& c, W alpha,
              W beta, i64 index) {
  std::vector<W> sums;
  if (alpha != W(0) && g.k > 0) {
    sums.resize(static_cast<std::size_t>(g.m * g.n));
    const auto left = load<W>(memory, a, index), right = load<W>(memory, b, index);
    add_product(g.m, g.n, g.k, factor_of(left, g.opa), factor_of(right, g.opb), 1, sums.data(), g.m);
  }
  finish(memory, c, sums, alpha, beta, false, index);
}

/// False: as on an H100, where no kernel takes integers of such a shape.
bool has_kernel(const Gemm& g, bool single) {
  return g.at != CUDA_R_8I || g.ct != CUDA_R_32I ||
         byte_product_exists(g.opa != CUBLAS_OP_N, g.opb != CUBLAS_OP_N, g.m, g.n, g.k, single);
}

Status queue(const Call& call, const Gemm& g, In alpha, In beta, Type scalars_type, LibraryUnit unit) {
  if (g.m == 0 || g.n == 0 || g.batch == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Scalars scalars{call.number("alpha", alpha, scalars_type), call.number("beta", beta, scalars_type)};
  if (scalars.changes_nothing() || (g.k == 0 && !scalars.beta.on_device && scalars.beta.value == Complex(1)))
    return CUBLAS_STATUS_SUCCESS;
  if (g.k > 0 && !has_kernel(g, g.batch == 1)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Operand a = a_of(g), b = b_of(g), c = c_of(g);
  return call.queue({shape_of(g), operations_of(g), unit}, product_buffers(scalars, c, {a, b}),
                    [=](LibraryAccess& memory) {
                      for_type(memory, g.ct, [&](auto kind) {
                        using W = decltype(kind);
                        const W by = scalars.alpha.get<W>(memory), kept = scalars.beta.get<W>(memory);
                        for (i64 i = 0; i < g.batch; ++i) multiply(memory, g, a, b, c, by, kept, i);
                      });
                    });
}

Status queue_pointers(const Call& call, const Gemm& g, In alpha, In beta, Type scalars_type, LibraryUnit unit) {
  if (g.m == 0 || g.n == 0 || g.batch == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Scalars scalars{call.number("alpha", alpha, scalars_type), call.number("beta", beta, scalars_type)};
  if (scalars.changes_nothing()) return CUBLAS_STATUS_SUCCESS;
  if (!has_kernel(g, true)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const PointerArrays arrays({{"Aarray", g.a}, {"Barray", g.b}, {"Carray", g.c}}, g.batch);
  return call.queue({shape_of(g), operations_of(g), unit}, arrays.buffers(), [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    Gemm one = g;
    one.batch = 1;
    one.sa = one.sb = one.sc = 0;
    Operand a = a_of(one), b = b_of(one), c = c_of(one);
    for (i64 i = 0; i < g.batch; ++i) {
      const auto at = static_cast<std::size_t>(i);
      a.address = places[0][at], b.address = places[1][at], c.address = places[2][at];
      memory.use(product_buffers(scalars, c, {a, b}));
      for_type(memory, g.ct, [&](auto kind) {
        using W = decltype(kind);
        multiply(memory, one, a, b, c, scalars.alpha.get<W>(memory), scalars.beta.get<W>(memory), 0);
      });
    }
  });
}

Status gemm(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta,
            Out c, i64 ldc) {
  const Type t = call.type();
  const Gemm g{opa, opb, m, n, k, a, b, c, lda, ldb, ldc, t, t, t};
  GPULAB_CHECK(check(call, g, {8, 10, 13}));
  return queue(call, g, alpha, beta, t, unit_of(call, t));
}

Status gemm_types(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, In b,
                  Type bt, i64 ldb, In beta, Out c, Type ct, i64 ldc) {
  const Gemm g{opa, opb, m, n, k, a, b, c, lda, ldb, ldc, at, bt, ct};
  GPULAB_CHECK(check(call, g, {9, 12, 16, 0, 7}));
  if (!is_supported(g, CUBLAS_COMPUTE_32F)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return queue(call, g, alpha, beta, call.type(), unit_of(call, at));
}

Status gemm_ex(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, In b, Type bt,
               i64 ldb, In beta, Out c, Type ct, i64 ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const Gemm g{opa, opb, m, n, k, a, b, c, lda, ldb, ldc, at, bt, ct};
  GPULAB_CHECK(check(call, g, {9, 12, 16, 0, 7}));
  if (!is_supported(g, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return queue(call, g, alpha, beta, scalar_type_of(compute, ct), unit_for(call, compute, at));
}

Status gemm_strided_ex(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, i64 sa,
                       In b, Type bt, i64 ldb, i64 sb, In beta, Out c, Type ct, i64 ldc, i64 sc, i64 batch,
                       cublasComputeType_t compute, cublasGemmAlgo_t) {
  const Gemm g{opa, opb, m, n, k, a, b, c, lda, ldb, ldc, at, bt, ct, batch, sa, sb, sc};
  GPULAB_CHECK(check(call, g, {9, 13, 18, 20, 7}));
  if (!is_supported(g, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return queue(call, g, alpha, beta, scalar_type_of(compute, ct), unit_for(call, compute, at));
}

Status gemm_strided(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, i64 lda, i64 sa, In b,
                    i64 ldb, i64 sb, In beta, Out c, i64 ldc, i64 sc, i64 batch) {
  const Type t = call.type();
  const Gemm g{opa, opb, m, n, k, a, b, c, lda, ldb, ldc, t, t, t, batch, sa, sb, sc};
  GPULAB_CHECK(check(call, g, {8, 11, 15, 17}));
  return queue(call, g, alpha, beta, t, unit_of(call, t));
}

Status gemm_batched(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb,
                    In beta, In c, i64 ldc, i64 batch) {
  const Type t = call.type();
  const Gemm g{opa, opb, m, n, k, a, b, const_cast<Out>(c), lda, ldb, ldc, t, t, t, batch};
  GPULAB_CHECK(check(call, g, {8, 10, 13, 14}));
  return queue_pointers(call, g, alpha, beta, t, unit_of(call, t));
}

Status gemm_batched_ex(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, In b,
                       Type bt, i64 ldb, In beta, In c, Type ct, i64 ldc, i64 batch, cublasComputeType_t compute,
                       cublasGemmAlgo_t) {
  const Gemm g{opa, opb, m, n, k, a, b, const_cast<Out>(c), lda, ldb, ldc, at, bt, ct, batch};
  GPULAB_CHECK(check(call, g, {9, 12, 16, 17, 7}));
  if (!is_supported(g, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return queue_pointers(call, g, alpha, beta, scalar_type_of(compute, ct), unit_for(call, compute, at));
}

}  // namespace gpulab::cublas
