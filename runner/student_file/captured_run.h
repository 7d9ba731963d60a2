#pragma once
// A program run to its end, with all that it says.

#include <string>
#include <vector>

namespace gpulab {

struct CapturedRun {
  int exit_code = 0;   ///< 128 + N where signal N ended it, as shells have it
  std::string output;  ///< standard output and standard error, as they came
};

/// Runs `command` (a path and its arguments; no shell). Its standard input is empty. Throws Error (missing) where it
/// cannot be started.
[[nodiscard]] CapturedRun run_captured(const std::vector<std::string>& command);

}  // namespace gpulab
