#pragma once
// The page of `gpulab trace`: the document gpulab.trace.v1 and the scripts that step through it, in one file.

#include <string>

#include "runner/report/trace/trace_view.h"

namespace gpulab {

[[nodiscard]] std::string trace_page(const TraceView& view);
/// The document by itself.
[[nodiscard]] std::string trace_document(const TraceView& view);

}  // namespace gpulab
