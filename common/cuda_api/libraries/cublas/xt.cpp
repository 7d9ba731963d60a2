// cublasXt: products of matrices that lie with the host, which the library itself brings to the GPUs. Here there is
// one, and it takes them whole, not in tiles.

#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "common/cuda_api/libraries/cublas/call.h"

using namespace gpulab::cublas;

namespace {

struct Handle {
  cublasHandle_t blas = nullptr;
  int block = 2048;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

Handle* of(cublasXtHandle_t handle) { return reinterpret_cast<Handle*>(handle); }

/// A matrix where a product can reach it: itself, or a copy of the host's.
class Matrix {
 public:
  Matrix(const void* matrix, std::size_t rows, std::size_t columns, std::size_t size, std::size_t ld, bool brings)
      : host_(const_cast<void*>(matrix)), rows_(rows), columns_(columns), size_(size), ld_(ld) {
    cudaPointerAttributes where{};
    if (cudaPointerGetAttributes(&where, matrix) == cudaSuccess && where.type != cudaMemoryTypeUnregistered) return;
    if (rows == 0 || columns == 0) return;
    if (cudaMalloc(&device_, rows * columns * size) != cudaSuccess) status_ = CUBLAS_STATUS_ALLOC_FAILED;
    if (status_ == CUBLAS_STATUS_SUCCESS && brings)
      status_ = cublasSetMatrix_64(signed_of(rows), signed_of(columns), signed_of(size), matrix, signed_of(ld), device_,
                                   signed_of(rows));
  }
  ~Matrix() {
    if (device_ != nullptr) (void)cudaFree(device_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  [[nodiscard]] Status status() const { return status_; }
  template <typename T>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(device_ != nullptr ? device_ : host_);
  }
  [[nodiscard]] i64 ld() const { return signed_of(device_ != nullptr ? rows_ : ld_); }
  [[nodiscard]] Status take_back() const {
    if (device_ == nullptr) return cudaDeviceSynchronize() == cudaSuccess ? Status{} : CUBLAS_STATUS_EXECUTION_FAILED;
    return cublasGetMatrix_64(signed_of(rows_), signed_of(columns_), signed_of(size_), device_, signed_of(rows_), host_,
                              signed_of(ld_));
  }

 private:
  static i64 signed_of(std::size_t value) { return static_cast<i64>(value); }
  void *host_, *device_ = nullptr;
  std::size_t rows_, columns_, size_, ld_;
  Status status_ = CUBLAS_STATUS_SUCCESS;
};

template <typename T, typename Product>
Status multiply(cublasXtHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, std::size_t m, std::size_t n,
                std::size_t k, const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, const T* beta,
                T* c, std::size_t ldc, Product product) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool a_lies = opa == CUBLAS_OP_N, b_lies = opb == CUBLAS_OP_N;
  if (lda < (a_lies ? m : k) || ldb < (b_lies ? k : n) || ldc < m) return CUBLAS_STATUS_INVALID_VALUE;
  const Matrix left(a, a_lies ? m : k, a_lies ? k : m, sizeof(T), lda, true);
  const Matrix right(b, b_lies ? k : n, b_lies ? n : k, sizeof(T), ldb, true);
  const Matrix result(c, m, n, sizeof(T), ldc, true);
  for (const Matrix* matrix : {&left, &right, &result})
    if (matrix->status() != CUBLAS_STATUS_SUCCESS) return matrix->status();
  const Status status = product(of(handle)->blas, opa, opb, static_cast<i64>(m), static_cast<i64>(n),
                                static_cast<i64>(k), alpha, left.template data<T>(), left.ld(),
                                right.template data<T>(), right.ld(), beta, result.template data<T>(), result.ld());
  return status == CUBLAS_STATUS_SUCCESS ? result.take_back() : status;
}

}  // namespace

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  auto* const made = new Handle;
  *handle = reinterpret_cast<cublasXtHandle_t>(made);
  return cublasCreate(&made->blas);
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Status status = cublasDestroy(of(handle)->blas);
  delete of(handle);
  return status;
}
cublasStatus_t cublasXtMaxBoards(int* boards) {
  *boards = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetNumBoards(int, int*, int* boards) { return cublasXtMaxBoards(boards); }
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int* devices) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return count == 1 && devices != nullptr && devices[0] == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block) {
  if (block <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  of(handle)->block = block;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* block) {
  *block = of(handle)->block;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode) {
  of(handle)->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode) {
  *mode = of(handle)->pinning;
  return CUBLAS_STATUS_SUCCESS;
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define GPULAB_XT_GEMM(letter, T)                                                                                \
  cublasStatus_t cublasXt##letter##gemm(cublasXtHandle_t handle, cublasOperation_t opa, cublasOperation_t opb,   \
                                        size_t m, size_t n, size_t k, const T* alpha, const T* a, size_t lda,    \
                                        const T* b, size_t ldb, const T* beta, T* c, size_t ldc) {               \
    return multiply(handle, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, cublas##letter##gemm_v2_64); \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)
GPULAB_XT_GEMM(S, float)
GPULAB_XT_GEMM(D, double)
GPULAB_XT_GEMM(C, cuComplex)
GPULAB_XT_GEMM(Z, cuDoubleComplex)

}  // extern "C"
