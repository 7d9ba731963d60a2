#pragma once
// A program's file, looked at before it is run.

#include <string>

#include "runner/program/lent_libraries.h"

namespace gpulab {

/// Throws Error (missing) where it cannot run here: no program, another runtime, a closed library. What it needs of us.
/// `may_lack_runtime`: one that does not use CUDA at all runs, too.
[[nodiscard]] LibraryNeeds check_program(const std::string& path, const std::string& name,
                                         bool may_lack_runtime = false);

}  // namespace gpulab
