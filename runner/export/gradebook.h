#pragma once
// A table that an instructor exported from a service, with a column of ours filled: its rows, their order and its other
// columns stay as they were, byte for byte.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/export/csv_table.h"
#include "runner/export/export.h"

namespace gpulab {

/// Whom a cell may name.
enum class Person { id, email, submission };

/// A column that says who a row is of, and what of a person it holds.
struct NamingColumn {
  std::string_view heading;
  std::vector<Person> holds;
};

struct Gradebook {
  CsvTable table;
  std::vector<std::size_t> students;  ///< rows
};

/// The columns of the first row, for errors: "Student, ID, …".
[[nodiscard]] std::string headings(const CsvTable& table);

/// Calls `put(row, grade)` for each submission and the row that is its student's. Submissions without a row are
/// noted. `equal`: what else makes a cell a submission's name. Throws usage_error: a submission of two rows, or a row
/// of two submissions.
void for_each_row(const Gradebook& book, const GradedClass& graded, const std::vector<NamingColumn>& columns,
                  ExportContext& context, const std::function<void(std::size_t row, const Grade& grade)>& put);

}  // namespace gpulab
