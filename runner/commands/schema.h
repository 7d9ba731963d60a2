#pragma once
#include <string_view>

namespace gpulab {

/// The JSON Schema (configs/schema/NAME.json) of a document that gpulab writes. Throws usage_error.
[[nodiscard]] std::string_view schema(std::string_view name);

}  // namespace gpulab
