#pragma once
// Where blocks meet at one address, and what follows for a GPU, whose blocks run side by side: in the simulator a block
// starts when those before it have done their part.

#include <cstdint>

#include "common/simt/timing/trace.h"

namespace gpulab::simt {

/// Whether a site looks at an address again and again until somebody has stored there: a short loop around it.
[[nodiscard]] bool is_poll(const Site& site);

/// The part of the blocks each of which waits for the one before it: what two poll lies as far apart, block by block,
/// as each one's store behind its poll lies from what it polled. 0: there is none, or a block stores for the next one
/// before it polls, so that those behind do not wait for its end (decoupled look-back).
[[nodiscard]] double chained(const GridTrace& trace);

/// Warps that would try to swap at one address, too, had they run at once with those that do: all that look there
/// before anybody has swapped, those of the blocks that are resident first.
struct Swaps {
  std::uint64_t sector = 0;
  double lanes = 0;  ///< of warps that have only looked
};
[[nodiscard]] Swaps missed_swaps(const GridTrace& trace, std::size_t resident);

}  // namespace gpulab::simt
