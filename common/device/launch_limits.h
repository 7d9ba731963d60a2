#pragma once
// What no GPU can launch: shapes of blocks and grids that are refused before a device is asked.

#include <cstdint>
#include <string_view>

#include "common/dim3.h"

namespace gpulab {

/// Hardware limits of every GPU since Fermi (CUDA C++ Programming Guide, Technical Specifications).
constexpr std::uint32_t max_threads_per_block = 1024;
/// Blocks of a cluster: what every GPU has room for, and what an H100 has where the kernel allows sizes that are not
/// portable.
constexpr std::uint64_t portable_blocks_per_cluster = 8, most_blocks_per_cluster = 16;
constexpr Dim3 max_block{1024, 1024, 64};
constexpr Dim3 max_grid{2147483647, 65535, 65535};

/// Throws usage_error where no GPU could launch this. `of` names it: "--block", "step 2 of variant 'x'".
void check_block(const Dim3& block, std::string_view of);
void check_grid(const Dim3& grid, std::string_view of);

}  // namespace gpulab
