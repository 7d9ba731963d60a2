#include "common/cuda_api/runtime/failures/driver_words.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cctype>
#include <string_view>

#include "common/cuda_api/driver/driver_call.h"

namespace gpulab::cuda_api {
namespace {

struct Pair {
  std::string_view runtime, driver;
};
constexpr Pair kSame[] = {
    {"cudaMalloc", "cuMemAlloc"},
    {"cudaMallocHost", "cuMemAllocHost"},
    {"cudaMallocManaged", "cuMemAllocManaged"},
    {"cudaMallocPitch", "cuMemAllocPitch"},
    {"cudaMallocAsync", "cuMemAllocAsync"},
    {"cudaMallocArray", "cuArrayCreate"},
    {"cudaHostAlloc", "cuMemHostAlloc"},
    {"cudaFree", "cuMemFree"},
    {"cudaFreeHost", "cuMemFreeHost"},
    {"cudaFreeArray", "cuArrayDestroy"},
    {"cudaFreeAsync", "cuMemFreeAsync"},
    {"cudaHostRegister", "cuMemHostRegister"},
    {"cudaHostUnregister", "cuMemHostUnregister"},
    {"cudaMemGetInfo", "cuMemGetInfo"},
    {"cudaMemcpy", "cuMemcpy"},
    {"cudaMemcpyAsync", "cuMemcpyAsync"},
    {"cudaStreamCreate", "cuStreamCreate"},
    {"cudaStreamSynchronize", "cuStreamSynchronize"},
    {"cudaStreamWaitEvent", "cuStreamWaitEvent"},
    {"cudaEventCreate", "cuEventCreate"},
    {"cudaEventRecord", "cuEventRecord"},
    {"cudaEventSynchronize", "cuEventSynchronize"},
    {"cudaEventDisableTiming", "CU_EVENT_DISABLE_TIMING"},
    {"cudaDeviceSynchronize", "cuCtxSynchronize"},
    {"cudaFuncSetAttribute", "cuFuncSetAttribute"},
    {"cudaFuncAttributeMaxDynamicSharedMemorySize", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveBlocksPerMultiprocessor"},
};

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

bool is_of_driver(const char* function) {
  const std::string_view name(function == nullptr ? "" : function);
  return name.starts_with("cu") && !name.starts_with("cuda");
}

std::string error_name(const char* function, cudaError_t error) {
  if (!is_of_driver(function)) return cudaGetErrorName(error);
  const char* name = nullptr;
  return cuGetErrorName(result_of(error), &name) == CUDA_SUCCESS ? name : "CUDA_ERROR_UNKNOWN";
}

std::string in_words_of(const char* function, std::string text) {
  if (!is_of_driver(function)) return text;
  for (std::size_t at = text.find("cuda"); at != std::string::npos; at = text.find("cuda", at + 1)) {
    std::size_t end = at;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (at > 0 && is_of_name(text[at - 1])) continue;
    for (const auto& same : kSame)
      if (std::string_view(text).substr(at, end - at) == same.runtime) {
        text.replace(at, end - at, same.driver);
        break;
      }
  }
  return text;
}

}  // namespace gpulab::cuda_api
