#pragma once
// JSON for people: what fits a line stays on it.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpulab {

/// Indented by two; arrays and objects that fit 120 columns stay on one line. Ends with a newline.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// A number, or "nan", "inf", "-inf", which JSON has no numbers for.
[[nodiscard]] nlohmann::ordered_json json_real(double value);

}  // namespace gpulab
