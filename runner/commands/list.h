#pragma once
// `gpulab list`: the labs, one lab, its kernels' resources, or the counters.

#include <span>
#include <string>

#include "labs/lab.h"

namespace gpulab {

[[nodiscard]] std::string list_labs(std::span<const Lab> labs);
[[nodiscard]] std::string list_lab(const Lab& lab);
/// What ptxas says of the lab's kernels on each architecture.
[[nodiscard]] std::string list_resources(const Lab& lab);
[[nodiscard]] std::string list_metrics();

}  // namespace gpulab
