#include "runner/export/csv_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"

namespace gpulab {
namespace {

constexpr std::size_t most_rows = 100000, most_columns = 4096;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string unquoted(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"') return std::string(raw);
  std::string value;
  for (std::size_t i = 1; i < raw.size(); ++i) {
    if (raw[i] == '"' && (i + 1 == raw.size() || raw[i + 1] != '"')) continue;  // the last one
    if (raw[i] == '"') ++i;
    value += raw[i];
  }
  return value;
}

/// The one that the first line has most of.
char separator_of(std::string_view text) {
  const auto line = text.substr(0, text.find('\n'));
  char best = ',';
  for (const char c : {';', '\t'})
    if (std::ranges::count(line, c) > std::ranges::count(line, best)) best = c;
  return best;
}

}  // namespace

CsvTable::CsvTable(std::string_view text, const std::string& file) {
  if (text.starts_with(byte_order_mark)) {
    mark_ = byte_order_mark;
    text.remove_prefix(byte_order_mark.size());
  }
  separator_ = separator_of(text);
  while (!text.empty()) {
    Row row;
    for (bool more = true; more;) {
      std::size_t end = 0;
      for (bool quoted = false; end < text.size(); ++end) {
        if (text[end] == '"') quoted = !quoted;
        if (!quoted && (text[end] == separator_ || text[end] == '\n' || text[end] == '\r')) break;
        if (quoted && end + 1 == text.size())
          throw usage_error(fmt::format("{}: a quote of row {} is never ended", file, rows_.size() + 1));
      }
      row.cells.emplace_back(text.substr(0, end));
      more = end < text.size() && text[end] == separator_;
      text.remove_prefix(more ? end + 1 : end);
      if (row.cells.size() > most_columns)
        throw usage_error(fmt::format("{}: more than {} columns", file, most_columns));
    }
    row.end = text.substr(0, text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text.size()));
    text.remove_prefix(row.end.size());
    rows_.push_back(std::move(row));
    if (rows_.size() > most_rows) throw usage_error(fmt::format("{}: more than {} rows", file, most_rows));
  }
}

std::string CsvTable::cell(std::size_t row, std::size_t column) const {
  const auto& cells = rows_[row].cells;
  return column < cells.size() ? unquoted(cells[column]) : std::string();
}

void CsvTable::put(std::size_t row, std::size_t column, std::string_view value) {
  auto& cells = rows_[row].cells;
  if (cells.size() <= column) cells.resize(column + 1);
  cells[column] = csv_cell(value, separator_);
}

std::optional<std::size_t> CsvTable::find(std::size_t row, std::string_view name) const {
  for (std::size_t column = 0; row < rows() && column < rows_[row].cells.size(); ++column)
    if (cell(row, column) == name) return column;
  return std::nullopt;
}

std::vector<std::string> CsvTable::row(std::size_t row) const {
  std::vector<std::string> values;
  for (const auto& raw : rows_[row].cells) values.push_back(unquoted(raw));
  return values;
}

std::string CsvTable::text() const {
  std::string text = mark_;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) text += separator_;
      text += row.cells[i];
    }
    text += row.end;
  }
  return text;
}

std::string csv_cell(std::string_view value, char separator) {
  if (value.find_first_of("\"\r\n") == std::string_view::npos && value.find(separator) == std::string_view::npos &&
      !value.starts_with(' ') && !value.ends_with(' '))
    return std::string(value);
  std::string text(1, '"');
  for (const char c : value) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

}  // namespace gpulab
