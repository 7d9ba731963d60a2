#pragma once
// A lab run from its options to its report and exit code.

#include <memory>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "runner/execution/executor.h"
#include "runner/options/options.h"
#include "runner/options/sweep.h"

namespace gpulab {

/// Runs, reports, and returns the exit code. After ExitCode::interrupted a case may still be running: end the process.
[[nodiscard]] ExitCode run_lab(const LabOptions& options);
/// The same on a device that is open already.
[[nodiscard]] ExitCode run_lab(const LabOptions& options, const std::shared_ptr<Executor>& executor);

/// What a sweep must know of where it runs.
[[nodiscard]] Host host_of(const Executor& executor);

/// Runs every point; one that fails does not end the others. Stops early once interrupted() says so, the running
/// case then reported as `interrupted`.
[[nodiscard]] std::vector<Result> run_points(const std::shared_ptr<Executor>& executor, const LabOptions& options,
                                             const std::vector<Point>& points);

/// The worst of 4, 1, 3; 130 where a result was interrupted. `points` and `results` correspond.
[[nodiscard]] ExitCode exit_code(const std::vector<Point>& points, const std::vector<Result>& results);

}  // namespace gpulab
