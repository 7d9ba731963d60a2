#pragma once
// NVRTC is a library, and a stranger's file may exhaust or crash it: it is loaded in a child, which is this program
// again. What it is asked and what it made are files in a private folder.

#include <string>

#include "runner/student_file/compilers/nvcc.h"

namespace gpulab {

[[nodiscard]] CompileOutcome compile_with_nvrtc(const CompileRequest& request, const std::string& library);

/// To be called first in main: where this process was started as such a child, compiles and ends it.
void compile_if_nvrtc_process(int argc, const char* const* argv);

}  // namespace gpulab
