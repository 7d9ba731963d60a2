// Vectors and matrices from the host to the device and back: cudaMemcpy2D's work, with the checks of cuBLAS.

#include "common/cuda_api/libraries/cublas/call.h"

using namespace gpulab::cublas;

namespace {

struct Transfer {
  const char* name;
  cudaMemcpyKind kind;
  bool waits;
  cudaStream_t stream;
  void* caller;
};

/// Rows of bytes, apart as the leading dimensions say.
Status copy(const Transfer& how, i64 rows, i64 columns, i64 size, const void* from, i64 ld_from, void* to, i64 ld_to) {
  if (rows < 0 || columns < 0 || size <= 0 || ld_from < at_least_one(rows) || ld_to < at_least_one(rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  const auto bytes = [&](i64 count) { return static_cast<std::size_t>(count) * static_cast<std::size_t>(size); };
  const bool solid = ld_from == rows && ld_to == rows;
  const cudaError_t error =
      runtime().copy(how.name, to, bytes(ld_to), from, bytes(ld_from), bytes(solid ? rows * columns : rows),
                     static_cast<std::size_t>(solid ? 1 : columns), how.kind, how.stream, how.waits, how.caller);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

Status copy_vector(const Transfer& how, i64 n, i64 size, const void* from, i64 inc_from, void* to, i64 inc_to) {
  if (inc_from <= 0 || inc_to <= 0 || n < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (inc_from == 1 && inc_to == 1) return copy(how, n, n > 0 ? 1 : 0, size, from, n, to, n);
  return copy(how, n > 0 ? 1 : 0, n, size, from, inc_from, to, inc_to);
}

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define GPULAB_TRANSFERS(Int, wide)                                                                                    \
  cublasStatus_t cublasSetVector##wide(Int n, Int size, const void* x, Int incx, void* y, Int incy) {                  \
    return copy_vector({"cublasSetVector", cudaMemcpyHostToDevice, true, nullptr, __builtin_return_address(0)}, n,     \
                       size, x, incx, y, incy);                                                                        \
  }                                                                                                                    \
  cublasStatus_t cublasGetVector##wide(Int n, Int size, const void* x, Int incx, void* y, Int incy) {                  \
    return copy_vector({"cublasGetVector", cudaMemcpyDeviceToHost, true, nullptr, __builtin_return_address(0)}, n,     \
                       size, x, incx, y, incy);                                                                        \
  }                                                                                                                    \
  cublasStatus_t cublasSetMatrix##wide(Int rows, Int columns, Int size, const void* a, Int lda, void* b, Int ldb) {    \
    return copy({"cublasSetMatrix", cudaMemcpyHostToDevice, true, nullptr, __builtin_return_address(0)}, rows,         \
                columns, size, a, lda, b, ldb);                                                                        \
  }                                                                                                                    \
  cublasStatus_t cublasGetMatrix##wide(Int rows, Int columns, Int size, const void* a, Int lda, void* b, Int ldb) {    \
    return copy({"cublasGetMatrix", cudaMemcpyDeviceToHost, true, nullptr, __builtin_return_address(0)}, rows,         \
                columns, size, a, lda, b, ldb);                                                                        \
  }                                                                                                                    \
  cublasStatus_t cublasSetVectorAsync##wide(Int n, Int size, const void* x, Int incx, void* y, Int incy,               \
                                            cudaStream_t stream) {                                                     \
    return copy_vector({"cublasSetVectorAsync", cudaMemcpyHostToDevice, false, stream, __builtin_return_address(0)},   \
                       n, size, x, incx, y, incy);                                                                     \
  }                                                                                                                    \
  cublasStatus_t cublasGetVectorAsync##wide(Int n, Int size, const void* x, Int incx, void* y, Int incy,               \
                                            cudaStream_t stream) {                                                     \
    return copy_vector({"cublasGetVectorAsync", cudaMemcpyDeviceToHost, false, stream, __builtin_return_address(0)},   \
                       n, size, x, incx, y, incy);                                                                     \
  }                                                                                                                    \
  cublasStatus_t cublasSetMatrixAsync##wide(Int rows, Int columns, Int size, const void* a, Int lda, void* b, Int ldb, \
                                            cudaStream_t stream) {                                                     \
    return copy({"cublasSetMatrixAsync", cudaMemcpyHostToDevice, false, stream, __builtin_return_address(0)}, rows,    \
                columns, size, a, lda, b, ldb);                                                                        \
  }                                                                                                                    \
  cublasStatus_t cublasGetMatrixAsync##wide(Int rows, Int columns, Int size, const void* a, Int lda, void* b, Int ldb, \
                                            cudaStream_t stream) {                                                     \
    return copy({"cublasGetMatrixAsync", cudaMemcpyDeviceToHost, false, stream, __builtin_return_address(0)}, rows,    \
                columns, size, a, lda, b, ldb);                                                                        \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

extern "C" {
GPULAB_TRANSFERS(int, )
GPULAB_TRANSFERS(int64_t, _64)
}
