#pragma once
// Blocks and grids on the command line: 256, 32x8, 8x8x4.

#include <optional>
#include <string_view>
#include <vector>

#include "common/dim3.h"

namespace gpulab {

/// Hardware limits of every GPU since Fermi (CUDA C++ Programming Guide, Technical Specifications).
constexpr std::uint32_t max_threads_per_block = 1024;
constexpr Dim3 max_block{1024, 1024, 64};
constexpr Dim3 max_grid{2147483647, 65535, 65535};

/// A comma-separated list of blocks, each within the hardware's limits. Throws usage_error.
[[nodiscard]] std::vector<Dim3> parse_blocks(std::string_view text);
/// A grid, or nothing for "auto". Throws usage_error.
[[nodiscard]] std::optional<Dim3> parse_grid(std::string_view text);

/// Throws usage_error where no GPU could launch this. `of` names it: "--block", "step 2 of variant 'x'".
void check_block(const Dim3& block, std::string_view of);
void check_grid(const Dim3& grid, std::string_view of);

}  // namespace gpulab
