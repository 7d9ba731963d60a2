#pragma once
// Which lines, sectors and banks the lanes of one access lie in: what an SM's memory makes of it.

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "common/simt/counting/access.h"
#include "common/simt/observers/locator.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// Where the active lanes' bytes lie.
struct LaneAddresses {
  std::array<std::uint64_t, kLanes> by_lane;
  int count = 0;            ///< of active lanes
  bool on_a_line = false;   ///< each is as far from the one before, upwards, or all are the same
  std::uint64_t apart = 0;  ///< then: how far
  /// Of the active lanes alone, `count` of them.
  [[nodiscard]] const std::array<std::uint64_t, kLanes>& packed() const { return count == kLanes ? by_lane : active_; }

  LaneAddresses(const Warp& w, const MicroOp* op, std::uint16_t slot);
  /// Of all lanes, active or not.
  LaneAddresses(const Warp& w, std::span<const std::uint64_t, kLanes> places);

 private:
  void pack(const Warp& w);
  std::array<std::uint64_t, kLanes> active_;  ///< where some are not
};

[[nodiscard]] TracedAccess::Space space_at(std::uint64_t address, const MemoryUse& use);
/// The address at which the most lanes meet, and how many do.
[[nodiscard]] std::pair<std::uint64_t, int> hottest(std::array<std::uint64_t, kLanes> addresses, int count);
/// Of an atomic: how many rounds L2 needs, a round for each lane at the fullest address of each sector.
[[nodiscard]] std::uint8_t rounds_of(std::array<std::uint64_t, kLanes> addresses, int count);
/// What an access to shared memory takes.
[[nodiscard]] const Pattern& pattern_of(const Warp& w, std::uint32_t site, const LaneAddresses& addresses,
                                        const MemoryUse& use);
/// Which sectors the active lanes' bytes lie in, kept in the trace, and how these are used.
void find_sectors(const Warp& w, const MemoryUse& use, const LaneAddresses& addresses, BlockTrace& trace,
                  TracedAccess& access);
/// `whole` has been traced last: it becomes one access with `further`, traced behind it, of the same instruction.
void join(TracedAccess& whole, const TracedAccess& further, BlockTrace& trace);

}  // namespace gpulab::simt
