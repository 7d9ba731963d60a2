#pragma once
// The text of a program's sources, for reports. Which file that is, is the word of the program's process: a stranger's.

#include <map>
#include <string>
#include <vector>

#include "common/cuda_api/program_run.h"

namespace gpulab {

/// The text of the file `named`, where the program could have read it, too: below the current folder or its own, or one
/// of `sources`. Empty where it is not shown.
[[nodiscard]] std::string shown_source(const std::string& named, const ProgramRun& run,
                                       const std::vector<std::string>& sources);

/// Of all files that kernels' lines name, by their names.
[[nodiscard]] std::map<std::string, std::string> shown_sources(const ProgramRun& run,
                                                               const std::vector<std::string>& sources);

}  // namespace gpulab
