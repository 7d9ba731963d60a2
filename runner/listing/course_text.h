#pragma once
// The course for a terminal of so many columns: all labs, one lab, the metrics.

#include <cstddef>
#include <span>
#include <string>

#include "labs/lab.h"

namespace gpulab {

[[nodiscard]] std::string labs_text(std::span<const Lab> labs, std::size_t width);
/// Variants, parameters, contracts.
[[nodiscard]] std::string lab_text(const Lab& lab, std::size_t width);
/// Every counter and metric, with its definition and its names in profilers.
[[nodiscard]] std::string metrics_text(std::span<const Lab> labs, std::size_t width);

}  // namespace gpulab
