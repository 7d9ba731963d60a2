#pragma once
// CUDA C++ with its words in colours.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::pages {

/// The lines of `text` as HTML, each whole by itself. Keywords, types, numbers, comments, strings, and what CUDA lends:
/// classes k, t, n, c, q, b of page.css.
[[nodiscard]] std::vector<std::string> highlighted(std::string_view text);

/// The same with line numbers, in a box. `title` (text) names it; `first` is the number of the first line, 0: none.
/// `ids`: of lines that are linked to.
[[nodiscard]] std::string source_block(std::string_view title, std::string_view text, std::uint32_t first = 1,
                                       const std::map<std::uint32_t, std::string>& ids = {});

}  // namespace gpulab::pages
