#include "runner/report/grid_text.h"

#include <algorithm>
#include <iterator>

#include "common/text.h"

namespace gpulab {
namespace {

std::size_t width_of(const TextColumn& column) {
  std::size_t width = 0;
  for (const auto& line : column.heading) width = std::max(width, columns(line));
  for (const auto& cell : column.cells) width = std::max(width, columns(cell));
  return width;
}

std::size_t total_width(const std::vector<TextColumn>& table) {
  std::size_t width = 0;
  for (const auto& column : table) width += width_of(column) + 2;
  return width < 2 ? 0 : width - 2;
}

/// Lines end at their last visible character.
void add_line(std::string line, std::string& text) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

}  // namespace

// "bank confl." + "/request", "occu-" + "pancy", "to rung" + "before"
std::string heading_text(const TextColumn& column) {
  std::string text;
  for (const auto& line : column.heading) {
    if (text.ends_with('-')) {
      text.pop_back();
    } else if (!text.empty() && !text.ends_with('/') && !line.starts_with('/')) {
      text += ' ';
    }
    text += line;
  }
  return text;
}

std::vector<std::string> heading_in_two_lines(std::string_view name) {
  const auto words = split(name, '_');
  std::vector<std::string> best{"", join(words, " ")};
  const auto width = [](const std::vector<std::string>& lines) { return std::max(lines[0].size(), lines[1].size()); };
  for (auto middle = words.begin() + 1; middle < words.end(); ++middle) {
    std::vector<std::string> lines{join({words.begin(), middle}, " "), join({middle, words.end()}, " ")};
    if (width(lines) < width(best)) best = std::move(lines);
  }
  return best;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blank(width - std::min(width, columns(text)), ' ');
  return right ? blank + text : text + blank;
}

std::string hanging(const std::string& label, std::size_t indent, std::string_view text, std::size_t width) {
  std::string out, first = padded(label, indent, false);
  const std::size_t gap = label.empty() || label.ends_with(' ') ? 0 : 2;
  if (columns(label) + gap > indent) {
    out = label + '\n';
    first = std::string(indent, ' ');
  }
  for (const auto& line : wrapped(text, width - std::min(width, indent))) {
    out += first + line + '\n';
    first = std::string(indent, ' ');
  }
  return out;
}

std::string within(std::string_view text, std::size_t width) {
  std::string out;
  for (const auto& line : split(text, '\n')) {
    const auto blanks = std::min(line.find_first_not_of(' '), line.size());
    const auto words = std::string_view(line).substr(blanks);
    // The first line has the two blanks that the others are further in.
    const auto whole = columns(line) <= width;
    out += whole ? line + '\n' : hanging("", blanks + 2, words, width).substr(2);
  }
  out.pop_back();  // behind the last line's end
  return out;
}

std::string aligned(std::vector<TextColumn> table, std::size_t width, std::vector<std::string>& left_out) {
  while (table.size() > 1 && total_width(table) > width) {
    // From the back: the last among equals is the first to go.
    const auto by_priority = [](const TextColumn& a, const TextColumn& b) { return a.priority < b.priority; };
    const auto least = std::max_element(table.rbegin(), table.rend(), by_priority);
    if (least->priority == 0) break;
    left_out.push_back(heading_text(*least));
    table.erase(std::next(least).base());
  }
  std::size_t heading_lines = 0, rows = 0;
  std::vector<std::size_t> widths;  // once: a sweep may have ten thousand rows
  for (const auto& column : table) {
    widths.push_back(width_of(column));
    heading_lines = std::max(heading_lines, column.heading.size());
    rows = std::max(rows, column.cells.size());
  }
  std::string text;
  const auto line_of = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < table.size(); ++i) line += padded(cell_of(table[i]), widths[i], table[i].right) + "  ";
    add_line(line, text);
  };
  for (std::size_t i = 0; i < heading_lines; ++i) {
    line_of([&](const TextColumn& column) {  // headings stand on the rule
      const auto blank = heading_lines - column.heading.size();
      return i < blank ? std::string() : column.heading[i - blank];
    });
  }
  std::string rule;
  for (const auto width : widths) {
    for (std::size_t i = 0; i < width; ++i) rule += "─";
    rule += "  ";
  }
  add_line(rule, text);
  for (std::size_t row = 0; row < rows; ++row) {
    line_of([&](const TextColumn& column) { return row < column.cells.size() ? column.cells[row] : std::string(); });
  }
  return text;
}

}  // namespace gpulab
