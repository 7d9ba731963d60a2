#pragma once
// Who queues where: how many updates the busiest word gets, followed from the data through a rung's plan.

#include <cstdint>
#include <span>

#include "labs/lab.h"

namespace gpulab::labs::atomics {

/// Updates of the busiest word: of the result in global memory, and of a block's own histogram in shared memory.
struct Queues {
  std::int64_t global = 0, shared = 0;
};

/// One update of the result per element.
[[nodiscard]] Queues of_elements(std::span<const int> in, std::size_t bins);

/// Blocks of `block` threads, `grid` of them, each with a histogram of its own: one update per element, or, aggregated,
/// one per bin and warp; then one of the result per bin and block.
[[nodiscard]] Queues of_private(std::span<const int> in, std::size_t bins, std::uint32_t block, std::uint32_t grid,
                                bool aggregated);

/// The image and what was made of it, side by side, each as gray levels up to its brightest.
[[nodiscard]] Picture picture_of(std::span<const float> image, std::span<const float> out, std::size_t side);

}  // namespace gpulab::labs::atomics
