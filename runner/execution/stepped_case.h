#pragma once
// A case whose steps are kept: what `gpulab trace` and the pages of the course's site ask of the simulator, and show.

#include "runner/execution/executor.h"
#include "runner/options/machine_options.h"
#include "runner/report/trace/trace_view.h"

namespace gpulab {

/// A simulator that is opened so keeps the window's steps.
void prepare_for_steps(MachineOptions& machine, TraceWindow window);

/// What there is to show of a result that has steps. It refers to the result.
[[nodiscard]] TraceView view_of_steps(const Lab& lab, const Variant& variant, const Executor& simulator,
                                      const Result& result);

}  // namespace gpulab
