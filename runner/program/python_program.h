#pragma once
// A script of Python's, and what its interpreter needs to read.

#include <string>
#include <vector>

namespace gpulab {

struct PythonProgram {
  std::string interpreter;            ///< that `python3` names
  std::vector<std::string> readable;  ///< where it and its packages lie
};

[[nodiscard]] bool is_python(const std::string& file);

/// Asks the interpreter. Throws Error (missing) where there is none.
[[nodiscard]] PythonProgram find_python();

/// For its packages: caches lie in `folder`, and the toolkit is found. NAME=VALUE.
[[nodiscard]] std::vector<std::string> python_environment(const std::string& folder);

}  // namespace gpulab
