#pragma once
// The slices of L2, in which atomics go in rounds, and stores of parts of sectors: what those take that most go to.

#include <cstdint>
#include <vector>

#include "common/simt/machine/memory/memory.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// Where a GPU would have put what the simulator has put elsewhere. cudaMalloc gives less than 1 MiB a place right
/// behind the last one, in steps of 512 bytes, so that two counters lie in one slice of L2 or in two as one KB has it;
/// the simulator leaves 1 MiB free between any two, where accesses out of bounds end.
class PlacesOnGpu {
 public:
  explicit PlacesOnGpu(const GlobalMemory* memory);
  /// Of 32 bytes, as the simulator has them.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t sector) const;

 private:
  struct Small {
    std::uint64_t first = 0, behind = 0, there = 0;  ///< sectors
  };
  std::vector<Small> small_;  ///< by their address
};

class SlicesOfL2 {
 public:
  struct Grid {
    double scale = 1;    ///< blocks for each traced one
    double blocks = 0;   ///< that there are
    double work = 1;     ///< of a block, beside what is traced of one
    double written = 0;  ///< sectors that the grid stores to, atomics included; 0: nobody knows
    std::uint32_t per_sm = 1;
    std::uint64_t sms = 1;
  };
  SlicesOfL2(const GridTrace& trace, const GlobalMemory* memory, const GpuTiming& gpu, const Grid& grid);

  /// Cycles that the slice takes which has the most to do: an atomic goes in rounds there, and so does a store of a
  /// part of a sector, which L2 has to merge (2997 blocks that each store one byte again and again, in 94 sectors).
  /// Blocks that run at once meet there; those of the next wave may meet elsewhere.
  [[nodiscard]] double hottest(bool stores) const;
  /// The same of sectors that warps store whole, again and again, each time behind a load: with none in between L1
  /// joins what a warp stores. A race of 2.0 million warps for 500 sums, each a load, an addition and a store of 16
  /// words, takes 235 to 430 us by what else they do, without the loads 12 (an H200). By how many blocks share what the
  /// grid stores to.
  [[nodiscard]] double stored_again() const;
  /// Cycles where the warps of a block all go to one slice, and then to the next one: a slice that has had its turn
  /// takes nothing from the others. 32 warps that each add a float, all lanes at one word, to one word of an array
  /// after another take 53 ns for each of these instructions, as if all were at one word (57); four such blocks, each
  /// elsewhere, a fourth (an H100).
  [[nodiscard]] double one_after_another() const;

 private:
  struct Slices;
  [[nodiscard]] bool is_own(const BlockTrace& block, bool atomics) const;
  void add_atomic(const BlockTrace& block, const TracedAccess& access, Slices& slices) const;
  [[nodiscard]] double turns(const BlockTrace& block) const;
  const GridTrace& trace_;
  const PlacesOnGpu placed_;
  const GpuTiming& gpu_;
  const Grid grid_;
};

}  // namespace gpulab::simt
