#pragma once
// A launch: blocks over CPU threads, or in one fixed interleaving where they wait for each other.

#include <cstdint>
#include <string>

#include "common/counters.h"
#include "common/simt/block.h"

namespace gpulab::simt {

struct GridOptions {
  int threads = 1;             ///< CPU threads
  std::uint64_t budget = 0;    ///< warp instructions before the launch counts as hung
  std::uint64_t resident = 1;  ///< blocks that the modelled GPU holds at once
};

struct GridResult {
  Counters counters;
  std::string output;  ///< of printf, in block order
};

/// Runs every block. Results and counters do not depend on `threads`. Throws LaunchError: the fault of the lowest
/// block that has one, a deadlock, or "hung" when the budget is used up.
[[nodiscard]] GridResult run_grid(const LaunchState& launch, const GridOptions& options);

}  // namespace gpulab::simt
