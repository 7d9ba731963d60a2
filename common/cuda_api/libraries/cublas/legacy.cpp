#include "common/cuda_api/libraries/cublas/legacy.h"

#include <atomic>
#include <cctype>
#include <string_view>

namespace gpulab::cublas::legacy {
namespace {

std::atomic<cublasHandle_t> own = nullptr;
std::atomic<int> last = CUBLAS_STATUS_SUCCESS;

/// The place of a letter among those of an enumeration; -1: none.
int place(char c, std::string_view letters) {
  const auto found = letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return found == letters.npos ? -1 : static_cast<int>(found);
}

}  // namespace

cublasHandle_t handle() { return own; }
void keep(Status status) {
  if (status != CUBLAS_STATUS_SUCCESS) last = status;
}

template <>
cublasOperation_t letter(char c) {
  return static_cast<cublasOperation_t>(place(c, "NTC"));
}
template <>
cublasFillMode_t letter(char c) {
  return static_cast<cublasFillMode_t>(place(c, "LU"));
}
template <>
cublasSideMode_t letter(char c) {
  return static_cast<cublasSideMode_t>(place(c, "LR"));
}
template <>
cublasDiagType_t letter(char c) {
  return static_cast<cublasDiagType_t>(place(c, "NU"));
}

}  // namespace gpulab::cublas::legacy

using namespace gpulab::cublas;
#undef cublasGetVersion  // a macro of the second interface

extern "C" {

cublasStatus_t cublasInit() {
  if (legacy::own != nullptr) return CUBLAS_STATUS_SUCCESS;
  cublasHandle_t made = nullptr;
  const auto status = cublasCreate_v2(&made);
  if (status == CUBLAS_STATUS_SUCCESS) legacy::own = made;
  return status;
}
cublasStatus_t cublasShutdown() {
  if (const auto before = legacy::own.exchange(nullptr); before != nullptr) return cublasDestroy_v2(before);
  return CUBLAS_STATUS_NOT_INITIALIZED;
}
/// And forgets it.
cublasStatus_t cublasGetError() { return static_cast<cublasStatus_t>(legacy::last.exchange(CUBLAS_STATUS_SUCCESS)); }
cublasStatus_t cublasGetVersion(int* version) { return cublasGetVersion_v2(legacy::own, version); }
cublasStatus_t cublasSetKernelStream(cudaStream_t stream) { return cublasSetStream_v2(legacy::own, stream); }
cublasStatus_t cublasAlloc(int count, int bytes, void** pointer) {
  if (legacy::own == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count <= 0 || bytes <= 0 || pointer == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto all = static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes);
  const cudaError_t error = runtime().allocate(pointer, all, "cublasAlloc", __builtin_return_address(0));
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasFree(void* pointer) {
  if (legacy::own == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return runtime().release(pointer, __builtin_return_address(0)) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                                : CUBLAS_STATUS_INTERNAL_ERROR;
}

}  // extern "C"
