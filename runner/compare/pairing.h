#pragma once
// Which result of one document is to be compared with which of another.

#include "runner/compare/document.h"
#include "runner/report/comparison.h"

namespace gpulab {

/// Same lab, variant (or kernel), parameters and launch; of several alike, in their order. Pairs stand in the order of
/// B, what B lacks in that of A. Throws usage_error: nothing of one is in the other.
[[nodiscard]] Comparison paired(ResultDocument a, ResultDocument b, double threshold);

}  // namespace gpulab
