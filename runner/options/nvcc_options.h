#pragma once
// --nvcc "-I… -D… -std=… -rdc=true", -I and -D: what a file is compiled with. The words are those that nvcc takes, of
// which only those pass that change what device code means. What runs programs or writes files is refused, and so is
// what a shell would read: nvcc hands its own command lines to one.

#include <string>
#include <vector>

#include "runner/options/option.h"
#include "runner/student_file/compile_options.h"

namespace gpulab {

[[nodiscard]] OptionList nvcc_options();
/// Throws usage_error, which names the word.
[[nodiscard]] CompileOptions parse_nvcc_options(const Given& given);

/// The words of a text as a shell takes them apart: at blanks, but for those between quotes. Throws usage_error.
[[nodiscard]] std::vector<std::string> shell_words(const std::string& text);

}  // namespace gpulab
