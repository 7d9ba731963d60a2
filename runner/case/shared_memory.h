#pragma once
// Requests for more shared memory than a block can have.

#include <optional>

#include "labs/lab.h"
#include "runner/case/plan.h"

namespace gpulab {

/// Throws usage_error where a launch of the plan needs more per block than the case's GPU has (nothing where that is
/// not known). The hint has what would fit: the largest values of the parameters, and of the block, that ask for it.
void check_shared_memory(const Lab& lab, const Variant& variant, const Plan& made, const std::optional<Dim3>& grid);

}  // namespace gpulab
