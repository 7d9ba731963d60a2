#pragma once
// How the reductions come to one answer: by atomics, by further passes over the blocks' results, or at once.

#include <functional>

#include "labs/lab.h"

namespace gpulab::labs::reduce {

/// How many operations an element passes through at most: the bound on rounding errors grows with it.
using Depth = std::function<double(const Case&)>;

/// `depth` into the tolerance of the answer.
[[nodiscard]] std::function<void(const Case&, Problem&)> within(Depth depth);

/// The same, for blocks that combine their results in `out` by atomics: it starts as the neutral element.
[[nodiscard]] std::function<void(const Case&, Problem&)> accumulates(Depth depth);

/// Completes a variant whose kernel leaves one result per block, of `per_thread` elements per thread: the same kernel
/// then reduces those results, until one is left.
[[nodiscard]] Variant repeats(Variant variant, std::uint32_t per_thread);

[[nodiscard]] double levels(const Case& c);  ///< of the tree over a block's threads

}  // namespace gpulab::labs::reduce
