#pragma once
// `gpulab explain LAB|FILE …`: one case on the simulator, counted by source line.

#include <span>
#include <string>

#include "common/error.h"
#include "labs/lab.h"
#include "runner/options/options.h"

namespace gpulab {

/// Runs, reports, and returns the exit code. After ExitCode::interrupted a case may still be running: end the process.
[[nodiscard]] ExitCode explain(const std::string& target, const Given& given, std::span<const Lab> labs);

/// Does `target` name a file rather than a lab?
[[nodiscard]] bool is_kernel_file(std::string_view target);

}  // namespace gpulab
