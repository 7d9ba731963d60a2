#pragma once
// Many results side by side: the columns that tell the rungs of a ladder apart. Used by table and markdown.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runner/case/result.h"
#include "runner/report/grid_text.h"

namespace gpulab {

/// Columns whose every cell would be empty are left out; parameters and blocks only where results differ in them.
[[nodiscard]] std::vector<TextColumn> ladder(const Run& run);

/// Parameters (and block) that all results share: "n 4194304 (2^22) · type float · block 256".
[[nodiscard]] std::string shared_case(const Run& run);

/// "simulator, modelling h200: compute capability 9.0, 132 SMs".
[[nodiscard]] std::string device_text(const DeviceInfo& info);

/// "passed", "wrong", "skipped" … in a word.
[[nodiscard]] std::string verdict(const Result& result);
[[nodiscard]] std::string param_text(const ParamValue& value);
[[nodiscard]] std::string percent_text(double ratio);  ///< "100%", "12.5%", "<0.1%"

}  // namespace gpulab
