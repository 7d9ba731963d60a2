#pragma once
// A program run to its end, with all that it says.

#include <string>
#include <vector>

#include "common/child/child.h"

namespace gpulab {

struct CapturedRun {
  /// Why it was ended before it did so itself.
  enum class Limit { none, wall, idle };
  int exit_code = 0;   ///< 128 + N where signal N ended it, as shells have it
  std::string output;  ///< standard output and standard error, as they came
  Limit limit = Limit::none;
  int signal = 0;  ///< that ended it
};

/// Runs what `plan` says with an empty standard input. Throws Error: missing where it cannot be started; interrupted
/// after Ctrl-C, when it has ended.
[[nodiscard]] CapturedRun run_captured(const ChildPlan& plan);
/// A program of the toolchain that is asked something: "--version".
[[nodiscard]] CapturedRun run_captured(const std::vector<std::string>& command);

}  // namespace gpulab
