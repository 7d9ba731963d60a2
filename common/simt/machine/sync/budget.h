#pragma once
// How long a launch may run: warp instructions that it may execute, and what is said of one that used them up.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/launch_error.h"
#include "common/progress/launch_progress.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/grid.h"

namespace gpulab::simt {

/// Each of so many warps that run beside the one that ends first adds as much to the patience; at most it doubles.
inline constexpr std::uint64_t kPatientWarps = 512;

/// All blocks that the modelled GPU has room for wait, and others have not started.
struct WaitingForBlocks {
  std::uint64_t wait = 0, not_started = 0, all = 0;
};

/// The launch's allowance of warp instructions, drawn by workers in large steps.
class Budget {
 public:
  /// `warps`: that run side by side.
  Budget(const Program& program, const GridOptions& options, std::uint64_t warps)
      : program_(program),
        total_(options.budget),
        patience_(options.patience + std::min(warps, kPatientWarps) * (options.patience / kPatientWarps)),
        left_(static_cast<std::int64_t>(options.budget - std::min(options.spent, options.budget))) {}
  /// For what `block` has just executed. `waiting`: why others cannot start, where it is so.
  void spend(std::uint64_t instructions, const BlockContext& block, const auto& add_places,
             const std::function<std::optional<WaitingForBlocks>()>& waiting = {}) {
    const bool within = left_.fetch_sub(static_cast<std::int64_t>(instructions), std::memory_order_relaxed) >=
                        static_cast<std::int64_t>(instructions);
    if (within &&
        (patience_ == 0 || waited_.fetch_add(instructions, std::memory_order_relaxed) + instructions <= patience_))
      return;
    ThreadPlaces places;
    add_places(places);
    const std::string look = "look for a loop that cannot end, or waits for a lock that nobody releases";
    if (within)
      fail(block,
           fmt::format("no block of {} ended within {} warp instructions, which is long or without end: {}",
                       program_.name, patience_, described(program_, places)),
           look + "; where there is none, --budget 20G lets the launch run so far", waiting);
    fail(block,
         fmt::format("{} did not end within {} warp instructions: {}", program_.name, total_,
                     described(program_, places)),
         (block.launch.grid_workspace ? fmt::format("{}; or {}", kGridBarrier, look) : look) + "; or raise --budget",
         waiting);
  }
  /// Its blocks do nothing but wait, and will never do anything else.
  [[noreturn]] void waits_in_vain(const BlockContext& block, const ThreadPlaces& places,
                                  const std::function<std::optional<WaitingForBlocks>()>& waiting) const {
    fail(block,
         fmt::format("{} never ends: {}, and no thread of the launch will change what they wait for", program_.name,
                     described(program_, places, " wait")),
         block.launch.grid_workspace
             ? std::string(kGridBarrier)
             : "a lock has to be given back on every way out (return, break, continue), and a flag be set by a thread "
               "that does not wait itself",
         waiting);
  }
  void block_ended() {
    launch_progress.block_ended();
    if (patience_ != 0) waited_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr const char* kGridBarrier =
      "all threads of all blocks have to call grid.sync(), equally often: let no branch and no return lead around it";

  [[noreturn]] static void fail(const BlockContext& block, std::string what, std::string hint,
                                const std::function<std::optional<WaitingForBlocks>()>& waiting) {
    if (const auto blocks = waiting ? waiting() : std::nullopt) {
      what +=
          fmt::format("; {} of {} blocks cannot start while {} wait", blocks->not_started, blocks->all, blocks->wait);
      hint = fmt::format(
          "a barrier of the whole grid needs all its blocks on the GPU at once: launch at most {} of this kind, each "
          "working on several pieces, or use cudaLaunchCooperativeKernel and grid.sync(), which refuse more",
          blocks->wait);
    }
    throw LaunchError(LaunchFailure::hung, what, block.place(), hint);
  }

  const Program& program_;
  std::uint64_t total_, patience_;
  std::atomic<std::int64_t> left_;
  std::atomic<std::uint64_t> waited_{0};  ///< since a block ended
};

}  // namespace gpulab::simt
