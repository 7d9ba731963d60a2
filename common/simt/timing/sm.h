#pragma once
// One streaming multiprocessor that runs traced blocks: when each instruction of each warp issues. Four partitions
// issue an instruction a cycle each, of a warp whose operands are there; pipes, L1, the way to L2 and a share of DRAM
// serve one after another. A small event simulation after the SM core that Huerta et al. describe (MICRO 2025), without
// operand collectors and register banks.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/simt/timing/code/code.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/site_time.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// What one SM has of the memory that all share.
struct MemoryShare {
  double read_cost =
      1;  ///< bytes that DRAM moves for one that it reads: lines that are dirty in L2 are written back first
  double l2_bytes_per_cycle = 0, dram_bytes_per_cycle = 0;
  double l2_scattered_bytes_per_cycle = 0;  ///< of loads at random addresses
  double l2_written_bytes_per_cycle = 0;    ///< of stores
  double l2_room = 0;                       ///< bytes of L2
  bool together = false;  ///< all blocks run at once: what one SM asks for first others ask for at the same time
  double misses = 1;      ///< of the sectors that this SM asks for first: the part that no other SM has brought to L2
  double fetched = 1;     ///< sectors that DRAM brings for each of these: it brings two neighbours at once
  double lost = 0;  ///< of sectors at random addresses that another SM has brought: the part that has left L2 since
  std::uint32_t l1_bytes = 0;
  double part = 1;          ///< of what all SMs share, this one's
  double write_back = 1;    ///< of what is written, the part that does not stay in L2 as the grid ends
  double fill = 0;          ///< 1: sectors that are written in part stay so, and are read before they are written back
  double of_written = 1;    ///< of a sector that is written in part: what this SM has to write back, others the rest
  std::uint64_t warps = 1;  ///< of a block
  bool filled = false;      ///< what one instruction stores in part of a sector, others fill up
  bool cold_code = false;   ///< no instruction cache has any of the kernel yet
};

/// When a block came to one of its meetings.
struct Met {
  std::size_t block = 0, meeting = 0;         ///< of the traced ones, of BlockTrace::meetings
  double since_start = 0, at = 0, there = 0;  ///< since the block's start; when it issued; when its result was there
};

struct SmResult {
  double cycles = 0;                   ///< until the last block ends
  std::vector<double> block_ends;      ///< in the order in which blocks end
  double busiest_block = 0;            ///< life of the block that executes the most
  std::uint64_t most_executed = 0;     ///< its warp instructions
  double busiest_warp = 0;             ///< life of the warp that executes the most
  std::uint64_t busiest_executed = 0;  ///< its instructions
  double fastest_instruction = 1e9;    ///< of the warp that takes the least time for one on average
  // How long each is busy, cycles of the SM.
  double issue = 0, fma = 0, alu = 0, fp64 = 0, special = 0, tensor = 0, shared = 0, l1 = 0, l2 = 0, dram = 0;
  double stored = 0;                      ///< of `l2`, with stores
  double warp_cycles = 0;                 ///< Σ over warps of their life, and
  double block_cycles = 0;                ///< over blocks
  std::vector<SiteTime> sites;            ///< Σ over warps, by site; empty: nobody asked
  std::vector<IssuedInstruction> issued;  ///< in the order of time, where somebody asked
  std::vector<Met> met;                   ///< in the order of time
  std::uint64_t sectors = 0, missed = 0;  ///< that L1 is asked for, and that it has to ask L2 for
};

/// `resident` blocks at once, the next one starting `block_interval` cycles after the one before at the earliest.
/// `sites`: of the program, where time is to be accounted for by instruction; 0: it is not. `log`: each that issues is
/// kept.
[[nodiscard]] SmResult run_sm(const GpuTiming& gpu, const TimedCode& code, std::span<const BlockTrace> blocks,
                              std::uint32_t resident, double block_interval, const MemoryShare& share,
                              std::size_t sites = 0, bool log = false);

}  // namespace gpulab::simt
