#pragma once
// What to do about the errors of a program's build (student_file/compilers/advice.h), and what a build says of itself
// that a student would not think of.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// "  hint: …", a line for each, with line ends: of a build that failed and said `log`. `words`: nvcc's, of which the
/// source files are read; `old_cuda`: they had what --old-cuda supplies.
[[nodiscard]] std::string advice_on_build(std::string_view log, const std::vector<std::string>& words, bool old_cuda);

/// The same of a build that succeeded: assert() in kernels that NDEBUG switches off. Empty: nothing.
[[nodiscard]] std::string notes_on_build(const std::vector<std::string>& words);

}  // namespace gpulab
