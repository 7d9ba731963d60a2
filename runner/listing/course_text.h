#pragma once
// The course for a terminal: all labs, one lab, the metrics.

#include <span>
#include <string>

#include "labs/lab.h"

namespace gpulab {

[[nodiscard]] std::string labs_text(std::span<const Lab> labs);
/// Variants, parameters, contracts.
[[nodiscard]] std::string lab_text(const Lab& lab);
/// Every counter and metric, with its definition and its names in profilers.
[[nodiscard]] std::string metrics_text(std::span<const Lab> labs);

}  // namespace gpulab
