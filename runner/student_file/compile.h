#pragma once
// A CUDA source file of a student's own to PTX with line information: by nvcc where there is one, else by NVRTC.

#include <optional>
#include <string>

#include "labs/kernel_file.h"
#include "runner/student_file/compile_cache.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {

struct CompileRequest {
  std::string file;             ///< as the user named it; stands in messages and line information
  std::string source;           ///< its text
  std::string instance;         ///< a template's instance that must be there, "scale<float>"; empty: none
  int compute_capability = 75;  ///< 90 for 9.0; the nearest that the compiler knows is taken
};

/// Takes it from the cache where nothing has changed. Errors of the compiler go to standard error as it words them;
/// then an Error (usage) with the first one's text and line is thrown.
[[nodiscard]] Compiled compile(const CompileRequest& request, const Compiler& compiler);

/// What `ptxas -v` says of one kernel; nothing where it does not know the architecture, or the PTX.
[[nodiscard]] std::optional<KernelResources> resources(const std::string& ptx, const std::string& entry, int sm,
                                                       const std::string& ptxas);

/// The first error of a compiler's output ("FILE(LINE): error: TEXT", "FILE:LINE:COLUMN: fatal error: TEXT").
struct CompileError {
  std::string file, text;
  int line = 0;
};
[[nodiscard]] std::optional<CompileError> first_error(std::string_view log);

}  // namespace gpulab
