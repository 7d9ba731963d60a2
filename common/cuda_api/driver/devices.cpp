// Initialization, versions and the device (CUDA Driver API: Device Management).

#include <cuda_runtime_api.h>

#include <cstring>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Does what a function of the runtime's does, which needs no context.
template <typename Body>
[[gnu::always_inline]] inline CUresult of_device(const char* name, const Body& body) {
  return driver_call(name, Needs::driver, [&](Session&) { return body(); });
}

/// `body` with a device that there is.
template <typename Body>
[[gnu::always_inline]] inline CUresult with_device(const char* name, CUdevice device, const Body& body) {
  return driver_call(name, Needs::driver, [&](Session& s) {
    if (s.has_gpu(device)) return body(s);
    if (device > 0) s.asks_for_gpu(device);
    return s.because(cudaErrorInvalidDevice, no_device(device));
  });
}

/// What the runtime has no attribute for. Those that are not here are 0: what they ask for is not there.
std::optional<int> attribute_of_driver(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER:
    case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
      return 1;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
      return 2;
    default:
      return std::nullopt;
  }
}

}  // namespace

extern "C" {

CUresult cuDriverGetVersion(int* version) {
  return driver_call("cuDriverGetVersion", Needs::nothing, [&](Session&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = CUDA_VERSION;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return of_device("cuDeviceGetCount", [&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGet(CUdevice* device, int number) {
  return with_device("cuDeviceGet", number, [&](Session&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = number;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return with_device("cuDeviceGetName", device, [&](Session& s) {
    if (name == nullptr || length <= 0) return cudaErrorInvalidValue;
    std::memset(name, 0, static_cast<std::size_t>(length));
    std::strncpy(name, s.profile().name.c_str(), static_cast<std::size_t>(length) - 1);
    return cudaSuccess;
  });
}

/// The same for each run: of the profile's name.
CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device) {
  return with_device("cuDeviceGetUuid", device, [&](Session& s) {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = {};
    std::strncpy(id->bytes, ("gpulab " + s.profile().id).c_str(), sizeof id->bytes);
    id->bytes[sizeof id->bytes - 1] = static_cast<char>(device);
    return cudaSuccess;
  });
}

#if CUDA_VERSION < 13000
CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device) { return cuDeviceGetUuid(id, device); }
#endif

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return with_device("cuDeviceTotalMem", device, [&](Session& s) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    *bytes = s.profile().memory_bytes;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return with_device("cuDeviceGetAttribute", device, [&](Session&) {
    if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
    const auto own = attribute_of_driver(attribute);
    if (own) *value = *own;
    return own ? cudaSuccess : cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return with_device("cuDeviceComputeCapability", device, [&](Session& s) {
    *major = s.profile().compute_major;
    *minor = s.profile().compute_minor;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return with_device("cuDeviceGetProperties", device, [&](Session&) {
    cudaDeviceProp all;
    if (const auto e = cudaGetDeviceProperties(&all, device); e != cudaSuccess) return e;
    *properties = {};
    properties->maxThreadsPerBlock = all.maxThreadsPerBlock;
    for (int i = 0; i < 3; ++i) {
      properties->maxThreadsDim[i] = all.maxThreadsDim[i];
      properties->maxGridSize[i] = all.maxGridSize[i];
    }
    properties->sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(all.totalConstMem);
    properties->SIMDWidth = all.warpSize;
    properties->memPitch = static_cast<int>(all.memPitch);
    properties->regsPerBlock = all.regsPerBlock;
    properties->textureAlign = static_cast<int>(all.textureAlignment);
    return cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return of_device("cuDeviceGetPCIBusId", [&] { return cudaDeviceGetPCIBusId(text, length, device); });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return driver_call("cuDeviceGetByPCIBusId", Needs::driver, [&](Session& s) {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    for (int gpu = 0; gpu < s.gpus(); ++gpu) {
      char known[32];
      if (const auto e = cudaDeviceGetPCIBusId(known, sizeof known, gpu); e != cudaSuccess) return e;
      *device = gpu;
      if (std::strcmp(text, known) == 0) return cudaSuccess;
    }
    return cudaErrorInvalidDevice;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return of_device("cuDeviceCanAccessPeer", [&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer) {
  return of_device("cuDeviceGetP2PAttribute", [&] {
    return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), device, peer);
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* texels, CUarray_format, unsigned, CUdevice device) {
  return with_device("cuDeviceGetTexture1DLinearMaxWidth", device, [&](Session&) {
    constexpr std::size_t most = std::size_t{1} << 28;
    *texels = most;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType, CUdevice device) {
  return with_device("cuDeviceGetExecAffinitySupport", device, [&](Session&) {
    *supported = 0;
    return cudaSuccess;
  });
}

CUresult cuProfilerStart() {
  return driver_call("cuProfilerStart", Needs::nothing, [](Session&) { return cudaSuccess; });
}
CUresult cuProfilerStop() {
  return driver_call("cuProfilerStop", Needs::nothing, [](Session&) { return cudaSuccess; });
}

}  // extern "C"
