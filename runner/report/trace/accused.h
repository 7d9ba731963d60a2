#pragma once
// Which steps the findings of --sanitize mean: a race's two accesses, where they are in the window.

#include <cstddef>
#include <string>
#include <vector>

#include "runner/report/trace/trace_view.h"

namespace gpulab {

struct AccusedStep {
  std::size_t step = 0;     ///< of StepTrace::steps
  std::size_t finding = 0;  ///< of Result::findings
  std::size_t site = 0;     ///< of Finding::at
  int lane = 0;
  std::string what;  ///< "racecheck: lane 3 of block 0's warp 1, write of s[35]"
};

/// Whether a finding is of the launch whose steps these are.
[[nodiscard]] bool is_of_launch(const Finding& finding, const StepTrace& trace);

/// By step.
[[nodiscard]] std::vector<AccusedStep> accused_steps(const TraceView& view);

}  // namespace gpulab
