#pragma once

#include <string_view>
#include <vector>

namespace gpulab {

/// The text's lines, without their ends (\n or \r\n); [0] is line 1.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace gpulab
