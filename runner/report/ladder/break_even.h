#pragma once
// From which size on the way to a GPU and back is worth it, as a sweep that was measured tells.

#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/case/result.h"

namespace gpulab {

/// For each variant that the lab asks about and each set of other parameters: where its speed-up to the CPU passes 1,
/// between neighbours of the sweep. Nothing where fewer than two sizes have such a speed-up.
[[nodiscard]] std::vector<BreakEven> break_evens(const Lab& lab, const std::vector<Result>& results);

/// "From n = 1,100 on (between 1024 and 2048), round_trip is faster than the CPU.", or that the sweep does not reach
/// it.
[[nodiscard]] std::string break_even_text(const BreakEven& found);

}  // namespace gpulab
