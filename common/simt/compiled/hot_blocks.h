#pragma once
// Which basic blocks of a program are worth code: those that execute the most, as long as there is room.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/simt/compiled/operations.h"

namespace gpulab::simt::compiled {

/// By basic block. `executed`: warp instructions of each so far; empty: what stands in loops is taken to execute more,
/// the more loops there are around it. `most_ops`: all that become code have no more micro-ops. None, where they would
/// not be a quarter of what is executed.
[[nodiscard]] std::vector<bool> hot_blocks(const Operations& operations, std::span<const std::uint64_t> executed,
                                           std::size_t most_ops);

}  // namespace gpulab::simt::compiled
