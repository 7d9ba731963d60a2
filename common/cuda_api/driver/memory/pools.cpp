// Memory in the order of streams, and pools (CUDA Driver API: Stream Ordered Memory Allocator).

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// `body` with the location in the runtime's words.
template <typename Body>
[[gnu::always_inline]] inline CUresult of_place(const char* name, const CUmemLocation* location, const Body& body) {
  return driver_call(name, Needs::driver, [&](Session&) {
    if (location == nullptr) return body(nullptr);
    cudaMemLocation place{static_cast<cudaMemLocationType>(location->type), location->id};
    return body(&place);
  });
}

}  // namespace

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return driver_call(
      "cuMemAllocAsync", Needs::context,
      [&](Session& s) {
        if (address == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the address"));
        void* pointer = nullptr;
        const auto error = cudaMallocAsync(&pointer, bytes, stream);
        *address = address_of(pointer);
        return error;
      },
      bytes);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return driver_call(
      "cuMemAllocFromPoolAsync", Needs::context,
      [&](Session& s) {
        if (address == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the address"));
        void* pointer = nullptr;
        const auto error = cudaMallocFromPoolAsync(&pointer, bytes, pool, stream);
        *address = address_of(pointer);
        return error;
      },
      bytes);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return by_runtime("cuMemFreeAsync", [&] { return cudaFreeAsync(pointer_of(address), stream); });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return driver_call("cuDeviceGetDefaultMemPool", Needs::driver,
                     [&](Session&) { return cudaDeviceGetDefaultMemPool(pool, device); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return driver_call("cuDeviceGetMemPool", Needs::driver, [&](Session&) { return cudaDeviceGetMemPool(pool, device); });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return driver_call("cuDeviceSetMemPool", Needs::driver, [&](Session&) { return cudaDeviceSetMemPool(device, pool); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* asked) {
  return driver_call("cuMemPoolCreate", Needs::driver, [&](Session&) {
    cudaMemPoolProps wanted{};
    if (asked != nullptr)
      wanted.location = {static_cast<cudaMemLocationType>(asked->location.type), asked->location.id};
    if (asked != nullptr) wanted.allocType = static_cast<cudaMemAllocationType>(asked->allocType);
    if (asked != nullptr) wanted.handleTypes = static_cast<cudaMemAllocationHandleType>(asked->handleTypes);
    return cudaMemPoolCreate(pool, asked == nullptr ? nullptr : &wanted);
  });
}

#if CUDA_VERSION >= 13000
CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return of_place("cuMemGetDefaultMemPool", location, [&](cudaMemLocation* place) {
    return cudaMemGetDefaultMemPool(pool, place, static_cast<cudaMemAllocationType>(type));
  });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return of_place("cuMemGetMemPool", location, [&](cudaMemLocation* place) {
    return cudaMemGetMemPool(pool, place, static_cast<cudaMemAllocationType>(type));
  });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return of_place("cuMemSetMemPool", location, [&](cudaMemLocation* place) {
    return cudaMemSetMemPool(place, static_cast<cudaMemAllocationType>(type), pool);
  });
}
#endif

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return driver_call("cuMemPoolDestroy", Needs::driver, [&](Session&) { return cudaMemPoolDestroy(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return driver_call("cuMemPoolTrimTo", Needs::driver, [&](Session&) { return cudaMemPoolTrimTo(pool, bytes); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return driver_call("cuMemPoolSetAttribute", Needs::driver, [&](Session&) {
    return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return driver_call("cuMemPoolGetAttribute", Needs::driver, [&](Session&) {
    return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* asked, size_t count) {
  static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));  // both say the same
  return driver_call("cuMemPoolSetAccess", Needs::driver, [&](Session&) {
    return cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(asked), count);
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return driver_call("cuMemPoolGetAccess", Needs::driver, [&](Session&) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    cudaMemLocation place{static_cast<cudaMemLocationType>(location->type), location->id};
    cudaMemAccessFlags told{};
    const auto error = cudaMemPoolGetAccess(&told, pool, &place);
    if (error == cudaSuccess) *flags = static_cast<CUmemAccess_flags>(told);
    return error;
  });
}

}  // extern "C"
