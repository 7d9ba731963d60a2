#pragma once
// A file compiled by nvcc in a child.

#include <string>

#include "runner/student_file/compile.h"

namespace gpulab {

struct CompileOutcome {
  bool succeeded = false;
  Compiled compiled;
  std::string limit;  ///< of the compiler's that the file went beyond, in words; empty: none
};

[[nodiscard]] CompileOutcome compile_with_nvcc(const CompileRequest& request, const std::string& nvcc);

}  // namespace gpulab
