#pragma once
// What a ladder teaches: which counter moved from one rung to the next, and by how much.

#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/case/result.h"

namespace gpulab {

/// Fills Result::changes of every rung that was counted: the counters that its variant claims to improve, or, where
/// it claims none, the one that moved most against the rung before (by a tenth at least). Compares cases of equal
/// parameters, and of the same block where the sweep has one.
void add_rung_changes(const Lab& lab, std::vector<Result>& results);

/// "shared load bank conflicts fall from 63,488 to 0", "warp instructions fall from 309,184 to 223,744 (1.38 times)",
/// "branch efficiency rises from 65.4% to 100%".
[[nodiscard]] std::string change_text(const RungChange& change);

}  // namespace gpulab
