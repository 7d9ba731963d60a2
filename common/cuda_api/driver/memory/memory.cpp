// Memory: of the device, managed, of the host; what a pointer is of (CUDA Driver API: Memory Management, Unified
// Addressing).

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/contexts.h"
#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/memory/pointer_attributes.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Address 0 is no place; so is a size of 0, which the runtime lets pass.
template <typename Allocate>
[[gnu::always_inline]] inline CUresult allocate(const char* name, CUdeviceptr* address, std::size_t bytes,
                                                const Allocate& body) {
  return driver_call(
      name, Needs::context,
      [&](Session& s) {
        if (address == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the address"));
        if (bytes == 0) return s.because(cudaErrorInvalidValue, {"0 bytes were asked for", "allocate 1 byte at least"});
        void* pointer = nullptr;
        const cudaError_t error = body(&pointer);
        *address = address_of(pointer);
        return error;
      },
      bytes);
}

/// As CUDA 12 and before say it: a GPU, or CU_DEVICE_CPU.
cudaMemLocation location_of(CUdevice device) {
  return {device == CU_DEVICE_CPU ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device};
}
cudaMemLocation location_of(CUmemLocation location) {
  return {static_cast<cudaMemLocationType>(location.type), location.id};
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total) {
  return by_runtime("cuMemGetInfo", [&] { return cudaMemGetInfo(free_bytes, total); });
}

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  return allocate("cuMemAlloc", address, bytes, [&](void** pointer) { return cudaMalloc(pointer, bytes); });
}

CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned element) {
  return allocate("cuMemAllocPitch", address, width * height, [&](void** pointer) {
    if (pitch == nullptr || (element != 4 && element != 8 && element != 16)) return cudaErrorInvalidValue;
    return cudaMallocPitch(pointer, pitch, width, height);
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  return by_runtime("cuMemFree", [&] { return cudaFree(pointer_of(address)); });
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return by_runtime(
      "cuMemAllocHost", [&] { return cudaMallocHost(pointer, bytes); }, bytes);
}

CUresult cuMemFreeHost(void* pointer) {
  return by_runtime("cuMemFreeHost", [&] { return cudaFreeHost(pointer); });
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return by_runtime(
      "cuMemHostAlloc", [&] { return cudaHostAlloc(pointer, bytes, flags); }, bytes);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned flags) {
  return by_runtime("cuMemHostGetDevicePointer", [&] {
    void* pointer = nullptr;
    const auto error = cudaHostGetDevicePointer(&pointer, host, flags);
    if (error == cudaSuccess) *address = address_of(pointer);
    return error;
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
  return by_runtime("cuMemHostGetFlags", [&] { return cudaHostGetFlags(flags, host); });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return allocate("cuMemAllocManaged", address, bytes,
                  [&](void** pointer) { return cudaMallocManaged(pointer, bytes, flags); });
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return by_runtime("cuMemHostRegister", [&] { return cudaHostRegister(pointer, bytes, flags); });
}

CUresult cuMemHostUnregister(void* pointer) {
  return by_runtime("cuMemHostUnregister", [&] { return cudaHostUnregister(pointer); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return driver_call("cuMemGetAddressRange", Needs::context, [&](Session& s) {
    const MemoryEntry* entry = s.memory_at(address);
    if (entry == nullptr) return s.because(cudaErrorSymbolNotFound, not_of_device(s, "address", address));
    if (base != nullptr) *base = entry->address;
    if (bytes != nullptr) *bytes = entry->bytes;
    return cudaSuccess;
  });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return driver_call("cuPointerGetAttribute", Needs::driver, [&](Session& s) {
    const MemoryEntry* entry = s.memory_at(address);
    if (data == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the attribute"));
    if (entry == nullptr) return cudaErrorInvalidValue;  // programs ask so whether it is the device's
    return pointer_attribute(*entry, attribute, address, data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

/// Those of memory that is not ours are 0: a program asks so whose it is.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  return driver_call("cuPointerGetAttributes", Needs::driver, [&](Session& s) {
    if (attributes == nullptr || data == nullptr) return cudaErrorInvalidValue;
    const MemoryEntry* entry = s.memory_at(address);
    for (unsigned i = 0; i < count; ++i)
      if (entry == nullptr)
        no_pointer_attribute(attributes[i], data[i]);
      else if (!pointer_attribute(*entry, attributes[i], address, data[i]))
        return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

CUresult cuPointerSetAttribute(const void*, CUpointer_attribute attribute, CUdeviceptr address) {
  return driver_call("cuPointerSetAttribute", Needs::context, [&](Session& s) {
    const bool known = attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && s.memory.holding(address) != nullptr;
    return known ? cudaSuccess : cudaErrorInvalidValue;
  });
}

#if CUDA_VERSION >= 13000
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                            CUstream stream) {
  return by_runtime("cuMemPrefetchAsync", [&] {
    return cudaMemPrefetchAsync(pointer_of(address), bytes, location_of(location), flags, stream);
  });
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  return by_runtime("cuMemAdvise", [&] {
    return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice), location_of(location));
  });
}

// As CUDA 12 and before have them.
#undef cuMemPrefetchAsync
#undef cuMemAdvise
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return by_runtime("cuMemPrefetchAsync",
                    [&] { return cudaMemPrefetchAsync(pointer_of(address), bytes, location_of(device), 0, stream); });
}
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return by_runtime("cuMemAdvise", [&] {
    return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice), location_of(device));
  });
}
#endif

CUresult cuMemRangeGetAttribute(void* data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                                size_t bytes) {
  return by_runtime("cuMemRangeGetAttribute", [&] {
    return cudaMemRangeGetAttribute(data, size, static_cast<cudaMemRangeAttribute>(attribute), pointer_of(address),
                                    bytes);
  });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* sizes, CUmem_range_attribute* attributes, size_t count,
                                 CUdeviceptr address, size_t bytes) {
  return by_runtime("cuMemRangeGetAttributes", [&] {
    return cudaMemRangeGetAttributes(data, sizes, reinterpret_cast<cudaMemRangeAttribute*>(attributes), count,
                                     pointer_of(address), bytes);
  });
}

}  // extern "C"
