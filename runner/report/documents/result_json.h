#pragma once
// A result and its parts as every document writes them (configs/schema/run.json).

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runner/case/result.h"

namespace gpulab {

/// `chosen`: the metrics asked for; empty: all.
[[nodiscard]] nlohmann::ordered_json result_json(const Result& result, const std::vector<std::string>& chosen = {});
[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding);
[[nodiscard]] nlohmann::ordered_json params_json(const decltype(Result::params)& values);
[[nodiscard]] nlohmann::ordered_json value_json(const decltype(Mismatch::got)& value);

}  // namespace gpulab
