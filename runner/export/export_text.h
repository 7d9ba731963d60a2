#pragma once
// Texts in other people's formats: numbers of points, cuts, and what must be escaped where.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpulab {

/// "70", "33.3333": at most four places, no exponent.
[[nodiscard]] std::string points_text(double points);
/// The same as a number, so that sums of thirds are told alike everywhere.
[[nodiscard]] double rounded_points(double points);

/// At most `most` bytes, ended between characters; what was longer says so.
[[nodiscard]] std::string cut(std::string_view text, std::size_t most);
[[nodiscard]] std::string one_line(std::string_view text);

/// Of visible() text, for elements and attributes: also without what XML 1.0 has no place for.
[[nodiscard]] std::string xml_escaped(std::string_view text);
/// A cell of a Markdown table, or a line of a list: nothing in it is markup.
[[nodiscard]] std::string markdown_escaped(std::string_view text);
/// For a cell that a spreadsheet opens: what would be a formula is text.
[[nodiscard]] std::string defused(std::string_view text);

}  // namespace gpulab
