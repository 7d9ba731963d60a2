// What programs advise of managed memory, and ask of it again (CUDA Runtime API: cudaMemAdvise, cudaMemPrefetchAsync,
// cudaMemRangeGetAttribute). It changes neither values nor modelled times here: a GPU would move pages sooner.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Of all bytes of a part of memory.
struct Advice {
  bool read_mostly = false;
  int preferred = cudaInvalidDeviceId, prefetched = cudaInvalidDeviceId;
  std::set<int> accessed_by{};
};

/// By where a part begins: it ends where the next begins.
std::map<std::uint64_t, Advice>& parts() {
  static auto& all = *new std::map<std::uint64_t, Advice>{{0, {}}};
  return all;
}

/// A part begins there.
void split(std::uint64_t address) {
  const auto holding = std::prev(parts().upper_bound(address));
  if (holding->first != address) parts().emplace_hint(std::next(holding), address, holding->second);
}

/// `body` with the advice of each part of the range.
template <typename Body>
void each(std::uint64_t address, std::size_t bytes, const Body& body) {
  split(address);
  split(address + bytes);
  const auto end = parts().find(address + bytes);
  for (auto part = parts().find(address); part != end; ++part) body(part->second);
}

/// Its pages begin and end with the allocation at the latest.
[[gnu::always_inline]] inline cudaError_t with_managed(Session& s, const void* pointer, std::size_t bytes,
                                                       const std::function<cudaError_t(const MemoryEntry&)>& body) {
  const MemoryEntry* entry = s.memory.holding(number(pointer));
  if (entry == nullptr || entry->kind != MemoryEntry::Kind::managed)
    return s.because(cudaErrorInvalidValue, not_managed(s, number(pointer)));
  const std::size_t there = entry->address + entry->bytes - number(pointer);
  if (bytes > there) return s.because(cudaErrorInvalidValue, beyond_allocation("range", *entry, bytes, there));
  return body(*entry);
}

/// `device`: a GPU, or cudaCpuDeviceId.
[[gnu::always_inline]] inline cudaError_t prefetch(const char* name, const void* pointer, std::size_t bytes,
                                                   int device) {
  return call(name, Waits::no, [&](Session& s) {
    if (device != cudaCpuDeviceId && !s.has_gpu(device)) return s.because(cudaErrorInvalidDevice, no_device(device));
    return with_managed(s, pointer, bytes, [&](const MemoryEntry&) {
      each(number(pointer), bytes, [&](Advice& part) { part.prefetched = device; });
      return cudaSuccess;
    });
  });
}

[[gnu::always_inline]] inline cudaError_t advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                                                 int device) {
  return call("cudaMemAdvise", Waits::no, [&](Session& s) {
    const bool needs_device =
        advice >= cudaMemAdviseSetPreferredLocation && advice != cudaMemAdviseUnsetPreferredLocation;
    if (needs_device && device != cudaCpuDeviceId && !s.has_gpu(device))
      return s.because(cudaErrorInvalidDevice, no_device(device));
    return with_managed(s, pointer, bytes, [&](const MemoryEntry&) {
      each(number(pointer), bytes, [&](Advice& part) {
        if (advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly)
          part.read_mostly = advice == cudaMemAdviseSetReadMostly;
        if (advice == cudaMemAdviseSetPreferredLocation) part.preferred = device;
        if (advice == cudaMemAdviseUnsetPreferredLocation) part.preferred = cudaInvalidDeviceId;
        if (advice == cudaMemAdviseSetAccessedBy) part.accessed_by.insert(device);
        if (advice == cudaMemAdviseUnsetAccessedBy) part.accessed_by.erase(device);
      });
      return cudaSuccess;
    });
  });
}

/// What holds for all of the range: where parts differ, nothing does.
Advice common_advice(std::uint64_t address, std::size_t bytes) {
  std::optional<Advice> all;
  each(address, bytes, [&](const Advice& part) {
    if (!all) {
      all = part;
      return;
    }
    all->read_mostly &= part.read_mostly;
    if (all->preferred != part.preferred) all->preferred = cudaInvalidDeviceId;
    if (all->prefetched != part.prefetched) all->prefetched = cudaInvalidDeviceId;
    std::erase_if(all->accessed_by, [&](int device) { return !part.accessed_by.contains(device); });
  });
  return all.value_or(Advice{});
}

#if CUDART_VERSION >= 12000
int location_type(int device) {
  return device == cudaInvalidDeviceId ? cudaMemLocationTypeInvalid
         : device == cudaCpuDeviceId   ? cudaMemLocationTypeHost
                                       : cudaMemLocationTypeDevice;
}
#endif

cudaError_t tell(const Advice& all, cudaMemRangeAttribute attribute, void* data, std::size_t bytes) {
  if (data == nullptr || bytes == 0 || bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
  auto* const numbers = static_cast<int*>(data);
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    const std::size_t room = bytes / sizeof(int);
    std::fill_n(numbers, room, cudaInvalidDeviceId);
    std::copy_n(all.accessed_by.begin(), std::min(room, all.accessed_by.size()), numbers);
    return cudaSuccess;
  }
  if (bytes != sizeof(int)) return cudaErrorInvalidValue;
  switch (static_cast<int>(attribute)) {
    case cudaMemRangeAttributeReadMostly:
      *numbers = all.read_mostly ? 1 : 0;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
      *numbers = all.preferred;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
      *numbers = all.prefetched;
      return cudaSuccess;
#if CUDART_VERSION >= 12000
    case 5:  // …PreferredLocationType, and its id
      *numbers = location_type(all.preferred);
      return cudaSuccess;
    case 6:
      *numbers = std::max(all.preferred, 0);
      return cudaSuccess;
    case 7:  // …LastPrefetchLocationType, and its id
      *numbers = location_type(all.prefetched);
      return cudaSuccess;
    case 8:
      *numbers = std::max(all.prefetched, 0);
      return cudaSuccess;
#endif
    default:
      return cudaErrorInvalidValue;
  }
}

#if CUDART_VERSION >= 13000
int device_of(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}
#endif

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned, cudaStream_t) {
  return prefetch("cudaMemPrefetchAsync", pointer, bytes, device_of(location));
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
  return advise(pointer, bytes, advice, device_of(location));
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count, cudaMemLocation* locations,
                                      size_t* first, size_t groups, unsigned long long, cudaStream_t) {
  if (pointers == nullptr || sizes == nullptr || locations == nullptr || first == nullptr || groups == 0)
    return cudaErrorInvalidValue;
  std::size_t group = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (group + 1 < groups && first[group + 1] <= i) ++group;
    const auto error = prefetch("cudaMemPrefetchBatchAsync", pointers[i], sizes[i], device_of(locations[group]));
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// What they held may be lost: it is not.
cudaError_t cudaMemDiscardBatchAsync(void** pointers, size_t* sizes, size_t count, unsigned long long, cudaStream_t) {
  return call("cudaMemDiscardBatchAsync", Waits::no, [&](Session& s) {
    if (pointers == nullptr || sizes == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (const auto e = with_managed(s, pointers[i], sizes[i], [](const MemoryEntry&) { return cudaSuccess; });
          e != cudaSuccess)
        return e;
    return cudaSuccess;
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                                cudaMemLocation* locations, size_t* first, size_t groups,
                                                unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(pointers, sizes, count, locations, first, groups, flags, stream);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t) {
  return prefetch("cudaMemPrefetchAsync", pointer, bytes, device);
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return advise(pointer, bytes, advice, device);
}
#endif

cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute attribute, const void* pointer,
                                     size_t bytes) {
  return call("cudaMemRangeGetAttribute", Waits::no, [&](Session& s) {
    if (bytes == 0) return cudaErrorInvalidValue;
    return with_managed(s, pointer, bytes, [&](const MemoryEntry&) {
      return tell(common_advice(number(pointer), bytes), attribute, data, size);
    });
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* sizes, cudaMemRangeAttribute* attributes, size_t count,
                                      const void* pointer, size_t bytes) {
  return call("cudaMemRangeGetAttributes", Waits::no, [&](Session& s) {
    if (data == nullptr || sizes == nullptr || attributes == nullptr) return cudaErrorInvalidValue;
    return with_managed(s, pointer, bytes, [&](const MemoryEntry&) {
      const Advice all = common_advice(number(pointer), bytes);
      for (std::size_t i = 0; i < count; ++i)
        if (const auto e = tell(all, attributes[i], data[i], sizes[i]); e != cudaSuccess) return e;
      return cudaSuccess;
    });
  });
}

}  // extern "C"
