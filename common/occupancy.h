#pragma once
// Theoretical occupancy, computed by the CUDA Toolkit's own cuda_occupancy.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu_profile.h"

namespace gpulab {

struct Occupancy {
  double theoretical = 0;  ///< resident warps / maximum warps, 0..1
  int blocks_per_sm = 0;
  std::vector<std::string> limited_by;  ///< of "warps", "registers", "shared", "blocks": every limit that binds
};

/// Registers absent: computed without the register limit is wrong, so the result is absent. `carveout`: how much of an
/// SM's shared memory and L1 the program prefers as shared memory for this kernel, 0 to 100; -1: the driver chooses.
[[nodiscard]] std::optional<Occupancy> occupancy(const GpuProfile& gpu, std::optional<int> registers_per_thread,
                                                 std::size_t static_shared_bytes, std::size_t dynamic_shared_bytes,
                                                 int threads_per_block, int carveout = -1);

/// How a grid's blocks spread over the GPU's SMs, which occupancy does not say: one block can occupy its SM fully while
/// all others idle. Blocks go to SMs that have none first.
struct Spread {
  int sm_count = 0, sms_used = 0;
  /// Grid / blocks that are resident at once, and the share of the last wave's places that stay empty. Absent where
  /// occupancy is.
  std::optional<double> waves, tail;
};
[[nodiscard]] Spread spread_of(std::uint64_t blocks, const std::optional<Occupancy>& occupancy, int sm_count);

/// Blocks that each resource of an SM has room for, by itself; absent where the kernel takes none of it.
struct BlockLimits {
  std::optional<int> warps, registers, shared, blocks;
};
[[nodiscard]] std::optional<BlockLimits> block_limits(const GpuProfile& gpu, int registers_per_thread,
                                                      std::size_t static_shared_bytes, std::size_t dynamic_shared_bytes,
                                                      int threads_per_block);

}  // namespace gpulab
