#pragma once
// Which lines of two kernels do not cost the same.

#include <vector>

#include "common/line_counts.h"
#include "runner/report/comparison.h"

namespace gpulab {

/// Of the launches that execute most: lines with the same text, in the same order, are one; others stand on one side
/// alone. Those whose cost differs by a fiftieth of the dearer kernel and more, dearest first. `sm_count`: of the GPU
/// that is modelled.
[[nodiscard]] std::vector<LineDifference> line_differences(const std::vector<LaunchLines>& a,
                                                           const std::vector<LaunchLines>& b, int sm_count);

}  // namespace gpulab
