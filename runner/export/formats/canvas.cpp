// Canvas: the file that its gradebook exports, with the column of the assignment filled.
//
// The column is called as the assignment, or so with Canvas' own number: "Transpose (4711)". Who has no grade yet keeps
// the cell as it was.

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/export/gradebook.h"

namespace gpulab::exports {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// "Transpose (4711)" -> "Transpose".
std::string without_number(const std::string& heading) {
  const auto at = heading.rfind(" (");
  if (at == std::string::npos || !heading.ends_with(')')) return heading;
  const auto digits = heading.substr(at + 2, heading.size() - at - 3);
  const bool number = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return number ? heading.substr(0, at) : heading;
}

std::size_t column_of(const CsvTable& table, const std::string& assignment, const ExportContext& context) {
  std::vector<std::size_t> fitting;
  const auto names = table.row(0);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (visible(trimmed(names[i])) == assignment || visible(without_number(trimmed(names[i]))) == assignment)
      fitting.push_back(i);
  if (fitting.size() == 1) return fitting.front();
  throw usage_error(
      fmt::format("{}: {} columns of {} are called '{}'", context.option,
                  fitting.empty() ? "no" : std::to_string(fitting.size()), visible(context.path), assignment),
      fmt::format("its columns: {}; the assignment's title names the one to fill", headings(table)));
}

/// "    Points Possible" stands where students' names do.
bool is_points_row(const CsvTable& table, std::size_t row, std::size_t student) {
  return trimmed(table.cell(row, student)).starts_with("Points Possible");
}

Gradebook read(const std::string& exported, const ExportContext& context) {
  Gradebook book{CsvTable(exported, context.option), {}};
  const auto student = book.table.rows() == 0 ? std::nullopt : book.table.find(0, "Student");
  if (!student || !book.table.find(0, "ID"))
    throw usage_error(fmt::format("{}: {} is no gradebook of Canvas: it has no columns 'Student' and 'ID'",
                                  context.option, visible(context.path)),
                      "in Canvas: Gradebook, Export, Export Entire Gradebook");
  for (std::size_t row = 1; row < book.table.rows(); ++row)
    if (!trimmed(book.table.cell(row, *student)).empty() && !is_points_row(book.table, row, *student))
      book.students.push_back(row);
  return book;
}

/// Canvas takes points as they are: it says nothing where it has other ones in mind.
void compare_points(const CsvTable& table, std::size_t column, double max, ExportContext& context) {
  for (std::size_t row = 1; row < table.rows(); ++row) {
    if (!is_points_row(table, row, *table.find(0, "Student"))) continue;
    const auto possible = parse_real(trimmed(table.cell(row, column)));
    if (possible && *possible != max)
      context.notes.push_back(fmt::format("{}: Canvas has {} points possible, the assignment {}", context.option,
                                          points_text(*possible), points_text(max)));
  }
}

std::string fill(const GradedClass& graded, const std::string& exported, ExportContext& context) {
  auto book = read(exported, context);
  if (graded.grades.empty()) return exported;
  const auto column = column_of(book.table, graded.grades.front().assignment, context);
  compare_points(book.table, column, graded.grades.front().max, context);
  const std::vector<NamingColumn> columns{{"SIS User ID", {Person::id, Person::submission}},
                                          {"SIS Login ID", {Person::id, Person::email, Person::submission}},
                                          {"Integration ID", {Person::id}},
                                          {"ID", {Person::id, Person::submission}}};
  auto table = book.table;
  for_each_row(book, graded, columns, context, [&](std::size_t row, const Grade& grade) {
    if (grade.score)
      table.put(row, column, points_text(*grade.score));
    else
      context.notes.push_back(
          fmt::format("{}: '{}' keeps its cell: {}", context.option, grade.shown_submission(), why_ungraded(grade)));
  });
  return table.text();
}

}  // namespace

extern const ExportFormat canvas{
    .name = "canvas",
    .summary = "PATH is a gradebook that Canvas exported: fills the assignment's column in it",
    .follows = "Canvas' Gradebook export and import (CSV), as its guide had it in 2026",
    .fill = fill};

}  // namespace gpulab::exports
