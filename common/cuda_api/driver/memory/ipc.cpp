// Memory and events of several processes (CUDA Driver API: cuIpcGetMemHandle and its like). Handles are the runtime's.

#include <cuda_runtime_api.h>

#include <cstring>

#include "common/cuda_api/driver/driver_call.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Both APIs' handles are 64 bytes.
template <typename To, typename From>
To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return by_runtime("cuIpcGetMemHandle", [&] {
    return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(handle), pointer_of(address));
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned flags) {
  return by_runtime("cuIpcOpenMemHandle", [&] {
    return cudaIpcOpenMemHandle(reinterpret_cast<void**>(address), same_bytes<cudaIpcMemHandle_t>(handle), flags);
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return by_runtime("cuIpcCloseMemHandle", [&] { return cudaIpcCloseMemHandle(pointer_of(address)); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return by_runtime("cuIpcGetEventHandle",
                    [&] { return cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(handle), event); });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  return by_runtime("cuIpcOpenEventHandle",
                    [&] { return cudaIpcOpenEventHandle(event, same_bytes<cudaIpcEventHandle_t>(handle)); });
}

CUresult cuMemPoolExportToShareableHandle(void* shareable, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return driver_call("cuMemPoolExportToShareableHandle", Needs::driver, [&](Session&) {
    return cudaMemPoolExportToShareableHandle(shareable, pool, static_cast<cudaMemAllocationHandleType>(type),
                                              static_cast<unsigned>(flags));
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* shareable, CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return driver_call("cuMemPoolImportFromShareableHandle", Needs::driver, [&](Session&) {
    return cudaMemPoolImportFromShareableHandle(pool, shareable, static_cast<cudaMemAllocationHandleType>(type),
                                                static_cast<unsigned>(flags));
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* data, CUdeviceptr address) {
  static_assert(sizeof(CUmemPoolPtrExportData) == sizeof(cudaMemPoolPtrExportData));
  return by_runtime("cuMemPoolExportPointer", [&] {
    return cudaMemPoolExportPointer(reinterpret_cast<cudaMemPoolPtrExportData*>(data), pointer_of(address));
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* address, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
  return by_runtime("cuMemPoolImportPointer", [&] {
    return cudaMemPoolImportPointer(reinterpret_cast<void**>(address), pool,
                                    reinterpret_cast<cudaMemPoolPtrExportData*>(data));
  });
}

}  // extern "C"
