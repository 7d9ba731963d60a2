#include "common/simt/device_runtime/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/launch_error.h"
#include "common/ptx/extent.h"
#include "common/simt/device_runtime/builtin_tables.h"
#include "common/simt/device_runtime/device_heap.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/faults.h"
#include "common/simt/machine/worker.h"
#include "common/text.h"

namespace gpulab::simt {

namespace {

/// Host memory of `bytes` bytes at a generic address that is not of local memory, nullptr where there is none.
std::byte* host_memory(const Warp& w, std::uint64_t address, std::size_t bytes) {
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t at = without_own(address - kSharedWindow, w.own_window);
    return within(at, bytes, w.shared_bytes) ? w.shared + at : nullptr;
  }
  return w.global->host(address, bytes);
}

bool is_local(std::uint64_t address) { return address - kLocalWindow < kWindowBytes; }

}  // namespace

bool read_memory(const Warp& w, int lane, std::uint64_t address, void* to, std::size_t bytes) {
  if (is_local(address)) {
    if (!within(address - kLocalWindow, bytes, w.local_bytes)) return false;
    read_local(w, lane, address - kLocalWindow, to, bytes);
    return true;
  }
  const std::byte* host = host_memory(w, address, bytes);
  if (host) std::memcpy(to, host, bytes);
  return host != nullptr;
}

bool write_memory(Warp& w, int lane, std::uint64_t address, const void* from, std::size_t bytes) {
  if (is_local(address)) {
    if (!within(address - kLocalWindow, bytes, w.local_bytes)) return false;
    write_local(w, lane, address - kLocalWindow, from, bytes);
    return true;
  }
  std::byte* host = host_memory(w, address, bytes);
  if (host) std::memcpy(host, from, bytes);
  return host != nullptr;
}

namespace {

DeviceText text_reader(const Warp& w, int lane) {
  return [&w, lane](std::uint64_t address, void* to, std::size_t bytes) {
    return read_memory(w, lane, address, to, bytes);
  };
}

/// Bytes that are printed in the time of a warp instruction.
constexpr std::size_t kBytesPrintedAtOnce = 16;

void call_vprintf(Warp& w, const MicroOp* op, const CallInfo& call) {
  ++w.library.prints;
  for_active_lanes(w, [&](int lane) {
    const auto format = argument<std::uint64_t>(w, call, 0, lane);
    const auto values = argument<std::uint64_t>(w, call, 1, lane);
    BlockLog& log = w.worker->log;
    const std::size_t before = log.output.size();
    std::uint64_t reads = 0;
    const DeviceText read = [&](std::uint64_t address, void* to, std::size_t bytes) {
      ++reads;
      return read_memory(w, lane, address, to, bytes);
    };
    const Refused refused = [&](std::uint64_t address) {
      log.output.resize(before);
      fault_access(w, op, address, lane, 1, "load");
    };
    const std::int32_t count = device_printf(log.output, read, format, values, refused);
    ++w.library.printing_lanes;
    w.library.printed_bytes += log.output.size() - before;
    charge_work(w, (log.output.size() - before) / kBytesPrintedAtOnce + reads);
    if (const std::uint64_t most = w.block->launch.print_limit; log.output.size() > most) {
      log.cut += log.output.size() - most;
      log.output.resize(most);
    }
    return_value(w, call, lane, count);
  });
}

constexpr std::size_t kMostOfAssertion = 1024;  ///< characters of its text and of each name

/// __assertfail(message, file, line, function, character size).
void call_assertfail(Warp& w, const MicroOp*, const CallInfo& call) {
  const int lane = __builtin_ctz(w.mask);
  const auto read = text_reader(w, lane);
  const auto text = [&](std::size_t k) {
    return visible(device_string(read, argument<std::uint64_t>(w, call, k, lane)).substr(0, kMostOfAssertion));
  };
  throw LaunchError(LaunchFailure::fault,
                    fmt::format("assertion '{}' failed in {}, {}", text(0), text(3), thread_name(w, lane)),
                    fmt::format("{}:{}", text(1), argument<std::uint32_t>(w, call, 2, lane)));
}

void call_malloc(Warp& w, const MicroOp*, const CallInfo& call) {
  ++w.library.mallocs;
  for_active_lanes(w, [&](int lane) {
    const auto bytes = argument<std::uint64_t>(w, call, 0, lane);
    return_value(w, call, lane, heap_allocate(w, lane, bytes));
  });
}

void call_free(Warp& w, const MicroOp* op, const CallInfo& call) {
  ++w.library.frees;
  for_active_lanes(w, [&](int lane) { heap_free(w, op, lane, argument<std::uint64_t>(w, call, 0, lane)); });
}

constexpr Builtin builtins[] = {
    {"vprintf", call_vprintf},
    {"__assertfail", call_assertfail},
    {"malloc", call_malloc, true},
    {"free", call_free, true},
};

}  // namespace

/// Warp instructions that take as long as malloc does for a lane.
constexpr std::uint64_t kHeapWork = 32;

std::uint64_t heap_allocate(Warp& w, int lane, std::uint64_t bytes) {
  DeviceHeap& heap = *w.block->launch.heap;
  const std::uint64_t address = heap.allocate(fmt::format("malloc of {}", thread_name(w, lane)), bytes);
  charge_work(w, kHeapWork);
  ++w.library.allocating_lanes;
  if (!address) return 0;
  const Allocation& allocation = *w.global->nearest(address);
  w.footprint->add(allocation);
  return address;
}

// Kernels that free run on one CPU thread.
void forget_freed(Warp& w, std::uint64_t address) {
  constexpr std::size_t remembered = 1 << 15;  // for messages; what tools keep of the bytes takes far more
  const std::uint32_t freed = w.global->nearest(address)->index;
  w.block->launch.tell([&](Observer& observer) { observer.index_freed(freed); });
  const auto forgotten = w.global->forget_freed(remembered);
  if (forgotten.empty()) return;
  w.worker->patterns.forget_allocations();
  for (const std::uint32_t index : forgotten) {
    w.footprint->index_freed(index);
    w.block->launch.tell([&](Observer& observer) { observer.index_freed(index); });
  }
}

/// It lies in what the host has allocated.
static bool is_of_host(const Warp& w, std::uint64_t address) {
  const Allocation* found = w.global->find(address);
  return found != nullptr && !found->of_heap;
}

void heap_free(Warp& w, const MicroOp* op, int lane, std::uint64_t address) {
  if (!address) return;
  ++w.library.freeing_lanes;
  const auto refuse = [&](std::string_view why, const char* hint) {
    w.block->launch.tell(
        [&](Observer& observer) { observer.faulted(w, op, lane, address, fmt::format("free of memory {}", why)); });
    fault(w, op, lane, fmt::format("free of {:#x}, {}", address, why), hint);
  };
  switch (w.block->launch.heap->free(address)) {
    case DeviceHeap::Freed::yes:
      return forget_freed(w, address);
    case DeviceHeap::Freed::already:
      return refuse("which has been freed", "free memory once");
    case DeviceHeap::Freed::never_allocated:
      return refuse("which malloc has not returned",
                    is_of_host(w, address) ? "what the host allocated by cudaMalloc, the host frees by cudaFree"
                                           : "free what a kernel's malloc or new returned, and that very address");
  }
}

const Builtin* find_builtin(std::string_view name) {
  // With nvcc's --default-stream per-thread, which is one stream per block here, too.
  if (name.ends_with("_ptsz")) name.remove_suffix(5);
  if (name == "cudaDeviceSynchronize") name = "__gpulabDeviceSynchronize";  // nvcc up to 11: a kernel may wait
  constexpr std::string_view since_12 = "__cudaCDP2", before = "cuda";
  for (const auto table : {std::span<const Builtin>(builtins), launch_builtins(), device_builtins()})
    for (const Builtin& one : table) {
      if (one.name == name) return &one;
      if (one.name.starts_with(since_12) && name.starts_with(before) &&
          one.name.substr(since_12.size()) == name.substr(before.size()))
        return &one;
    }
  return nullptr;
}

}  // namespace gpulab::simt
