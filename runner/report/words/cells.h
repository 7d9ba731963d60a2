#pragma once
// One cell of a table in a file.

#include <string>

namespace gpulab {

/// RFC 4180: quoted where it holds a comma, a quote or the end of a line.
[[nodiscard]] std::string csv_cell(const std::string& text);
/// Bars would end it, line ends the table, and < may open a tag.
[[nodiscard]] std::string markdown_cell(const std::string& text);

}  // namespace gpulab
