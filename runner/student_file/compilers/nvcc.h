#pragma once
// A file compiled by nvcc in a child.

#include <optional>
#include <string>
#include <vector>

#include "runner/student_file/compile.h"

namespace gpulab {

/// What the preprocessor made of a file, which is all that the compiler sees.
struct Preprocessed {
  std::string text;
  std::vector<std::string> files;  ///< that it is made of, but for the one that is compiled
};

struct CompileOutcome {
  bool succeeded = false;
  Compiled compiled;
  Preprocessed preprocessed{};  ///< empty where the compiler did not keep it
  std::string limit{};          ///< of the compiler's that the file went beyond, in words; empty: none
  bool killed = false;          ///< from outside (common/child/killed.h)
};

/// Nothing where the preprocessor refuses the file.
[[nodiscard]] std::optional<Preprocessed> preprocess_with_nvcc(const CompileRequest& request, const std::string& nvcc);
[[nodiscard]] CompileOutcome compile_with_nvcc(const CompileRequest& request, const std::string& nvcc);

}  // namespace gpulab
