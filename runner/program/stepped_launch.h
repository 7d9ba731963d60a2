#pragma once
// A launch of a program, step by step, as `gpulab trace` shows a lab's.

#include <string>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "runner/report/trace/trace_view.h"

namespace gpulab {

/// `run.steps` as a view; both must stay. `sources`: files that were named (shown_source.h).
class SteppedLaunch {
 public:
  SteppedLaunch(const ProgramRun& run, const std::vector<std::string>& sources);
  SteppedLaunch(const SteppedLaunch&) = delete;
  SteppedLaunch& operator=(const SteppedLaunch&) = delete;
  TraceView view;

 private:
  Result result_;
  StepTrace steps_;
};

/// How many launches there were.
[[nodiscard]] std::uint64_t launches_of(const ProgramRun& run);

}  // namespace gpulab
