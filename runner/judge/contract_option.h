#pragma once
// --contract NAME: which of a lab's contracts.

#include "labs/lab.h"
#include "runner/options/option.h"

namespace gpulab {

[[nodiscard]] OptionList contract_option(const Lab* lab);
/// Null where none is asked for. Throws usage_error for one that the lab does not have.
[[nodiscard]] const Contract* contract_asked_for(const Lab& lab, const Given& given);

/// Of `gpulab explain FILE` and `gpulab trace FILE`: a contract of any lab launches the file's kernel.
[[nodiscard]] OptionList contract_option_of_files();
/// Throws usage_error for options that say how to launch what a contract launches.
void refuse_launch_beside_contract(const Given& given);

}  // namespace gpulab
