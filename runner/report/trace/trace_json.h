#pragma once
// The document gpulab.trace.v1: the steps in packed columns, with all that a page needs to show them.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "runner/report/trace/trace_view.h"

namespace gpulab {

/// `most`: bytes that its packed parts may take. The lanes' values are cut where they take more, and the document says
/// so.
[[nodiscard]] nlohmann::ordered_json trace_json(const TraceView& view, std::size_t most);

}  // namespace gpulab
