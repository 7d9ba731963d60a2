// Memory pools: what they count. Memory of a pool is as any other; what is freed is given back, and the pool's count of
// what it holds goes by its threshold, as a GPU's does.

#include "common/cuda_api/runtime/memory/pools.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace gpulab::cuda_api {

struct MemoryPool {
  int gpu = 0;
  MemoryEntry::Kind kind = MemoryEntry::Kind::device;
  bool own = false;  ///< the program has made it
  std::uint64_t threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  std::uint64_t waits = 0;            ///< of the program, when something was last freed
  std::array<int, 3> reuse{1, 1, 1};  ///< by cudaMemPoolAttr: what may be reused
  std::set<int> accessed_by{};        ///< other GPUs
  PoolSharing sharing{};
};

namespace {

/// What a pool takes from the GPU at a time (driver 580).
constexpr std::uint64_t kChunk = std::uint64_t{32} << 20;

std::uint64_t in_chunks(std::uint64_t bytes) { return (bytes + kChunk - 1) / kChunk * kChunk; }

struct Pools {
  std::vector<std::unique_ptr<MemoryPool>> all;
  std::unordered_map<int, MemoryPool*> first, current;  ///< by GPU
  std::map<std::pair<MemoryEntry::Kind, int>, MemoryPool*> other_first,
      other_current;                                                               ///< of managed memory, the host's
  std::unordered_map<std::uint64_t, std::pair<MemoryPool*, std::uint64_t>> taken;  ///< by address: whose, bytes
};
Pools& pools() {
  static auto& all = *new Pools;
  return all;
}

MemoryPool* make_pool(int gpu, bool own) {
  pools().all.push_back(std::make_unique<MemoryPool>());
  MemoryPool& made = *pools().all.back();
  made.gpu = gpu;
  made.own = own;
  return &made;
}

/// Of the GPU's own memory, of managed memory, or of the host's; nothing where there are no pools of that.
std::optional<MemoryEntry::Kind> kind_of(cudaMemAllocationType type, cudaMemLocationType place) {
  const bool of_host = place == cudaMemLocationTypeHost || place == cudaMemLocationTypeHostNuma ||
                       place == cudaMemLocationTypeHostNumaCurrent;
#if CUDART_VERSION >= 13000
  if (type == cudaMemAllocationTypeManaged) return MemoryEntry::Kind::managed;
#endif
  if (type != cudaMemAllocationTypePinned) return std::nullopt;
  if (of_host) return MemoryEntry::Kind::pinned;
  return place == cudaMemLocationTypeDevice ? std::optional(MemoryEntry::Kind::device) : std::nullopt;
}

bool may_reach(const MemoryPool& pool, const cudaMemLocation& who) {
  if (pool.kind == MemoryEntry::Kind::managed) return true;
  if (who.type != cudaMemLocationTypeDevice) return pool.kind == MemoryEntry::Kind::pinned;
  return pool.accessed_by.contains(who.id) || (pool.kind == MemoryEntry::Kind::device && who.id == pool.gpu);
}

/// What was freed is given back when the program next waits, but for what the threshold keeps.
void settle(const Session& session, MemoryPool& pool) {
  if (session.waits > pool.waits)
    pool.reserved = std::min(pool.reserved, std::max(in_chunks(pool.used), in_chunks(pool.threshold)));
}

cudaMemPool_t handle_of(MemoryPool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

/// `body` with a pool that there is.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t with_pool(const char* name, cudaMemPool_t handle, const Body& body) {
  return call(name, Waits::no, [&](Session& s) {
    MemoryPool* pool = pool_of(handle);
    if (pool == nullptr) return s.because(cudaErrorInvalidValue, {"no memory pool"});
    return body(s, *pool);
  });
}

[[gnu::always_inline]] inline cudaError_t give(const char* name, cudaMemPool_t* pool, int gpu, bool first) {
  return call(name, Waits::no, [&](Session& s) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!s.has_gpu(gpu)) return s.because(cudaErrorInvalidDevice, no_device(gpu));
    *pool = handle_of(first ? &first_pool(gpu) : &current_pool(gpu));
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
/// Pools of the host are one for all; of managed memory one for each place.
std::pair<MemoryEntry::Kind, int> place_of(MemoryEntry::Kind kind, const cudaMemLocation& location) {
  return {kind, kind == MemoryEntry::Kind::managed && location.type == cudaMemLocationTypeDevice ? location.id : -1};
}

[[gnu::always_inline]] inline cudaError_t give_of_place(const char* name, cudaMemPool_t* pool,
                                                        const cudaMemLocation* location, cudaMemAllocationType type,
                                                        bool first) {
  return call(name, Waits::no, [&](Session& s) {
    if (pool == nullptr || location == nullptr) return s.because(cudaErrorInvalidValue, null_argument("argument"));
    const auto kind = kind_of(type, location->type);
    if (!kind) return s.because(cudaErrorInvalidValue, no_such_pools());
    const bool of_device = location->type == cudaMemLocationTypeDevice;
    if (of_device && !s.has_gpu(location->id)) return s.because(cudaErrorInvalidDevice, no_device(location->id));
    if (*kind == MemoryEntry::Kind::device) {
      *pool = handle_of(first ? &first_pool(location->id) : &current_pool(location->id));
      return cudaSuccess;
    }
    const auto place = place_of(*kind, *location);
    const auto set = pools().other_current.find(place);
    MemoryPool*& own = pools().other_first[place];
    if (own == nullptr) {
      own = make_pool(of_device ? location->id : 0, false);
      own->kind = *kind;
    }
    *pool = handle_of(first || set == pools().other_current.end() ? own : set->second);
    return cudaSuccess;
  });
}
#endif

}  // namespace

MemoryPool& first_pool(int gpu) {
  MemoryPool*& pool = pools().first[gpu];
  if (pool == nullptr) pool = make_pool(gpu, false);
  return *pool;
}

MemoryPool& current_pool(int gpu) {
  const auto known = pools().current.find(gpu);
  return known == pools().current.end() ? first_pool(gpu) : *known->second;
}

MemoryPool* pool_of(cudaMemPool_t handle) {
  const auto found = std::ranges::find_if(pools().all, [&](const auto& one) { return handle_of(one.get()) == handle; });
  return found == pools().all.end() ? nullptr : found->get();
}

int gpu_of(const MemoryPool& pool) { return pool.gpu; }

MemoryEntry::Kind kind_of(const MemoryPool& pool) { return pool.kind; }

PoolSharing& sharing_of(MemoryPool& pool) { return pool.sharing; }

cudaMemPool_t import_pool(int gpu, const SharedName& name) {
  MemoryPool* const pool = make_pool(gpu, true);
  pool->sharing = {.imported = true, .name = name};
  return handle_of(pool);
}

MemoryPool* pool_of_memory(std::uint64_t address) {
  const auto found = pools().taken.find(address);
  return found == pools().taken.end() ? nullptr : found->second.first;
}

void taken_from(const Session& session, MemoryPool& pool, std::uint64_t address, std::uint64_t bytes) {
  settle(session, pool);
  bytes = (bytes + 511) / 512 * 512;  // as a pool rounds
  pools().taken[address] = {&pool, bytes};
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, in_chunks(pool.used));
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

void given_back(const Session& session, std::uint64_t address) {
  const auto found = pools().taken.find(address);
  if (found == pools().taken.end()) return;
  MemoryPool& pool = *found->second.first;
  pool.used -= found->second.second;
  pool.waits = session.waits;
  pools().taken.erase(found);
}

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int gpu) {
  return give("cudaDeviceGetDefaultMemPool", pool, gpu, true);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int gpu) {
  return give("cudaDeviceGetMemPool", pool, gpu, false);
}

cudaError_t cudaDeviceSetMemPool(int gpu, cudaMemPool_t handle) {
  return with_pool("cudaDeviceSetMemPool", handle, [&](Session& s, MemoryPool& pool) {
    if (!s.has_gpu(gpu)) return s.because(cudaErrorInvalidDevice, no_device(gpu));
    if (pool.gpu != gpu || pool.kind != MemoryEntry::Kind::device) return cudaErrorInvalidValue;
    if (pool.sharing.imported) return s.because(cudaErrorInvalidValue, pool_of_another());
    pools().current[gpu] = &pool;
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return give_of_place("cudaMemGetDefaultMemPool", pool, location, type, true);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return give_of_place("cudaMemGetMemPool", pool, location, type, false);
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t handle) {
  return with_pool("cudaMemSetMemPool", handle, [&](Session& s, MemoryPool& pool) {
    if (location == nullptr) return s.because(cudaErrorInvalidValue, null_argument("location"));
    if (kind_of(type, location->type) != pool.kind) return s.because(cudaErrorInvalidValue, no_such_pools());
    if (pool.kind == MemoryEntry::Kind::device) return cudaDeviceSetMemPool(location->id, handle);
    pools().other_current[place_of(pool.kind, *location)] = &pool;
    return cudaSuccess;
  });
}
#endif

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* asked) {
  return call("cudaMemPoolCreate", Waits::no, [&](Session& s) {
    if (pool == nullptr || asked == nullptr) return cudaErrorInvalidValue;
    const auto kind = kind_of(asked->allocType, asked->location.type);
    if (!kind) return s.because(cudaErrorInvalidValue, no_such_pools());
    const bool of_device = asked->location.type == cudaMemLocationTypeDevice;
    if (of_device && !s.has_gpu(asked->location.id)) return cudaErrorInvalidValue;
    if ((asked->handleTypes & ~cudaMemHandleTypePosixFileDescriptor) != 0)
      return s.because(cudaErrorNotSupported, other_pool_handles());
    MemoryPool* const made = make_pool(of_device ? asked->location.id : 0, true);
    made->kind = *kind;
    made->sharing.allowed = asked->handleTypes != cudaMemHandleTypeNone;
    *pool = handle_of(made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return with_pool("cudaMemPoolDestroy", handle, [](Session&, MemoryPool& pool) {
    if (!pool.own) return cudaErrorInvalidValue;
    std::erase_if(pools().current, [&](const auto& one) { return one.second == &pool; });
    std::erase_if(pools().other_current, [&](const auto& one) { return one.second == &pool; });
    // What was taken from it stays the program's until it is freed, and counts nowhere.
    std::erase_if(pools().taken, [&](const auto& one) { return one.second.first == &pool; });
    std::erase_if(pools().all, [&](const auto& one) { return one.get() == &pool; });
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  return with_pool("cudaMemPoolTrimTo", handle, [&](Session&, MemoryPool& pool) {
    pool.reserved = std::max(in_chunks(pool.used), std::min(pool.reserved, in_chunks(keep)));
    return cudaSuccess;
  });
}

/// Who may reach memory of a pool may reach all of the GPU's.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* asked, size_t count) {
  return with_pool("cudaMemPoolSetAccess", handle, [&](Session& s, MemoryPool& pool) {
    for (std::size_t i = 0; asked != nullptr && i < count; ++i) {
      const int gpu = asked[i].location.id;
      if (asked[i].location.type != cudaMemLocationTypeDevice) continue;
      if (!s.has_gpu(gpu)) return s.because(cudaErrorInvalidDevice, no_device(gpu));
      if (asked[i].flags == cudaMemAccessFlagsProtNone) {
        if (gpu == pool.gpu && pool.kind == MemoryEntry::Kind::device) return cudaErrorInvalidValue;
        pool.accessed_by.erase(gpu);
        continue;
      }
      pool.accessed_by.insert(gpu);
      const OnGpu on(gpu);
      for (int peer = 0; peer < s.gpus(); ++peer)
        if (peer != gpu) s.device().reach(peer, true);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
  return with_pool("cudaMemPoolGetAccess", handle, [&](Session&, MemoryPool& pool) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    *flags = may_reach(pool, *location) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool("cudaMemPoolSetAttribute", handle, [&](Session&, MemoryPool& pool) {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        pool.reuse.at(static_cast<std::size_t>(attribute) - 1) = *static_cast<int*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        pool.threshold = *static_cast<std::uint64_t*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        (attribute == cudaMemPoolAttrUsedMemHigh ? pool.used_high : pool.reserved_high) =
            attribute == cudaMemPoolAttrUsedMemHigh ? pool.used : pool.reserved;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool("cudaMemPoolGetAttribute", handle, [&](Session& s, MemoryPool& pool) {
    if (value == nullptr) return cudaErrorInvalidValue;
    settle(s, pool);
    auto& bytes = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = pool.reuse.at(static_cast<std::size_t>(attribute) - 1);
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        bytes = pool.threshold;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemCurrent:
        bytes = pool.reserved;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
        bytes = pool.reserved_high;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemCurrent:
        bytes = pool.used;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
        bytes = pool.used_high;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

}  // extern "C"
