#pragma once
// Liveness of virtual registers over a control-flow graph, as live intervals in program order.
// Lanes of a warp take different paths, but each lane's own path is a path of the graph, and a register is one value
// per lane: so the ordinary per-thread analysis holds for SIMT execution too.

#include <cstdint>
#include <span>
#include <vector>

#include "common/ptx/flow/cfg.h"

namespace gpulab::ptx {

/// The virtual registers that one instruction reads (its guard and its address bases too) and writes.
struct RegisterAccess {
  std::span<const std::uint32_t> reads;
  std::span<const std::uint32_t> writes;
  /// Lanes may keep the old value (the instruction is guarded, or writes part of a register): it stays live.
  bool partial = false;
  /// Destinations are written before all sources are read: they must not share a slot with any source.
  bool early_clobber = false;
};

/// From the first to the last point where the register's slot holds something that is needed. Points are 2·i where
/// instruction i reads and 2·i + 1 where it writes; both ends belong to the interval.
struct LiveInterval {
  std::uint32_t first = UINT32_MAX, last = 0;
  [[nodiscard]] bool empty() const { return first > last; }  ///< the register does not occur
  [[nodiscard]] bool overlaps(const LiveInterval& other) const { return first <= other.last && other.first <= last; }
};

/// One interval per register, holes included: intervals that do not overlap may share a slot. A register that may be
/// read before it is written lives from the function's entry.
[[nodiscard]] std::vector<LiveInterval> live_intervals(const ControlFlowGraph& graph,
                                                       std::span<const RegisterAccess> instructions,
                                                       std::uint32_t register_count);

}  // namespace gpulab::ptx
