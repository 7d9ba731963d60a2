#pragma once
// Text in columns, for terminals and Markdown.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct TextColumn {
  std::vector<std::string> heading;  ///< lines, top to bottom
  std::vector<std::string> cells;
  bool right = true;  ///< numbers to the right, words to the left
  int priority = 0;   ///< where the width is short, the highest goes first
};

/// Columns two blanks apart, headings above a rule. Columns of the highest priority number (last among equals) are
/// left out until the rest fits `width`; their names are returned in `left_out`.
[[nodiscard]] std::string aligned(std::vector<TextColumn> table, std::size_t width, std::vector<std::string>& left_out);

/// A heading whose lines were broken for width, on one line.
[[nodiscard]] std::string heading_text(const TextColumn& column);

/// The words of a name such as "shared_load_bank_conflicts" in two lines of about the same width, the second first to
/// have one.
[[nodiscard]] std::vector<std::string> heading_in_two_lines(std::string_view name);

/// `text` behind a label at a hanging indent: "  label   text text" / "          text". A label that comes
/// too near to the text, less than two blanks that it does not bring itself, has a line of its own.
[[nodiscard]] std::string hanging(const std::string& label, std::size_t indent, std::string_view text,
                                  std::size_t width);

/// Lines of `text` that are longer than `width` go on below themselves, two blanks further in than they begin.
[[nodiscard]] std::string within(std::string_view text, std::size_t width);

/// One text padded to `width` columns.
[[nodiscard]] std::string padded(const std::string& text, std::size_t width, bool right);

}  // namespace gpulab
