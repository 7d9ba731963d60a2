#include "runner/grade/csv.h"

#include <fmt/format.h>

#include "common/error.h"

namespace gpulab {

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark, as Excel writes it
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string field;
  std::size_t line = 1;
  const auto end_row = [&] {
    row.push_back(std::move(field));
    field.clear();
    if (row.size() > 1 || !row[0].empty()) rows.push_back(std::move(row));
    row.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && field.empty()) {
      const auto opened = line;
      for (++at; at < text.size(); ++at) {
        if (text[at] == '\n') ++line;
        if (text[at] != '"')
          field += text[at];
        else if (at + 1 < text.size() && text[at + 1] == '"')
          field += text[at++];
        else
          break;
      }
      if (at >= text.size()) throw usage_error(fmt::format("{}:{}: a quote is opened and not closed", name, opened));
    } else if (c == ',') {
      row.push_back(std::move(field));
      field.clear();
    } else if (c == '\n' || c == '\r') {
      if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
      ++line;
      end_row();
    } else {
      field += c;
    }
  }
  if (!field.empty() || !row.empty()) end_row();
  return rows;
}

std::string csv_field(std::string_view text) {
  std::string safe(text);
  if (!safe.empty() && std::string_view("=+-@\t\r").find(safe[0]) != std::string_view::npos) safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\n\r") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : ",") + csv_field(row[i]);
  return line + "\n";
}

}  // namespace gpulab
