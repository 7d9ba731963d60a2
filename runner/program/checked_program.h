#pragma once
// A program's file, looked at before it is run.

#include <string>

#include "runner/program/lent_libraries.h"

namespace gpulab {

/// Throws Error (missing) where it cannot run here: no program, another runtime, a closed library. What it needs of us.
[[nodiscard]] LibraryNeeds check_program(const std::string& path, const std::string& name);

}  // namespace gpulab
