#include "runner/grade/source_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace gpulab {
namespace {

constexpr std::size_t most_lines = 4, most_width = 160;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The numbers behind "FILE:", in the order in which they are named.
std::vector<std::size_t> lines_named(std::string_view text, std::string_view file) {
  std::vector<std::size_t> lines;
  for (auto at = text.find(file); at != std::string_view::npos && lines.size() < most_lines;
       at = text.find(file, at + 1)) {
    if (at > 0 && (is_of_name(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '/')) continue;
    const auto rest = text.substr(at + file.size());
    if (!rest.starts_with(':')) continue;
    std::size_t line = 0;
    const auto* end = rest.data() + std::min<std::size_t>(rest.size(), 9);
    if (std::from_chars(rest.data() + 1, end, line).ec != std::errc{}) continue;
    if (std::ranges::count(lines, line) == 0) lines.push_back(line);
  }
  return lines;
}

/// Without what is around it; empty: there is no such line.
std::string_view line_of(std::string_view source, std::size_t number) {
  for (std::size_t line = 1; line < number; ++line) {
    const auto end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  if (number == 0) return {};
  source = source.substr(0, source.find('\n'));
  const auto first = source.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return source.substr(first, source.find_last_not_of(" \t\r") + 1 - first);
}

}  // namespace

std::string with_source_lines(std::string text, std::string_view file, std::string_view source) {
  if (file.empty()) return text;
  for (const auto number : lines_named(text, file)) {
    const auto line = line_of(source, number);
    if (line.empty()) continue;
    // A character that is cut in two would be shown by its number: those that go on one are left out with it.
    auto width = std::min(most_width, line.size());
    while (width > 0 && width < line.size() && (static_cast<unsigned char>(line[width]) & 0xC0U) == 0x80U) --width;
    text += fmt::format("\n{}:{} is: {}{}", file, number, line.substr(0, width), width < line.size() ? " …" : "");
  }
  return text;
}

}  // namespace gpulab
