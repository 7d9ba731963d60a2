#pragma once
// What a GPU can do at most: measured there, or by the timing model.

#include <string>
#include <vector>

#include "runner/execution/executor.h"
#include "runner/options/machine_options.h"
#include "runner/report/roofline/roofline.h"

namespace gpulab {

/// By what configs/timing has of this GPU (the profile's id), else by its data sheet. `validated`: the first.
[[nodiscard]] std::vector<Ceiling> modelled_ceilings(std::string_view profile, bool& validated);

/// Each by the plainest kernel that reaches it (ceiling_kernels.h), on a GPU, the best of some dozen samples. What
/// could not be measured is said in `problems`.
[[nodiscard]] std::vector<Ceiling> measured_ceilings(const MachineOptions& machine, std::vector<std::string>& problems);

}  // namespace gpulab
