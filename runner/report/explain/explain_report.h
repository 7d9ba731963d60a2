#pragma once
// `gpulab explain` for people and as gpulab.explain.v1: what the formats of these names write (report/formats).

#include <optional>
#include <string>

#include "runner/report/explain/explanation.h"
#include "runner/report/explain_view.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string explain_table(const ExplainView& view, const Style& style);
[[nodiscard]] std::string explain_json(const ExplainView& view, const Style& style);

/// Why lines are those of the PTX; empty where they are the user's.
[[nodiscard]] std::string ptx_reason(const LaunchLines& launch);

/// The accesses of `line` to shared memory. Throws usage_error where there is none, with the lines that have some.
[[nodiscard]] std::vector<LineAccess> shared_accesses(const LaunchLines& launch, std::uint32_t line);

}  // namespace gpulab
