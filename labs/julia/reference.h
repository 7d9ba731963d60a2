#pragma once
// The CPU's picture, and what its numbers of iterations mean for warps.

#include "labs/lab.h"

namespace gpulab::labs::julia {

/// Iterations of each pixel, row after row: what the kernels compute, in the same float operations.
void iterate(const Params& params, std::span<std::int32_t> counts);

/// Of the iterations that a warp issues to its lanes, the share that lanes take part in, where a warp goes on as long
/// as its slowest pixel. `counts`: width x height, covered by blocks of this shape.
[[nodiscard]] double lanes_at_work(std::span<const std::int32_t> counts, std::uint32_t width, std::uint32_t height,
                                   const Dim3& block);

}  // namespace gpulab::labs::julia
