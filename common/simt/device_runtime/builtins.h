#pragma once
// Functions that PTX calls and no module defines: the device runtime's (vprintf, malloc …).

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "common/simt/decode/program.h"
#include "common/simt/device_runtime/device_printf.h"
#include "common/simt/machine/memory/local_memory.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

struct Builtin {
  std::string_view name;
  void (*run)(Warp& warp, const MicroOp* op, const CallInfo& call);  ///< for the active lanes
  /// What it returns depends on other blocks: they run in one fixed interleaving.
  bool communicates = false;
};

/// nullptr where the simulator has none of that name.
[[nodiscard]] const Builtin* find_builtin(std::string_view name);

// ---- for those who write one ----

/// The k-th argument of a lane's call.
template <typename T>
T argument(const Warp& w, const CallInfo& call, std::size_t k, int lane) {
  T value{};
  if (k < call.arguments.size())
    read_local(w, lane, w.local_base + call.arguments[k].first, &value,
               std::min<std::size_t>(sizeof(T), call.arguments[k].second));
  return value;
}

/// Hands `value` to a lane's caller.
template <typename T>
void return_value(Warp& w, const CallInfo& call, int lane, T value) {
  if (call.results.empty()) return;
  write_local(w, lane, w.local_base + call.results[0].first, &value,
              std::min<std::size_t>(sizeof(T), call.results[0].second));
}

/// Copies `bytes` bytes from or to a lane's generic address; false: not all of them are there, and none is copied.
[[nodiscard]] bool read_memory(const Warp& w, int lane, std::uint64_t address, void* to, std::size_t bytes);
[[nodiscard]] bool write_memory(Warp& w, int lane, std::uint64_t address, const void* from, std::size_t bytes);

/// malloc and free of a lane. Faults where `address` is no live block of the heap.
std::uint64_t heap_allocate(Warp& w, int lane, std::uint64_t bytes);
void heap_free(Warp& w, const MicroOp* op, int lane, std::uint64_t address);

/// After the block at `address` was freed: tools drop what they keep of it. A kernel may allocate and free for as long
/// as it runs, so those that were freed long ago are forgotten by all who know them.
void forget_freed(Warp& w, std::uint64_t address);

/// Runs `work(lane)` for the active lanes, lowest first.
template <typename F>
void for_active_lanes(const Warp& w, F work) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) work(__builtin_ctz(left));
}

}  // namespace gpulab::simt
