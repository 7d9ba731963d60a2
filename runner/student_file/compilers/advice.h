#pragma once
// What to do about errors of nvcc and its programs whose own words do not tell: names demangled, sizes in decimal, the
// line of the source. A rule for each in advice.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/student_file/compilers/messages.h"

namespace gpulab {

/// A file that was compiled.
struct SourceText {
  std::string name, text;
};

/// A sentence for each error that a rule knows, in their order, each once. Lines of `log` are a stranger's.
[[nodiscard]] std::vector<std::string> advice_on(std::string_view log, std::span<const SourceText> sources);

/// The same of one error, which is of `source`. Empty: its words tell, or nobody knows.
[[nodiscard]] std::string advice_on(const CompileError& error, std::string_view source);

}  // namespace gpulab
