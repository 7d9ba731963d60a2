#pragma once
// Tables of RFC 4180: cells in quotes where they need them. A table that is read and written again differs in the cells
// that were put, and in nothing else.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

class CsvTable {
 public:
  /// Commas, or semicolons or tabs where the first line has more of them; a byte order mark is kept. Throws usage_error
  /// with `file` in it: a quote that nobody ends, more rows or columns than any course has.
  CsvTable(std::string_view text, const std::string& file);

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  /// Empty where the row is shorter.
  [[nodiscard]] std::string cell(std::size_t row, std::size_t column) const;
  void put(std::size_t row, std::size_t column, std::string_view value);
  /// The column that is called so in this row.
  [[nodiscard]] std::optional<std::size_t> find(std::size_t row, std::string_view name) const;
  [[nodiscard]] std::vector<std::string> row(std::size_t row) const;
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;  ///< as they are in the file, quotes and all
    std::string end;                 ///< of the line
  };
  std::string mark_;
  char separator_ = ',';
  std::vector<Row> rows_;
};

/// A cell with quotes where they are needed.
[[nodiscard]] std::string csv_cell(std::string_view value, char separator = ',');

}  // namespace gpulab
