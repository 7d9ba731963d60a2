#pragma once
// What a ladder teaches: what a rung gains and what it loses against the rung that it is built on.

#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/case/result.h"

namespace gpulab {

/// Fills Result::built_on and Result::changes of every rung that was counted: the counters that its variant claims to
/// improve, then what else it gains and loses (by a tenth at least, the dearest first). Compares cases of equal
/// parameters, and of the same block where the sweep has one.
void add_rung_changes(const Lab& lab, std::vector<Result>& results);

/// "shared load bank conflicts fall from 63,488 to 0", "warp instructions fall from 309,184 to 223,744 (1.38 times)",
/// "branch efficiency rises from 65.4% to 100%".
[[nodiscard]] std::string change_text(const RungChange& change);

/// "1 of 132 SMs gets a block, 131 idle"; empty where every SM gets one.
[[nodiscard]] std::string idle_sms_text(const Spread& spread);

/// The values of a result's parameters and block in which it differs from others of the sweep: "n 1024, block 256".
[[nodiscard]] std::string swept_values(const Run& run, const Result& result);

/// What is said of one variant below a ladder.
struct RungStory {
  std::string variant, summary;
  /// Of each case of the variant: the values that the sweep gives it ("n 1024, block 256", empty where it has one
  /// case), and what it gains and loses there; or that it does neither.
  struct Point {
    std::string at;
    std::vector<std::string> gains, losses;
    std::string neither{};  ///< or that there is nothing to compare it with
    std::string time{};     ///< modelled or measured, against the rung that it is built on; empty: not known of both
  };
  std::vector<Point> points;
};

/// Of all variants, in the order of the ladder; nothing where there is one variant alone, for its page says it all.
[[nodiscard]] std::vector<RungStory> rung_stories(const Run& run);

/// "working warps: warps of a full block with a thread that works, summed over its tree's steps.": what the lab's own
/// metrics mean that the stories name; empty where they name none.
[[nodiscard]] std::string about_metrics(const Run& run);

}  // namespace gpulab
