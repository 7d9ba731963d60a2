#pragma once
// Theoretical occupancy, computed by the CUDA Toolkit's own cuda_occupancy.h.

#include <cstddef>
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

/// Registers absent: computed without the register limit is wrong, so the result is absent.
[[nodiscard]] std::optional<Occupancy> occupancy(const GpuProfile& gpu, std::optional<int> registers_per_thread,
                                                 std::size_t static_shared_bytes, std::size_t dynamic_shared_bytes,
                                                 int threads_per_block);

/// Blocks that each resource of an SM has room for, by itself; absent where the kernel takes none of it.
struct BlockLimits {
  std::optional<int> warps, registers, shared, blocks;
};
[[nodiscard]] std::optional<BlockLimits> block_limits(const GpuProfile& gpu, int registers_per_thread,
                                                      std::size_t static_shared_bytes, std::size_t dynamic_shared_bytes,
                                                      int threads_per_block);

}  // namespace gpulab
