#pragma once
// `gpulab list`: the labs, one lab, or the counters.

#include <span>
#include <string>

#include "labs/lab.h"

namespace gpulab {

[[nodiscard]] std::string list_labs(std::span<const Lab> labs);
[[nodiscard]] std::string list_lab(const Lab& lab);
[[nodiscard]] std::string list_metrics();

}  // namespace gpulab
