#pragma once
// Sizes on the command line: 4096, 2^22, 4M (10^6), 4Mi (2^20), ranges 2^10:2^24 and 1000:5000:1000, lists.

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpulab {

/// One size. Throws usage_error; `option` ("--n") names the culprit.
[[nodiscard]] std::int64_t parse_size(std::string_view text, std::string_view option);

/// A comma-separated list of sizes and ranges, in the order given. `a:b` doubles from a to b (powers of two);
/// `a:b:step` adds. Throws usage_error, also for a value that appears twice.
[[nodiscard]] std::vector<std::int64_t> parse_sizes(std::string_view text, std::string_view option);

}  // namespace gpulab
