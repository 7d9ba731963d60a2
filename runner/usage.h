#pragma once
// What --help says, of gpulab and of each command: all of it follows from the commands, the labs and their options.

#include <string>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// Of the command or lab that `words` begin with, which may name a lab (explain reduce); of gpulab where there are
/// none. Throws usage_error where there is no such command.
[[nodiscard]] std::string help_text(const std::vector<std::string>& words, const std::vector<Lab>& labs);

}  // namespace gpulab
