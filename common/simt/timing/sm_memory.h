#pragma once
// An SM's memory: L1, its way to L2, its share of DRAM. Each serves requests one after another.

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/sm.h"
#include "common/simt/timing/trace.h"

namespace gpulab::simt {

class SmMemory {
 public:
  SmMemory(const GpuTiming& gpu, const MemoryShare& share, SmResult& result);
  /// When a load of these sectors at `now` has its last value.
  double load(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors, bool cached);
  /// When the SM is done with a store of warp `by`; nobody waits for it.
  void store(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors, std::uint64_t by);
  /// When an atomic has its old value.
  double atomic(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors);
  double shared(double now, double wavefronts);
  /// When an indexed load of constant memory has its values, whose lanes ask for so many addresses.
  double constant(double now, double addresses);
  /// When all that has been asked for, stores too, is done.
  [[nodiscard]] double drained() const { return std::max({l2_free_, store_free_, dram_free_}); }

 private:
  struct Line {
    std::uint64_t tag = UINT64_MAX, used = 0;
    double there[4] = {};  ///< when each sector has come; 0: it has not been asked for
  };
  double pass(double now, double cycles);
  double fetch(double now, std::uint64_t sector, const TracedAccess& access);
  Line& line_of(std::uint64_t tag);
  const GpuTiming& gpu_;
  const MemoryShare share_;
  SmResult& result_;
  std::vector<Line> lines_;
  std::uint64_t clock_ = 0;
  double pipe_free_ = 0, constant_free_ = 0, l2_free_ = 0, store_free_ = 0, port_free_ = 0, dram_free_ = 0;
  double miss_debt_ = 0;
  /// A pair of sectors, as DRAM brings them.
  struct Pair {
    std::uint8_t asked = 0;  ///< which were asked for, or stored to
    double moved = 0;        ///< `moved_`, when one was last
  };
  struct Written {
    std::uint64_t by = 0;  ///< the warp that stored last
    double moved = 0;      ///< `moved_` then
  };
  [[nodiscard]] bool left_l2(double moved) const { return (moved_ - moved) * share_.misses > share_.l2_room; }
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::unordered_map<std::uint64_t, Written> written_;  ///< sectors
  double moved_ = 0;                                     ///< bytes that DRAM has moved for this SM
};

}  // namespace gpulab::simt
