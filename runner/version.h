#pragma once
#include <string_view>

namespace gpulab {

/// "0.1.0", from CMakeLists.txt.
[[nodiscard]] std::string_view version();

}  // namespace gpulab
