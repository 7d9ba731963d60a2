// Memory pools: one that cannot be told from another, for nothing that is freed is kept.

#include <cuda_runtime_api.h>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::uint64_t& threshold() {
  static std::uint64_t bytes = 0;
  return bytes;
}

[[gnu::always_inline]] inline cudaError_t give(const char* name, cudaMemPool_t* pool) {
  return call(name, Waits::no, [&](Session&) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = reinterpret_cast<cudaMemPool_t>(&threshold());
    return cudaSuccess;
  });
}

[[gnu::always_inline]] inline cudaError_t accept(const char* name) {
  return call(name, Waits::no, [](Session&) { return cudaSuccess; });
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) { return give("cudaDeviceGetDefaultMemPool", pool); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) { return give("cudaDeviceGetMemPool", pool); }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) { return give("cudaMemPoolCreate", pool); }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return accept("cudaMemPoolDestroy"); }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return accept("cudaMemPoolTrimTo"); }
/// Whose pool it is nobody keeps: who may reach memory of a pool may reach all.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc* asked, size_t count) {
  return call("cudaMemPoolSetAccess", Waits::no, [&](Session& s) {
    for (std::size_t i = 0; asked != nullptr && i < count; ++i) {
      const int gpu = asked[i].location.id;
      if (asked[i].location.type != cudaMemLocationTypeDevice || asked[i].flags == cudaMemAccessFlagsProtNone) continue;
      if (!s.has_gpu(gpu)) return s.because(cudaErrorInvalidDevice, no_device(gpu));
      const OnGpu on(gpu);
      for (int peer = 0; peer < s.gpus(); ++peer)
        if (peer != gpu) s.device().reach(peer, true);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return accept("cudaDeviceSetMemPool"); }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
  return call("cudaMemPoolSetAttribute", Waits::no, [&](Session&) {
    if (attribute == cudaMemPoolAttrReleaseThreshold) threshold() = *static_cast<std::uint64_t*>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
  return call("cudaMemPoolGetAttribute", Waits::no, [&](Session& s) {
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        *static_cast<std::uint64_t*>(value) = threshold();
        break;
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemCurrent:
      case cudaMemPoolAttrUsedMemHigh:
        *static_cast<std::uint64_t*>(value) = s.memory.used(current_gpu());
        break;
      default:
        *static_cast<int*>(value) = 1;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
