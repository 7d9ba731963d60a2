// The devices: as many as were asked for, each the profile's GPU. Which one is current each thread knows for itself.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "common/cuda_api/driver/contexts.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/graphs/graphs.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

void fill_limits(cudaDeviceProp& p, const GpuProfile& gpu) {
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = gpu.max_threads_per_block;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.sharedMemPerBlock = gpu.shared_bytes_per_block;
  p.sharedMemPerBlockOptin = gpu.shared_bytes_per_block_optin;
  p.sharedMemPerMultiprocessor = gpu.shared_bytes_per_sm;
  p.reservedSharedMemPerBlock = gpu.reserved_shared_bytes_per_block;
  p.regsPerBlock = gpu.registers_per_block;
  p.regsPerMultiprocessor = gpu.registers_per_sm;
  p.maxThreadsPerMultiProcessor = gpu.max_threads_per_sm;
  p.maxBlocksPerMultiProcessor = gpu.max_blocks_per_sm;
}

void set(int* to, std::initializer_list<int> values) { std::copy(values.begin(), values.end(), to); }

/// Of GPUs of compute capability 6.0 and later (CUDA C++ Programming Guide: Technical Specifications; an H200 says the
/// same).
void fill_texture_limits(cudaDeviceProp& p) {
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  set(p.maxTexture2D, {131072, 65536});
  set(p.maxTexture2DMipmap, {32768, 32768});
  set(p.maxTexture2DLinear, {131072, 65000, 2097120});
  set(p.maxTexture2DGather, {32768, 32768});
  set(p.maxTexture3D, {16384, 16384, 16384});
  set(p.maxTexture3DAlt, {8192, 8192, 32768});
  set(p.maxTexture1DLayered, {32768, 2048});
  set(p.maxTexture2DLayered, {32768, 32768, 2048});
  p.maxTextureCubemap = p.maxSurfaceCubemap = 32768;
  set(p.maxTextureCubemapLayered, {32768, 2046});
  p.maxSurface1D = 32768;
  set(p.maxSurface2D, {131072, 65536});
  set(p.maxSurface3D, {16384, 16384, 16384});
  set(p.maxSurface1DLayered, {32768, 2048});
  set(p.maxSurface2DLayered, {32768, 32768, 2048});
  set(p.maxSurfaceCubemapLayered, {32768, 2046});
}

cudaDeviceProp properties_of(const GpuProfile& gpu) {
  cudaDeviceProp p{};
  std::strncpy(p.name, gpu.name.c_str(), sizeof p.name - 1);
  p.totalGlobalMem = gpu.memory_bytes;
  p.major = gpu.compute_major;
  p.minor = gpu.compute_minor;
  p.multiProcessorCount = gpu.sm_count;
  p.l2CacheSize = static_cast<int>(gpu.l2_bytes);
  fill_limits(p, gpu);
  fill_texture_limits(p);
  p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.managedMemory = p.concurrentManagedAccess = 1;
  p.cooperativeLaunch = p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = p.memoryPoolsSupported = p.ipcEventSupported = 1;
  p.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  p.clusterLaunch = gpu.compute_major >= 9 ? 1 : 0;
  p.asyncEngineCount = 3;
  p.memoryBusWidth = 5120;
  p.pciBusID = 1;
  if (gpu.compute_major == 9) {  // an H100's; of others nobody has asked
    p.persistingL2CacheMaxSize = 32'768'000;
    p.accessPolicyMaxWindowSize = 128 << 20;
  }
  return p;
}

cudaError_t unknown(Session& s, int device) {
  if (device > 0) s.asks_for_gpu(device);
  return s.because(cudaErrorInvalidDevice, no_device(device));
}

/// Sizes that textures and surfaces can have, as fill_texture_limits says them.
std::optional<int> texture_attribute_of(const cudaDeviceProp& p, cudaDeviceAttr which) {
  const std::pair<cudaDeviceAttr, int> known[] = {
      {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
      {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
      {cudaDevAttrMaxTexture1DMipmappedWidth, p.maxTexture1DMipmap},
      {cudaDevAttrMaxTexture1DLayeredWidth, p.maxTexture1DLayered[0]},
      {cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]},
      {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
      {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
      {cudaDevAttrMaxTexture2DLinearWidth, p.maxTexture2DLinear[0]},
      {cudaDevAttrMaxTexture2DLinearHeight, p.maxTexture2DLinear[1]},
      {cudaDevAttrMaxTexture2DLinearPitch, p.maxTexture2DLinear[2]},
      {cudaDevAttrMaxTexture2DMipmappedWidth, p.maxTexture2DMipmap[0]},
      {cudaDevAttrMaxTexture2DMipmappedHeight, p.maxTexture2DMipmap[1]},
      {cudaDevAttrMaxTexture2DGatherWidth, p.maxTexture2DGather[0]},
      {cudaDevAttrMaxTexture2DGatherHeight, p.maxTexture2DGather[1]},
      {cudaDevAttrMaxTexture2DLayeredWidth, p.maxTexture2DLayered[0]},
      {cudaDevAttrMaxTexture2DLayeredHeight, p.maxTexture2DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
      {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
      {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
      {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
      {cudaDevAttrMaxTexture3DWidthAlt, p.maxTexture3DAlt[0]},
      {cudaDevAttrMaxTexture3DHeightAlt, p.maxTexture3DAlt[1]},
      {cudaDevAttrMaxTexture3DDepthAlt, p.maxTexture3DAlt[2]},
      {cudaDevAttrMaxTextureCubemapWidth, p.maxTextureCubemap},
      {cudaDevAttrMaxTextureCubemapLayeredWidth, p.maxTextureCubemapLayered[0]},
      {cudaDevAttrMaxTextureCubemapLayeredLayers, p.maxTextureCubemapLayered[1]},
      {cudaDevAttrMaxSurface1DWidth, p.maxSurface1D},
      {cudaDevAttrMaxSurface1DLayeredWidth, p.maxSurface1DLayered[0]},
      {cudaDevAttrMaxSurface1DLayeredLayers, p.maxSurface1DLayered[1]},
      {cudaDevAttrMaxSurface2DWidth, p.maxSurface2D[0]},
      {cudaDevAttrMaxSurface2DHeight, p.maxSurface2D[1]},
      {cudaDevAttrMaxSurface2DLayeredWidth, p.maxSurface2DLayered[0]},
      {cudaDevAttrMaxSurface2DLayeredHeight, p.maxSurface2DLayered[1]},
      {cudaDevAttrMaxSurface2DLayeredLayers, p.maxSurface2DLayered[2]},
      {cudaDevAttrMaxSurface3DWidth, p.maxSurface3D[0]},
      {cudaDevAttrMaxSurface3DHeight, p.maxSurface3D[1]},
      {cudaDevAttrMaxSurface3DDepth, p.maxSurface3D[2]},
      {cudaDevAttrMaxSurfaceCubemapWidth, p.maxSurfaceCubemap},
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, p.maxSurfaceCubemapLayered[0]},
      {cudaDevAttrMaxSurfaceCubemapLayeredLayers, p.maxSurfaceCubemapLayered[1]},
      {cudaDevAttrSurfaceAlignment, static_cast<int>(p.surfaceAlignment)},
      {cudaDevAttrTexturePitchAlignment, static_cast<int>(p.texturePitchAlignment)},
      {cudaDevAttrGpuOverlap, 1},
  };
  for (const auto& [attribute, value] : known)
    if (attribute == which) return value;
  return std::nullopt;
}

/// An attribute that a struct of properties has, too; nothing for those that it has not.
std::optional<int> attribute_of(const cudaDeviceProp& p, cudaDeviceAttr which) {
  const std::pair<cudaDeviceAttr, std::size_t> known[] = {
    {cudaDevAttrMaxThreadsPerBlock, static_cast<std::size_t>(p.maxThreadsPerBlock)},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock},
    {cudaDevAttrTotalConstantMemory, p.totalConstMem},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, p.memPitch},
    {cudaDevAttrMaxRegistersPerBlock, static_cast<std::size_t>(p.regsPerBlock)},
    {cudaDevAttrClockRate, 1'980'000},
    {cudaDevAttrMemoryClockRate, 2'619'000},
    {cudaDevAttrTextureAlignment, p.textureAlignment},
    {cudaDevAttrMultiProcessorCount, static_cast<std::size_t>(p.multiProcessorCount)},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 1},
    {cudaDevAttrGlobalMemoryBusWidth, static_cast<std::size_t>(p.memoryBusWidth)},
    {cudaDevAttrL2CacheSize, static_cast<std::size_t>(p.l2CacheSize)},
    {cudaDevAttrMaxThreadsPerMultiProcessor, static_cast<std::size_t>(p.maxThreadsPerMultiProcessor)},
    {cudaDevAttrAsyncEngineCount, static_cast<std::size_t>(p.asyncEngineCount)},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrComputeCapabilityMajor, static_cast<std::size_t>(p.major)},
    {cudaDevAttrComputeCapabilityMinor, static_cast<std::size_t>(p.minor)},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor},
    {cudaDevAttrMaxRegistersPerMultiprocessor, static_cast<std::size_t>(p.regsPerMultiprocessor)},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrClusterLaunch, static_cast<std::size_t>(p.clusterLaunch)},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxBlocksPerMultiprocessor, static_cast<std::size_t>(p.maxBlocksPerMultiProcessor)},
    {cudaDevAttrReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrIpcEventSupport, 1},
#if CUDART_VERSION >= 13000
    {cudaDevAttrHostMemoryPoolsSupported, 1},
    {cudaDevAttrHostNumaMemoryPoolsSupported, 1},
#endif
    {cudaDevAttrMemoryPoolSupportedHandleTypes, cudaMemHandleTypePosixFileDescriptor},
    {cudaDevAttrMaxPersistingL2CacheSize, static_cast<std::size_t>(p.persistingL2CacheMaxSize)},
    {cudaDevAttrMaxAccessPolicyWindowSize, static_cast<std::size_t>(p.accessPolicyMaxWindowSize)},
  };
  for (const auto& [attribute, value] : known)
    if (attribute == which) return static_cast<int>(value);
  return texture_attribute_of(p, which);
}

/// What cudaDeviceSetLimit has set, but for the stack.
std::map<int, std::size_t>& limits() {
  static auto& all = *new std::map<int, std::size_t>{
      {cudaLimitPrintfFifoSize, 1 << 20},   {cudaLimitMallocHeapSize, 8 << 20},
      {cudaLimitDevRuntimeSyncDepth, 2},    {cudaLimitDevRuntimePendingLaunchCount, 2048},
      {cudaLimitMaxL2FetchGranularity, 64}, {cudaLimitPersistingL2CacheSize, 0}};
  return all;
}

/// In steps, as an H100 sets it aside.
cudaError_t set_aside(Session& s, std::size_t bytes) {
  constexpr std::size_t step = 3'276'800;
  const auto most = static_cast<std::size_t>(properties_of(s.profile()).persistingL2CacheMaxSize);
  if (bytes > most) return most == 0 ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
  limits()[cudaLimitPersistingL2CacheSize] = (bytes + step - 1) / step * step;
  return cudaSuccess;
}

cudaError_t accept(const char* name) {
  return call(name, Waits::no, [](Session&) { return cudaSuccess; });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", Waits::asks, [&](Session& s) {
    if (count == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the count"));
    *count = s.gpus();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", Waits::asks, [&](Session&) {
    *device = current_gpu();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", Waits::asks, [&](Session& s) {
    if (s.sticky() == cudaErrorDevicesUnavailable) return s.sticky();
    if (!s.has_gpu(device)) return unknown(s, device);
    current_gpu() = device;
    primary_is_current(device);
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return call("cudaInitDevice", Waits::no,
              [&](Session& s) { return s.has_gpu(device) ? cudaSuccess : unknown(s, device); });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaSetValidDevices(int*, int) { return accept("cudaSetValidDevices"); }
cudaError_t cudaSetDeviceFlags(unsigned) { return accept("cudaSetDeviceFlags"); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return accept("cudaDeviceSetCacheConfig"); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return accept("cudaDeviceSetSharedMemConfig"); }
cudaError_t cudaCtxResetPersistingL2Cache() { return accept("cudaCtxResetPersistingL2Cache"); }
cudaError_t cudaProfilerStart() { return accept("cudaProfilerStart"); }
cudaError_t cudaProfilerStop() { return accept("cudaProfilerStop"); }

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call("cudaGetDeviceFlags", Waits::no, [&](Session&) {
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call("cudaDeviceGetCacheConfig", Waits::no, [&](Session&) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call("cudaDeviceGetSharedMemConfig", Waits::no, [&](Session&) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", Waits::asks, [&](Session& s) {
    if (!s.has_gpu(device)) return unknown(s, device);
    *properties = properties_of(s.profile());
    properties->pciBusID += device;
    // As cuDeviceGetUuid has it.
    auto& id = properties->uuid.bytes;
    std::strncpy(id, ("gpulab " + s.profile().id).c_str(), sizeof id);
    id[sizeof id - 1] = static_cast<char>(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call("cudaDeviceGetAttribute", Waits::asks, [&](Session& s) {
    if (!s.has_gpu(device)) return unknown(s, device);
    if (attribute <= 0 || attribute >= cudaDevAttrMax) return cudaErrorInvalidValue;
    *value = attribute_of(properties_of(s.profile()), attribute).value_or(0);
    if (attribute == cudaDevAttrPciBusId) *value += device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call("cudaDeviceGetPCIBusId", Waits::no, [&](Session& s) {
    if (!s.has_gpu(device)) return unknown(s, device);
    const std::string id = fmt::format("0000:{:02x}:00.0", 1 + device);
    if (length <= static_cast<int>(id.size())) return cudaErrorInvalidValue;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call("cudaDeviceGetByPCIBusId", Waits::no, [&](Session& s) {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    for (int gpu = 0; gpu < s.gpus(); ++gpu) {
      char known[32];
      if (const auto e = cudaDeviceGetPCIBusId(known, sizeof known, gpu); e != cudaSuccess) return e;
      if (std::strcmp(text, known) != 0) continue;
      *device = gpu;
      return cudaSuccess;
    }
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", Waits::yes, [](Session& s) {
    if (const auto e = ends_capture(s); e != cudaSuccess) return e;
    s.wait_for_gpu(current_gpu());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  ++session.record.calls["cudaDeviceReset"].calls;
  (void)session.under_way.wait_for_all();
  session.print();
  const cudaError_t told = session.sticky(), error = session.surface();
  session.reset_device();
  last_error() = cudaSuccess;
  return told == cudaSuccess ? error : cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call("cudaDeviceSetLimit", Waits::no, [&](Session& s) {
    if (limit == cudaLimitStackSize) return s.limit_stack(value);
    if (!limits().contains(limit)) return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitPersistingL2CacheSize) return set_aside(s, value);
    limits()[limit] = value;
    constexpr std::size_t most_levels = 24;  // of nested grids
    if (limit == cudaLimitDevRuntimeSyncDepth)
      s.device().limit_sync_depth(static_cast<int>(std::min(value, most_levels)));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call("cudaDeviceGetLimit", Waits::no, [&](Session& s) {
    if (limit == cudaLimitStackSize) {
      *value = s.stack_limit();
      return cudaSuccess;
    }
    if (!limits().contains(limit)) return cudaErrorUnsupportedLimit;
    *value = limits()[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return call("cudaDriverGetVersion", Waits::asks, [&](Session&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call("cudaRuntimeGetVersion", Waits::asks, [&](Session&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

}  // extern "C"
