#pragma once
// `gpulab trace --text`: the steps one after another, for the terminal.

#include <string>
#include <vector>

#include "runner/report/report.h"
#include "runner/report/trace/trace_view.h"

namespace gpulab {

[[nodiscard]] std::string trace_text(const TraceView& view, const Style& style);

/// "blocks 0 to 3".
[[nodiscard]] std::string recorded_blocks(const StepTrace& trace);
/// What of the launch is shown and what is not: sentences of both forms.
[[nodiscard]] std::vector<std::string> window_notes(const StepTrace& steps);

}  // namespace gpulab
