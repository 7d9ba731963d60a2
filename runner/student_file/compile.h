#pragma once
// A CUDA source file of a student's own to PTX with line information: by nvcc where there is one, else by NVRTC, in a
// child that sees the file and the toolkit (compilers/isolation.h).

#include <map>
#include <string>

#include "runner/student_file/compile_cache.h"
#include "runner/student_file/compile_options.h"
#include "runner/student_file/compilers/isolation.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {

struct CompileRequest {
  std::string file;      ///< as the user named it; stands in messages and line information
  std::string source;    ///< its text
  std::string instance;  ///< a template's instance that must be there, "scale<float>", or one a line; empty: none
  int compute_capability = 75;  ///< 90 for 9.0; the nearest that the compiler knows is taken
  Isolation isolation{};
  CompileOptions options{};
  /// What stands for files, by their absolute paths: their text without host code that does not compile.
  std::map<std::string, std::string> amended{};
  std::string* messages = nullptr;  ///< takes what the compiler says, in place of standard error

  [[nodiscard]] int architecture() const { return options.architecture.value_or(compute_capability); }
};

/// Takes it from the cache where nothing has changed. Errors of the compiler go to standard error as it words them (or
/// to `messages`); then an Error (usage) with the first one's text and line is thrown.
[[nodiscard]] Compiled compile(const CompileRequest& request, const Compiler& compiler);

}  // namespace gpulab
