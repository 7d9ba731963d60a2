// cudaDeviceProp as objects have it that were compiled with CUDA 11 or 12: a course's tester, for one. CUDA 12 asks by
// a name of its own (cudaGetDeviceProperties_v2); in objects of CUDA 11 `gpulab nvcc` puts one in the place of that
// which CUDA 13 has, too (runner/program/old_cuda/old_objects.h).

#include <cuda_runtime_api.h>

#include <cstring>

#include "common/cuda_api/runtime/session.h"

#if CUDART_VERSION >= 13000
namespace gpulab::cuda_api {
namespace {

/// The fields in their order (CUDA Runtime API, cudaDeviceProp, of release 11.8).
struct Properties11 {
  char name[256];
  char uuid[16], luid[8];
  unsigned luid_device_node_mask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
      maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
      maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
      maxSurfaceCubemapLayered[2];
  std::size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing,
      memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  std::size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
      accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
};
static_assert(sizeof(Properties11) == 728);

/// Of release 12: the same, and some more.
struct Properties12 {
  Properties11 first;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
      memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63];
};
static_assert(sizeof(Properties12) == 1032);

int attribute(cudaDeviceAttr which) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : 0;
}

template <typename Old, typename Now>
void same(Old& old, const Now& now) {
  static_assert(sizeof old == sizeof now);
  std::memcpy(&old, &now, sizeof old);
}

Properties11 properties_11(const cudaDeviceProp& now) {
  Properties11 old{};
#define GPULAB_SAME(field) same(old.field, now.field)
  GPULAB_SAME(name), GPULAB_SAME(uuid), GPULAB_SAME(luid), GPULAB_SAME(totalGlobalMem), GPULAB_SAME(sharedMemPerBlock);
  GPULAB_SAME(regsPerBlock), GPULAB_SAME(warpSize), GPULAB_SAME(memPitch), GPULAB_SAME(maxThreadsPerBlock);
  GPULAB_SAME(maxThreadsDim), GPULAB_SAME(maxGridSize), GPULAB_SAME(totalConstMem), GPULAB_SAME(major);
  GPULAB_SAME(minor), GPULAB_SAME(textureAlignment), GPULAB_SAME(texturePitchAlignment);
  GPULAB_SAME(multiProcessorCount), GPULAB_SAME(integrated), GPULAB_SAME(canMapHostMemory);
  GPULAB_SAME(maxTexture1D), GPULAB_SAME(maxTexture1DMipmap), GPULAB_SAME(maxTexture2D);
  GPULAB_SAME(maxTexture2DMipmap), GPULAB_SAME(maxTexture2DLinear), GPULAB_SAME(maxTexture2DGather);
  GPULAB_SAME(maxTexture3D), GPULAB_SAME(maxTexture3DAlt), GPULAB_SAME(maxTextureCubemap);
  GPULAB_SAME(maxTexture1DLayered), GPULAB_SAME(maxTexture2DLayered), GPULAB_SAME(maxTextureCubemapLayered);
  GPULAB_SAME(maxSurface1D), GPULAB_SAME(maxSurface2D), GPULAB_SAME(maxSurface3D), GPULAB_SAME(maxSurface1DLayered);
  GPULAB_SAME(maxSurface2DLayered), GPULAB_SAME(maxSurfaceCubemap), GPULAB_SAME(maxSurfaceCubemapLayered);
  GPULAB_SAME(surfaceAlignment), GPULAB_SAME(concurrentKernels), GPULAB_SAME(ECCEnabled), GPULAB_SAME(pciBusID);
  GPULAB_SAME(pciDeviceID), GPULAB_SAME(pciDomainID), GPULAB_SAME(tccDriver), GPULAB_SAME(asyncEngineCount);
  GPULAB_SAME(unifiedAddressing), GPULAB_SAME(memoryBusWidth), GPULAB_SAME(l2CacheSize);
  GPULAB_SAME(persistingL2CacheMaxSize), GPULAB_SAME(maxThreadsPerMultiProcessor);
  GPULAB_SAME(streamPrioritiesSupported), GPULAB_SAME(globalL1CacheSupported), GPULAB_SAME(localL1CacheSupported);
  GPULAB_SAME(sharedMemPerMultiprocessor), GPULAB_SAME(regsPerMultiprocessor), GPULAB_SAME(managedMemory);
  GPULAB_SAME(hostNativeAtomicSupported), GPULAB_SAME(pageableMemoryAccess), GPULAB_SAME(concurrentManagedAccess);
  GPULAB_SAME(computePreemptionSupported), GPULAB_SAME(canUseHostPointerForRegisteredMem);
  GPULAB_SAME(cooperativeLaunch), GPULAB_SAME(sharedMemPerBlockOptin), GPULAB_SAME(maxBlocksPerMultiProcessor);
  GPULAB_SAME(accessPolicyMaxWindowSize), GPULAB_SAME(reservedSharedMemPerBlock);
#undef GPULAB_SAME
  old.clockRate = attribute(cudaDevAttrClockRate);
  old.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  old.deviceOverlap = now.asyncEngineCount > 0 ? 1 : 0;
  old.maxTexture1DLinear = 1 << 28;  // CUDA C++ Programming Guide, Technical Specifications
  return old;
}

}  // namespace

}  // namespace gpulab::cuda_api

namespace {

template <typename Fill>
[[gnu::always_inline]] inline cudaError_t tell(int device, const Fill& fill) {
  using namespace gpulab::cuda_api;
  return call("cudaGetDeviceProperties", Waits::no, [&](Session&) {
    cudaDeviceProp now;
    const cudaError_t error = cudaGetDeviceProperties(&now, device);
    if (error == cudaSuccess) fill(now);
    return error;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties_11(void* properties, int device) {
  return tell(device, [&](const cudaDeviceProp& now) {
    const auto old = gpulab::cuda_api::properties_11(now);
    std::memcpy(properties, &old, sizeof old);
  });
}

cudaError_t cudaGetDeviceProperties_v2(void* properties, int device) {
  return tell(device, [&](const cudaDeviceProp& now) {
    gpulab::cuda_api::Properties12 old{};
    old.first = gpulab::cuda_api::properties_11(now);
    old.hostRegisterSupported = now.hostRegisterSupported;
    old.memoryPoolsSupported = now.memoryPoolsSupported;
    old.memoryPoolSupportedHandleTypes = now.memoryPoolSupportedHandleTypes;
    old.ipcEventSupported = now.ipcEventSupported;
    old.clusterLaunch = now.clusterLaunch;
    std::memcpy(properties, &old, sizeof old);
  });
}

}  // extern "C"
#endif
