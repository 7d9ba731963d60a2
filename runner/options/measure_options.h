#pragma once
// How a GPU is timed.

#include "runner/case/measuring/measure.h"
#include "runner/options/option.h"

namespace gpulab {

[[nodiscard]] OptionList measure_options();
/// Throws usage_error.
[[nodiscard]] MeasureOptions parse_measure_options(const Given& given);

}  // namespace gpulab
