#pragma once
// A launch: blocks over CPU threads, or in one fixed interleaving where they wait for each other.

#include <cstdint>
#include <functional>
#include <string_view>

#include "common/counters.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/others.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

/// `cut`: bytes behind the text that are more than the launch may print.
using Print = std::function<void(std::string_view text, std::uint64_t cut)>;
using Look = std::function<void(const Workers&)>;

struct GridOptions {
  int threads = 1;           ///< CPU threads
  std::uint64_t spent = 0;   ///< of the budget, by earlier grids of the same launch
  std::uint64_t budget = 0;  ///< warp instructions before the launch counts as hung
  /// Warp instructions in which some block ends, or the launch counts as hung, too; more where many run side by side.
  /// 0: nobody waits for it.
  std::uint64_t patience = 0;
  std::uint64_t resident = 1;  ///< blocks that the modelled GPU holds at once
  /// Waiting uses up neither budget nor patience while others may act. Empty: there are none.
  AskOthers others{};
};

/// Runs every block. Results and counters do not depend on `threads`. What kernels print is given to `print` as it
/// comes, in block order, also before a failure. Throws LaunchError: the fault of the lowest block that has one, a
/// deadlock, or "hung" when the budget is used up. Where blocks wait for each other, and under a schedule
/// (LaunchState::schedule), they print, fault and add floating-point numbers in the order in which they run, which is
/// the same in each run. `look` sees what the workers of a launch that ended counted by instruction (line_counts.h).
[[nodiscard]] Counters run_grid(const LaunchState& launch, const GridOptions& options, const Print& print,
                                const Look& look = {});

}  // namespace gpulab::simt
