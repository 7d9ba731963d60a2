#pragma once
// `gpulab compare` for people and as gpulab.compare.v1: what the formats of these names write (report/formats).

#include <string>

#include "runner/report/comparison.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string compare_table(const Comparison& comparison, const Style& style);
[[nodiscard]] std::string compare_markdown(const Comparison& comparison, const Style& style);
[[nodiscard]] std::string compare_csv(const Comparison& comparison, const Style& style);
[[nodiscard]] std::string compare_json(const Comparison& comparison, const Style& style);

}  // namespace gpulab
