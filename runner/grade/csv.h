#pragma once
// Tables of text between commas (RFC 4180), as spreadsheets and course systems write and read them.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

using CsvRow = std::vector<std::string>;

/// Rows with as many fields as they have; empty lines are none. `name` is the file's in messages. Throws usage_error: a
/// quote that is not closed.
[[nodiscard]] std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name);

/// A field, quoted where it has to be. Text that a spreadsheet would take for a formula begins with an apostrophe.
[[nodiscard]] std::string csv_field(std::string_view text);
/// With its end of line.
[[nodiscard]] std::string csv_line(const CsvRow& row);

}  // namespace gpulab
