#pragma once
// Which lines of a launch cost more than they must, and why, in words.

#include <vector>

#include "runner/report/explain/explanation.h"

namespace gpulab {

/// The worst first. `sm_count`: of the GPU that blocks spread over.
[[nodiscard]] std::vector<Mark> marks_of(const LaunchLines& launch, const std::vector<ExplainedLine>& lines,
                                         int sm_count);

}  // namespace gpulab
