#pragma once
// `gpulab check` for people and as gpulab.check.v1: what the formats of these names write (report/formats).

#include <string>

#include "runner/case/judgement.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string check_table(const Judgement& judgement, const Style& style);
[[nodiscard]] std::string check_json(const Judgement& judgement, const Style& style);

/// What shows the lines of a requirement that failed; empty where nothing does, or it did not fail.
[[nodiscard]] std::string explain_command(const Judgement& judgement, const JudgedRequirement& requirement);

}  // namespace gpulab
