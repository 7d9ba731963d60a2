#pragma once
// Columns of numbers and bytes, small enough for a page: each number is the difference from the one above it (32 bits,
// wrapping), the differences' lowest bytes come first, then the next ones, and all of it is deflated (zlib) as base64.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulab {

using Column = std::pair<std::string, std::vector<std::uint32_t>>;

/// {"rows": …, "columns": [names], "data": "…"}. All columns have the same length.
[[nodiscard]] nlohmann::ordered_json packed_table(const std::vector<Column>& columns);

/// Deflated, as base64.
[[nodiscard]] std::string packed_bytes(std::string_view bytes);

}  // namespace gpulab
