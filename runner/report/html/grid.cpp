#include "runner/report/html/grid.h"

#include <fmt/format.h>

#include "runner/report/html/escape.h"

namespace gpulab::html {

std::string wide(std::string_view label, const std::string& inner) {
  return fmt::format("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n",
                     escaped(label), inner);
}

namespace {

/// Bytes that are read: those of tags are not.
std::size_t letters_of(std::string_view markup) {
  std::size_t count = 0;
  bool in_tag = false;
  for (const char c : markup) {
    in_tag |= c == '<';
    if (!in_tag) ++count;
    in_tag &= c != '>';
  }
  return count;
}

/// Long names may be broken behind an underscore, where a phone has no room for them; else they are broken anywhere.
std::string breakable(std::string_view markup) {
  std::string out;
  bool in_tag = false;
  for (const char c : markup) {
    in_tag |= c == '<';
    out += c;
    if (c == '_' && !in_tag) out += "<wbr>";
    in_tag &= c != '>';
  }
  return out;
}

}  // namespace

std::string table(std::string_view caption, const std::vector<Column>& columns,
                  const std::vector<std::string>& row_classes) {
  std::string out = fmt::format("<table>\n<caption>{}</caption>\n<thead><tr>", escaped(caption));
  const auto of_class = [](const Column& column) { return column.number ? " class=\"num\"" : ""; };
  constexpr std::size_t long_text = 28;  // bytes: wants to be a few lines, not many
  const auto of_cell = [&](const Column& column, const std::string& cell) {
    return !column.number && letters_of(cell) > long_text ? " class=\"prose\"" : of_class(column);
  };
  for (const auto& column : columns)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", of_class(column), column.heading);
  out += "</tr></thead>\n<tbody>\n";
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  for (std::size_t i = 0; i < rows; ++i) {
    const bool classed = i < row_classes.size() && !row_classes[i].empty();
    out += classed ? fmt::format("<tr class=\"{}\">", row_classes[i]) : "<tr>";
    for (const auto& column : columns) {
      out += column.row_heading ? fmt::format("<th scope=\"row\">{}</th>", breakable(column.cells[i]))
                                : fmt::format("<td{}>{}</td>", of_cell(column, column.cells[i]), column.cells[i]);
    }
    out += "</tr>\n";
  }
  return wide(caption, out + "</tbody>\n</table>\n");
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& terms) {
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [term, text] : terms)
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, text);
  return out + "</dl>\n";
}

}  // namespace gpulab::html
