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

namespace gpulab::simt {

std::byte* host_memory(const Warp& w, int lane, std::uint64_t address, std::size_t bytes) {
  if (address - kLocalWindow < kWindowBytes) {
    const std::uint64_t at = address - kLocalWindow;
    return within(at, bytes, w.local_stride) ? w.local + static_cast<std::size_t>(lane) * w.local_stride + at : nullptr;
  }
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t at = address - kSharedWindow;
    return within(at, bytes, w.shared_bytes) ? w.shared + at : nullptr;
  }
  return w.global->host(address, bytes);
}

namespace {

DeviceText text_reader(const Warp& w, int lane) {
  return [&w, lane](std::uint64_t address, std::size_t bytes) { return host_memory(w, lane, address, bytes); };
}

void call_vprintf(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto format = argument<std::uint64_t>(w, call, 0, lane);
    const auto values = argument<std::uint64_t>(w, call, 1, lane);
    return_value(w, call, lane, device_printf(w.worker->log.output, text_reader(w, lane), format, values));
  });
}

/// __assertfail(message, file, line, function, character size).
void call_assertfail(Warp& w, const MicroOp*, const CallInfo& call) {
  const int lane = __builtin_ctz(w.mask);
  const auto read = text_reader(w, lane);
  const auto text = [&](std::size_t k) { return device_string(read, argument<std::uint64_t>(w, call, k, lane)); };
  throw LaunchError(LaunchFailure::fault,
                    fmt::format("assertion '{}' failed in {}, {}", text(0), text(3), thread_name(w, lane)),
                    fmt::format("{}:{}", text(1), argument<std::uint32_t>(w, call, 2, lane)));
}

void call_malloc(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto bytes = argument<std::uint64_t>(w, call, 0, lane);
    return_value(w, call, lane, heap_allocate(w, lane, bytes));
  });
}

void call_free(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) { heap_free(w, op, lane, argument<std::uint64_t>(w, call, 0, lane)); });
}

constexpr Builtin builtins[] = {
    {"vprintf", call_vprintf},
    {"__assertfail", call_assertfail},
    {"malloc", call_malloc, true},
    {"free", call_free, true},
};

}  // namespace

std::uint64_t heap_allocate(Warp& w, int lane, std::uint64_t bytes) {
  DeviceHeap& heap = *w.block->launch.heap;
  const std::uint64_t address = heap.allocate(fmt::format("malloc of {}", thread_name(w, lane)), bytes);
  if (address) w.footprint->add(*w.global->nearest(address));
  return address;
}

void heap_free(Warp& w, const MicroOp* op, int lane, std::uint64_t address) {
  if (!address) return;
  const auto refuse = [&](std::string_view why, const char* hint) {
    w.block->launch.tell(
        [&](Observer& observer) { observer.faulted(w, op, lane, address, fmt::format("free of memory {}", why)); });
    fault(w, op, lane, fmt::format("free of {:#x}, {}", address, why), hint);
  };
  switch (w.block->launch.heap->free(address)) {
    case DeviceHeap::Freed::yes:
      return;
    case DeviceHeap::Freed::already:
      return refuse("which has been freed", "free memory once");
    case DeviceHeap::Freed::never_allocated:
      return refuse("which malloc has not returned",
                    "free what a kernel's malloc or new returned, and that very address");
  }
}

const Builtin* find_builtin(std::string_view name) {
  // With nvcc's --default-stream per-thread, which is one stream per block here, too.
  if (name.ends_with("_ptsz")) name.remove_suffix(5);
  for (const auto table : {std::span<const Builtin>(builtins), launch_builtins(), device_builtins()})
    for (const Builtin& one : table)
      if (one.name == name) return &one;
  return nullptr;
}

}  // namespace gpulab::simt
