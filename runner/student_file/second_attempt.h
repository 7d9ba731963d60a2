#pragma once
// What a file that did not compile is compiled as instead: with separate compilation where its kernels launch kernels,
// and without the host code that the compiler complains of. What device code means stays as it is.

#include <optional>
#include <string>
#include <vector>

#include "runner/student_file/compile.h"
#include "runner/student_file/compilers/messages.h"

namespace gpulab {

/// `errors`: of the attempt that failed; `log`: all that the compiler said. `attempt`: 1 for the
/// first that failed. Nothing where only device code is wrong, or nothing is left to try.
[[nodiscard]] std::optional<CompileRequest> next_attempt(const CompileRequest& request, const std::string& log,
                                                         const std::vector<CompileError>& errors, int attempt);

/// Does the PTX hold a body that was taken out as the host's?
[[nodiscard]] bool lacks_device_code(const std::string& ptx);

}  // namespace gpulab
