#include "labs/cublas.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "common/device/gpu/driver_api.h"
#include "common/error.h"
#include "common/launch_error.h"
#include "labs/loaded_library.h"

namespace gpulab::cublas {
namespace {

/// cublas_api.h and library_types.h, as far as they are used: every function returns 0 or an error.
enum Operation { as_it_is = 0, transposed = 1 };
enum DataType { real_32f = 0, real_64f = 1, real_16f = 2, real_16bf = 14 };
/// "Pedantic": every product and sum in the type that is named. The default may take tensor cores instead.
enum ComputeType { compute_32f = 68, compute_32f_pedantic = 69, compute_64f = 70, compute_32f_fast_tf32 = 77 };
constexpr int default_algorithm = -1;

struct Api {
  using Handle = void*;
  int (*cublasCreate_v2)(Handle*) = nullptr;
  const char* (*cublasGetStatusString)(int) = nullptr;
  template <typename T>
  using Geam = int (*)(Handle, Operation, Operation, int m, int n, const T* alpha, const T* a, int lda, const T* beta,
                       const T* b, int ldb, T* c, int ldc);
  Geam<float> cublasSgeam = nullptr;
  Geam<double> cublasDgeam = nullptr;
  template <typename T>
  using Axpy = int (*)(Handle, int n, const T* a, const T* x, int x_step, T* y, int y_step);
  Axpy<float> cublasSaxpy_v2 = nullptr;
  Axpy<double> cublasDaxpy_v2 = nullptr;
  int (*cublasGemmEx)(Handle, Operation, Operation, int m, int n, int k, const void* alpha, const void* a, DataType,
                      int lda, const void* b, DataType, int ldb, const void* beta, void* c, DataType, int ldc,
                      ComputeType, int algorithm) = nullptr;
};

struct Loaded {
  Loaded() {
    library.take(api.cublasCreate_v2, "cublasCreate_v2");
    library.take(api.cublasGetStatusString, "cublasGetStatusString");
    library.take(api.cublasSgeam, "cublasSgeam");
    library.take(api.cublasDgeam, "cublasDgeam");
    library.take(api.cublasSaxpy_v2, "cublasSaxpy_v2");
    library.take(api.cublasDaxpy_v2, "cublasDaxpy_v2");
    library.take(api.cublasGemmEx, "cublasGemmEx");
  }
  LoadedLibrary library{{.files = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}}};
  Api api;
};

const Loaded& loaded() {
  static const Loaded once;
  return once;
}

const Api& api() {
  if (!loaded().library.problem().empty()) throw Error(ExitCode::missing, lack());
  return loaded().api;
}

void check(int status, const char* call) {
  if (status != 0)
    throw LaunchError(LaunchFailure::fault, fmt::format("{}: {}", call, api().cublasGetStatusString(status)), "cuBLAS");
}

/// One for the process, in the context that is current: a worker process has one context in its life.
Api::Handle handle() {
  static const Api::Handle created = [] {
    Api::Handle fresh = nullptr;
    check(api().cublasCreate_v2(&fresh), "cublasCreate");
    return fresh;
  }();
  return created;
}

// cuBLAS is column-major: what it takes for a cols x rows matrix with columns of length `cols` is our rows x cols one.
template <typename T>
int geam_transposed(Api::Geam<T> geam, const void* in, void* out, int rows, int cols) {
  const T one = 1, zero = 0;
  auto* to = static_cast<T*>(out);
  // With beta 0 the second summand is not read; it may be the result itself.
  return geam(handle(), transposed, as_it_is, rows, cols, &one, static_cast<const T*>(in), cols, &zero, to, rows, to,
              rows);
}

std::pair<DataType, ComputeType> types_of(Scalar type) {
  switch (type) {
    case Scalar::f16:
      return {real_16f, compute_32f};
    case Scalar::bf16:
      return {real_16bf, compute_32f};
    case Scalar::f32:
      return {real_32f, compute_32f_pedantic};
    case Scalar::f64:
      return {real_64f, compute_64f};
    default:
      throw std::logic_error("cuBLAS: no product of " + std::string(name_of(type)));
  }
}

void multiply_as(std::pair<DataType, ComputeType> types, const void* a, const void* b, void* c, std::int32_t m,
                 std::int32_t n, std::int32_t k) {
  const auto [data, compute] = types;
  if (m == 0 || n == 0) return;
  if (k == 0) {  // an empty sum; all bits 0 is 0 in every type
    const auto bytes = static_cast<std::size_t>(m) * static_cast<std::size_t>(n) *
                       (data == real_64f   ? 8
                        : data == real_32f ? 4
                                           : 2);
    const auto to = reinterpret_cast<CUdeviceptr>(c);
    return driver()->check(driver()->cuMemsetD8Async(to, 0, bytes, nullptr), DriverUse::memory, "c");
  }
  const float one32 = 1, zero32 = 0;
  const double one64 = 1, zero64 = 0;
  const void* one = compute == compute_64f ? static_cast<const void*>(&one64) : &one32;
  const void* zero = compute == compute_64f ? static_cast<const void*>(&zero64) : &zero32;
  // Row-major c is the column-major transpose of c, and (a b)^T = b^T a^T: the factors change places.
  check(api().cublasGemmEx(handle(), as_it_is, as_it_is, n, m, k, one, b, data, n, a, data, k, zero, c, data, n,
                           compute, default_algorithm),
        "cublasGemmEx");
}

}  // namespace

std::string lack() {
  const std::string& problem = loaded().library.problem();
  return problem.empty() ? "" : "cuBLAS cannot be loaded: " + problem;
}

void prepare() { (void)handle(); }

void transpose(Scalar type, const void* in, void* out, std::int32_t rows, std::int32_t cols) {
  if (rows == 0 || cols == 0) return;
  if (type == Scalar::f32) return check(geam_transposed(api().cublasSgeam, in, out, rows, cols), "cublasSgeam");
  if (type == Scalar::f64) return check(geam_transposed(api().cublasDgeam, in, out, rows, cols), "cublasDgeam");
  throw std::logic_error("cuBLAS: no transpose of " + std::string(name_of(type)));
}

void axpy(Scalar type, std::int32_t n, double a, const void* x, void* y) {
  if (n == 0) return;
  if (type == Scalar::f64) {
    check(api().cublasDaxpy_v2(handle(), n, &a, static_cast<const double*>(x), 1, static_cast<double*>(y), 1),
          "cublasDaxpy");
    return;
  }
  const auto factor = static_cast<float>(a);
  check(api().cublasSaxpy_v2(handle(), n, &factor, static_cast<const float*>(x), 1, static_cast<float*>(y), 1),
        "cublasSaxpy");
}

void multiply(Scalar type, const void* a, const void* b, void* c, std::int32_t m, std::int32_t n, std::int32_t k) {
  multiply_as(types_of(type), a, b, c, m, n, k);
}
void multiply_tf32(const void* a, const void* b, void* c, std::int32_t m, std::int32_t n, std::int32_t k) {
  multiply_as({real_32f, compute_32f_fast_tf32}, a, b, c, m, n, k);
}

}  // namespace gpulab::cublas
