#pragma once
// The CUDA driver API, loaded at run time: the binary starts where there is no libcuda.so.1.
// Functions keep their names: driver->cuMemAlloc(...). <cuda.h> redirects names to ABI versions by macro
// (cuMemAlloc is cuMemAlloc_v2), so that the members, their types and the symbols looked up agree with the
// Toolkit that built this.

#include <cuda.h>

#include <string>
#include <string_view>

namespace gpulab {

#define GPULAB_DRIVER_FUNCTIONS(X)               \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetPCIBusId)                         \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuCtxGetCurrent)                             \
  X(cuCtxSetLimit)                               \
  X(cuCtxSynchronize)                            \
  X(cuDeviceCanAccessPeer)                       \
  X(cuCtxEnablePeerAccess)                       \
  X(cuCtxDisablePeerAccess)                      \
  X(cuModuleLoadDataEx)                          \
  X(cuModuleLoadData)                            \
  X(cuLinkCreate)                                \
  X(cuLinkAddData)                               \
  X(cuLinkComplete)                              \
  X(cuLinkDestroy)                               \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuModuleGetGlobal)                           \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuMemGetInfo)                                \
  X(cuPointerGetAttribute)                       \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemcpyHtoD)                                \
  X(cuMemcpyDtoH)                                \
  X(cuMemHostAlloc)                              \
  X(cuMemFreeHost)                               \
  X(cuMemcpyHtoDAsync)                           \
  X(cuMemcpyDtoHAsync)                           \
  X(cuMemcpyDtoDAsync)                           \
  X(cuMemcpyAsync)                               \
  X(cuMemsetD8Async)                             \
  X(cuMemsetD32Async)                            \
  X(cuLaunchKernel)                              \
  X(cuLaunchCooperativeKernel)                   \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamWaitEvent)                           \
  X(cuStreamBeginCapture)                        \
  X(cuStreamEndCapture)                          \
  X(cuGraphInstantiateWithFlags)                 \
  X(cuGraphDestroy)                              \
  X(cuGraphLaunch)                               \
  X(cuGraphExecDestroy)                          \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuEventSynchronize)                          \
  X(cuEventElapsedTime)                          \
  X(cuTensorMapEncodeTiled)

/// What a driver call was for: decides the error that a failure becomes.
enum class DriverUse { start, load, memory, launch };

struct DriverApi {
#define GPULAB_MEMBER(function) decltype(&::function) function = nullptr;
  GPULAB_DRIVER_FUNCTIONS(GPULAB_MEMBER)
#undef GPULAB_MEMBER

  /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", in the driver's own words.
  [[nodiscard]] std::string describe(CUresult result) const;
  /// Throws for anything but CUDA_SUCCESS: LaunchError for what ends a case (fault, out_of_memory, hung),
  /// Error otherwise. `where` names the kernel, buffer or device.
  void check(CUresult result, DriverUse use, const std::string& where = {}, const std::string& hint = {}) const;
};

/// The driver, loaded and initialised (cuInit; no context). Null where that failed: driver_problem() says why.
[[nodiscard]] const DriverApi* driver();
/// "libcuda.so.1: cannot open shared object file: No such file or directory" or "CUDA_ERROR_NO_DEVICE: …".
[[nodiscard]] const std::string& driver_problem();

/// Advice for a fault, by the driver's error; empty if none is better than the message itself.
[[nodiscard]] std::string_view fault_hint(CUresult result);

}  // namespace gpulab
