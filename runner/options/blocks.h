#pragma once
// Blocks and grids on the command line: 256, 32x8, 8x8x4, 32:1024.

#include <optional>
#include <string_view>
#include <vector>

#include "common/dim3.h"

namespace gpulab {

/// A comma-separated list of blocks and of ranges of one dimension (32:1024 doubles, 32:256:32 adds), each within the
/// hardware's limits. Throws usage_error.
[[nodiscard]] std::vector<Dim3> parse_blocks(std::string_view text);
/// A grid, or nothing for "auto". Throws usage_error.
[[nodiscard]] std::optional<Dim3> parse_grid(std::string_view text);

}  // namespace gpulab
