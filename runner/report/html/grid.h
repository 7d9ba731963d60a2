#pragma once
// Tables, and what is wider than a phone.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab::html {

/// `inner` in a box that scrolls by itself, by keyboard too; `label` says to a screen reader what it is.
[[nodiscard]] std::string wide(std::string_view label, const std::string& inner);

struct Column {
  std::string heading;             ///< HTML
  std::vector<std::string> cells;  ///< HTML
  bool number = false;             ///< to the right
  bool row_heading = false;        ///< names the row
};
/// `caption` (text) is the table's name. `row_classes`: empty, or one per row.
[[nodiscard]] std::string table(std::string_view caption, const std::vector<Column>& columns,
                                const std::vector<std::string>& row_classes = {});

/// Terms and what is said of them, both HTML; those of which nothing is said are left out.
[[nodiscard]] std::string facts(const std::vector<std::pair<std::string, std::string>>& terms);

}  // namespace gpulab::html
