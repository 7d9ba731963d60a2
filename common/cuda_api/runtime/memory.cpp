// Memory: of the device, managed, of the host.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/graphs/graph_memory.h"
#include "common/cuda_api/runtime/graphs/graphs.h"
#include "common/cuda_api/runtime/memory/pools.h"
#include "common/cuda_api/runtime/processes/shared_memory.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"
#include "common/error.h"
#include "common/host_memory.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

using Kind = MemoryEntry::Kind;

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the device are numbers for the host
void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// Counts calls of a kind for the names of what they return.
std::string next_name(const char* function) {
  Session& session = Session::instance();
  function = session.name_of(function);
  return fmt::format("{} #{}", function, session.record.calls[function].calls);
}

cudaError_t allocate(Session& session, void** pointer, std::size_t bytes, Kind kind, unsigned flags,
                     const char* function, void* caller) {
  if (pointer == nullptr) return session.because(cudaErrorInvalidValue, null_argument("place for the pointer"));
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const bool of_device = kind == Kind::device || kind == Kind::managed;
  if (of_device && bytes > session.profile().memory_bytes -
                               std::min(session.memory.used(current_gpu()), session.profile().memory_bytes))
    return session.because(cudaErrorMemoryAllocation, too_large(session, session.name_of(function), bytes));
  const std::string name = next_name(function);
  const DevicePointer address =
      kind == Kind::device ? session.device().allocate(name, bytes) : session.device().allocate_shared(name, bytes);
  session.memory.add({.kind = kind,
                      .address = address,
                      .bytes = bytes,
                      .flags = flags,
                      .name = name,
                      .caller = Session::place_in_program(session.caller_of(caller)),
                      .gpu = current_gpu(),
                      .context = session.context});
  *pointer = pointer_to(address);
  return cudaSuccess;
}

/// `waits`: for all that was queued, as cudaFree does.
cudaError_t release(Session& session, const void* pointer, bool of_host, void* caller) {
  if (pointer == nullptr) return cudaSuccess;
  const MemoryEntry* entry = session.memory.at(number(pointer));
  const bool of_pool = entry != nullptr && pool_of_memory(entry->address) != nullptr;
  const bool fits = entry != nullptr && !entry->variable &&
                    (of_host ? entry->kind == Kind::pinned && !of_pool : entry->kind <= Kind::managed || of_pool);
  if (!fits) return session.because(cudaErrorInvalidValue, not_to_free(session, number(pointer), of_host));
  session.managed.forget();
  if (entry->of_graph) {
    free_of_graph(session, entry->address, caller);
    return cudaSuccess;
  }
  given_back(session, entry->address);
  session.device().release(entry->address);
  session.writing.forget(entry->address);
  session.partial_copies.forget(entry->address);
  session.memory.remove(entry->address, Session::place_in_program(session.caller_of(caller)));
  forget_shared(session, number(pointer));
  return cudaSuccess;
}

std::size_t pitch_of(std::size_t width) { return (width + 511) / 512 * 512; }

/// Work of a stream. Of a captured one it is the graph's, and no pool's.
cudaError_t allocate_from(Session& s, void** pointer, std::size_t bytes, MemoryPool& pool, cudaStream_t stream,
                          void* caller) {
  const OnGpu on(gpu_of(pool));
  if (!s.captures(stream)) {
    const cudaError_t error = allocate(s, pointer, bytes, kind_of(pool), 0, "cudaMallocAsync", caller);
    const MemoryEntry* entry = error == cudaSuccess ? s.memory.at(number(*pointer)) : nullptr;
    if (entry == nullptr) return error;
    s.streams.allocation(s, Operation::Kind::allocation, s.name_of("cudaMallocAsync"), *entry, stream,
                         s.caller_of(caller));
    taken_from(s, pool, entry->address, bytes);
    return error;
  }
  Work work;
  const cudaError_t error = reserve_for_graph(s, pointer, bytes, "cudaMallocAsync", caller, work);
  if (error == cudaSuccess) s.capture(stream, std::move(work), cudaGraphNodeTypeMemAlloc);
  return error;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMalloc", Waits::no,
      [&](Session& s) {
        if (const auto e = ends_capture(s); e != cudaSuccess) return e;
        return allocate(s, pointer, bytes, Kind::device, 0, "cudaMalloc", caller);
      },
      bytes);
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMallocAsync", Waits::no,
      [&](Session& s) {
        if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
        return allocate_from(s, pointer, bytes, current_pool(gpu_of_stream(stream_number(stream))), stream, caller);
      },
      bytes);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t handle, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMallocAsync", Waits::no,
      [&](Session& s) {
        if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
        MemoryPool* pool = pool_of(handle);
        if (pool == nullptr) return s.because(cudaErrorInvalidValue, {"no memory pool"});
        if (sharing_of(*pool).imported) return s.because(cudaErrorInvalidValue, pool_of_another());
        return allocate_from(s, pointer, bytes, *pool, stream, caller);
      },
      bytes);
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMallocManaged", Waits::no,
      [&](Session& s) { return allocate(s, pointer, bytes, Kind::managed, flags, "cudaMallocManaged", caller); },
      bytes);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMallocHost", Waits::no,
      [&](Session& s) { return allocate(s, pointer, bytes, Kind::pinned, 0, "cudaMallocHost", caller); }, bytes);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaHostAlloc", Waits::no,
      [&](Session& s) { return allocate(s, pointer, bytes, Kind::pinned, flags, "cudaHostAlloc", caller); }, bytes);
}

cudaError_t cudaFree(void* pointer) {
  void* const caller = __builtin_return_address(0);
  return call("cudaFree", Waits::yes, [&](Session& s) {
    s.streams.synchronised();
    return release(s, pointer, false, caller);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaFreeAsync", Waits::no, [&](Session& s) {
    if (s.captures(stream)) {
      s.capture(stream, freeing(pointer, caller), cudaGraphNodeTypeMemFree);
      return cudaSuccess;
    }
    if (s.under_way.later_than_all(
            stream, [=](Session& later, cudaStream_t) { return release(later, pointer, false, caller); }))
      return cudaSuccess;
    if (const MemoryEntry* entry = s.memory.at(number(pointer)))
      s.streams.allocation(s, Operation::Kind::free, s.name_of("cudaFreeAsync"), *entry, stream, s.caller_of(caller));
    return release(s, pointer, false, caller);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  void* const caller = __builtin_return_address(0);
  return call("cudaFreeHost", Waits::yes, [&](Session& s) {
    s.streams.synchronised();
    return release(s, pointer, true, caller);
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return call("cudaHostRegister", Waits::no, [&](Session& s) {
    if (pointer == nullptr) return s.because(cudaErrorInvalidValue, null_argument("memory to register"));
    if (bytes == 0) return s.because(cudaErrorInvalidValue, {"0 bytes were to be registered"});
    try {
      s.device().adopt(next_name("cudaHostRegister"), {static_cast<std::byte*>(pointer), bytes});
    } catch (const std::invalid_argument&) {
      return s.because(cudaErrorHostMemoryAlreadyRegistered, registered_before(s, number(pointer), bytes));
    }
    s.memory.add({.kind = Kind::registered,
                  .address = number(pointer),
                  .bytes = bytes,
                  .flags = flags,
                  .name = next_name("cudaHostRegister"),
                  .caller = Session::place_in_program(s.caller_of(caller)),
                  .gpu = current_gpu()});
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call("cudaHostUnregister", Waits::yes, [&](Session& s) {
    const MemoryEntry* entry = s.memory.at(number(pointer));
    if (entry == nullptr || entry->kind != Kind::registered)
      return s.because(cudaErrorHostMemoryNotRegistered, not_registered(s, number(pointer)));
    s.streams.synchronised();
    s.device().release(entry->address);
    s.memory.remove(entry->address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call("cudaHostGetDevicePointer", Waits::no, [&](Session& s) {
    const MemoryEntry* entry = s.memory.holding(number(host));
    if (entry == nullptr || entry->kind < Kind::pinned) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call("cudaHostGetFlags", Waits::no, [&](Session& s) {
    const MemoryEntry* entry = s.memory.holding(number(host));
    if (entry == nullptr || entry->kind < Kind::pinned) return cudaErrorInvalidValue;
    *flags = entry->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMallocPitch", Waits::no,
      [&](Session& s) {
        *pitch = pitch_of(width);
        return allocate(s, pointer, *pitch * height, Kind::device, 0, "cudaMallocPitch", caller);
      },
      pitch_of(width) * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMalloc3D", Waits::no, [&](Session& s) {
    const std::size_t pitch = pitch_of(extent.width);
    void* pointer = nullptr;
    const cudaError_t error =
        allocate(s, &pointer, pitch * extent.height * extent.depth, Kind::device, 0, "cudaMalloc3D", caller);
    *pitched = {pointer, pitch, extent.width, extent.height};
    return error;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return call("cudaMemGetInfo", Waits::no, [&](Session& s) {
    const std::size_t all = s.profile().memory_bytes;
    if (total != nullptr) *total = all;
    if (free_bytes == nullptr) return cudaSuccess;  // programs ask for one of them
    *free_bytes = all - std::min(s.memory.used(current_gpu()), all);
    // What lies in the simulated GPU's memory lies in this machine's. Who takes all that is told free stays below what
    // a program may take (nine tenths, program_limits.cpp), with what it and the simulator need beside that.
    const auto tenths = [](std::uint64_t bytes, std::uint64_t count) { return bytes / 10 * count; };
    std::uint64_t here = tenths(available_host_memory().value_or(*free_bytes), 8);
    if (s.options.host_memory != 0) {
      const std::uint64_t most = tenths(s.options.host_memory, 8);
      here = std::min(here, most - std::min(s.memory.used(), most));
    }
    if (here < *free_bytes) {
      s.note(fmt::format("cudaMemGetInfo: {} MiB are free, as this machine has no more; the simulated GPU has {} MiB",
                         here >> 20, *free_bytes >> 20));
      *free_bytes = here;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call("cudaPointerGetAttributes", Waits::no, [&](Session& s) {
    *attributes = {};
    attributes->device = cudaInvalidDeviceId;
    const MemoryEntry* entry = s.memory_at(number(pointer));
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = const_cast<void*>(pointer);
    if (entry == nullptr) return cudaSuccess;
    attributes->device = entry->gpu;
    attributes->type = entry->kind == Kind::device    ? cudaMemoryTypeDevice
                       : entry->kind == Kind::managed ? cudaMemoryTypeManaged
                                                      : cudaMemoryTypeHost;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (!entry->host_may_touch()) attributes->hostPointer = nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) {
  return call("cudaStreamAttachMemAsync", Waits::no, [](Session&) { return cudaSuccess; });
}

}  // extern "C"
