#pragma once
// An SM's memory: L1, its way to L2, its share of DRAM. Each serves requests one after another.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/sm.h"
#include "common/simt/timing/trace/sector_set.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

class SmMemory {
 public:
  SmMemory(const GpuTiming& gpu, const MemoryShare& share, SmResult& result);
  ~SmMemory();
  SmMemory(const SmMemory&) = delete;
  SmMemory& operator=(const SmMemory&) = delete;
  /// When a load of these sectors at `now` has its last value.
  double load(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors, bool cached);
  /// Whose a store is.
  struct Storer {
    std::uint32_t block = UINT32_MAX, warp = 0;
    bool behind_barrier = false;  ///< so closely that the block's warps store together
  };
  /// When the SM is done with a store; nobody waits for it.
  void store(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors, const Storer& storer);
  /// When an atomic has its old value.
  double atomic(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors);
  double shared(double now, double wavefronts);
  /// When an indexed load of constant memory has its values, whose lanes ask for so many addresses in these sectors.
  /// `apart`: the index may differ from lane to lane.
  double constant(double now, double addresses, bool apart, std::span<const std::uint64_t> sectors);
  /// When a line of constant memory is in the cache of constants: 64 bytes, by number.
  double constant_line(double now, std::uint64_t line);
  /// When a shared atomic on a floating-point number is done, of which so many lanes meet at one place.
  double shared_loop(double now, std::uint64_t place, double lanes);
  /// When a turn of a program's own loop of a load and a compare-and-swap in shared memory (TracedAccess::retried) has
  /// what it found, whose swap has succeeded for one of the lanes that meet at the place.
  double shared_swap(double now, std::uint64_t place, double lanes, double wavefronts);
  /// When the memory pipe takes another instruction: so many wait in front of it, and warps wait with those behind.
  [[nodiscard]] double has_room() const { return pipe_free_ - kWaiting; }
  /// When the warp goes on behind a fence; `of_block`: one that orders for its block alone.
  double fence(double now, bool of_block);
  /// When all that has been asked for, stores too, is done.
  [[nodiscard]] double drained() const { return std::max({l2_free_, store_free_, dram_free_, link_out_free_}); }

 private:
  /// Cycles of work that lie in front of the pipe: instructions that warps have issued, and need not wait for. How many
  /// the hardware holds no probe says; from 200 to 2000 the same kernels take the same within 4 %.
  static constexpr double kWaiting = 500;
  struct Line {
    std::uint64_t tag = UINT64_MAX, used = 0;
    double there[4] = {};  ///< when each sector has come; 0: it has not been asked for
    double loaded = 0;     ///< when the last load of it is done that has begun
  };
  double pass(double now, double cycles);
  double fetch(double now, std::uint64_t sector, const TracedAccess& access);
  /// When a sector has come over the link to the host, or gone there.
  [[nodiscard]] double over_link(double now, double& free) const;
  /// `before`: that of the sector before; most lie in the same.
  Line& line_of(std::uint64_t tag, Line* before);
  /// The line if it is there; nullptr: it is not.
  Line* find_line(std::uint64_t tag);
  /// A store at `now` to a line of L1 that loads are still under way to takes it out.
  void drop_line(double now, std::uint64_t tag);
  const GpuTiming& gpu_;
  const MemoryShare share_;
  SmResult& result_;
  struct Lines {
    std::vector<Line> all{};
    std::vector<std::uint64_t> tags{};  ///< of all: those of a set are looked at together
  };
  Lines lines_;
  std::vector<std::uint32_t> used_;  ///< of them
  static Lines& spare();
  /// The first line of the set that a line of this tag lies in.
  [[nodiscard]] std::size_t set_for(std::uint64_t tag) const;
  std::uint64_t clock_ = 0;
  double pipe_free_ = 0, constant_free_ = 0, link_in_free_ = 0, link_out_free_ = 0, l2_free_ = 0, line_free_ = 0,
         store_free_ = 0, port_free_ = 0, dram_free_ = 0;
  double swaps_free_ = 0;  ///< when all swaps of shared memory that fail until then have gone by
  double miss_debt_ = 0;
  SectorMap<double> constant_blocks_;  ///< of 256 bytes: when each has come
  static constexpr std::size_t kConstantLines = 32;
  std::array<std::uint64_t, kConstantLines> constant_lines_{};  ///< + 1, those of the cache
  double constant_miss_free_ = 0;
  std::unordered_map<std::uint64_t, std::vector<double>> loops_;  ///< by place: when those end that are under way
  /// A pair of sectors, as DRAM brings them.
  struct Pair {
    std::uint8_t asked = 0;   ///< which were asked for, or stored to
    std::uint8_t stored = 0;  ///< which were stored to
    double taken = 0;         ///< `taken_`, when one was last asked for
    double written[2] = {};   ///< `taken_`, when each was last stored to
  };
  using LineOfL2 = std::array<Pair, 2>;
  [[nodiscard]] static Pair& pair_of(LineOfL2& line, std::uint64_t sector) { return line[sector >> 1 & 1]; }
  /// `own`: it is of a thread's own arrays.
  [[nodiscard]] bool left_l2(double taken, bool own) const {
    return (taken_ - taken) * (own ? 1 : share_.misses) > share_.l2_room;
  }
  [[nodiscard]] bool is_in_l2(const Pair& pair, bool own) const { return pair.asked != 0 && !left_l2(pair.taken, own); }
  SectorMap<LineOfL2> in_l2_;
  /// A sector that a warp's stores fill one after another, as they do a structure's words, or a block's warps.
  struct Filling {
    double since = 0, bytes = 0;
    std::uint32_t site = 0;  ///< that stored last, and who did
    Storer storer{};
  };
  SectorMap<Filling> filling_;
  /// The part of what a store to a sector takes of L2 that is left, since L1 joins it with those just before it.
  double not_joined(double now, const TracedAccess& access, std::uint64_t sector, double bytes, const Storer& storer);
  /// Bytes of the lines of L2 that this SM has taken: a line has room for its four sectors, of which DRAM has brought
  /// two or all. One sector of each line is found again where the lines have 40 MB together, and no longer where they
  /// have 64, of which the sectors asked for are 16 (`walk` by 128 bytes, an H100 with 50 MB).
  double taken_ = 0;
};

}  // namespace gpulab::simt
