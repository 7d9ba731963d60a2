#pragma once
// `gpulab explain` as a page: the source, each line with its counters and its share of the modelled time.

#include <string>

#include "runner/report/explain_view.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string explain_page(const ExplainView& view, const Style& style);

}  // namespace gpulab
