// The class as a table for spreadsheets: a row for each submission, a column for each item. For instructors: hidden
// items are in it.

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/export/csv_table.h"
#include "runner/export/export.h"
#include "runner/export/export_text.h"

namespace gpulab::exports {
namespace {

constexpr std::size_t most_reason = 1000;

/// In the order in which grades name them.
std::vector<std::string> item_names(const GradedClass& graded) {
  std::vector<std::string> names;
  for (const auto& grade : graded.grades)
    for (const auto& item : grade.items)
      if (!std::ranges::count(names, item.name)) names.push_back(item.name);
  return names;
}

std::string reasons_of(const Grade& grade) {
  std::string text = grade.score ? "" : why_ungraded(grade);
  for (const auto& item : grade.items)
    if (!item.reason.empty() && !item.passed())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", item.name, one_line(item.reason));
  return cut(text, most_reason);
}

std::string line(const std::vector<std::string>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + csv_cell(cells[i]);
  return text + '\n';
}

std::string write(const GradedClass& graded, ExportContext&) {
  const auto names = item_names(graded);
  std::vector<std::string> header{"submission", "name", "id", "email", "status", "score", "max"};
  for (const auto& name : names) header.push_back(defused(name));
  header.emplace_back("reasons");
  std::string text = line(header);
  for (const auto& grade : graded.grades) {
    const auto* person = graded.row_of(grade.submission);
    std::vector<std::string> cells{defused(grade.shown_submission())};
    for (const auto field : {&RosterRow::name, &RosterRow::id, &RosterRow::email})
      cells.push_back(person == nullptr ? "" : defused(visible(person->*field)));
    cells.emplace_back(to_text(grade.status));
    cells.push_back(grade.score ? points_text(*grade.score) : "");
    cells.push_back(points_text(grade.max));
    for (const auto& name : names) {
      const auto item = std::ranges::find(grade.items, name, &GradeItem::name);
      cells.push_back(item != grade.items.end() && item->earned ? points_text(*item->earned) : "");
    }
    cells.push_back(defused(reasons_of(grade)));
    text += line(cells);
  }
  return text;
}

}  // namespace

extern const ExportFormat csv{.name = "csv",
                              .summary = "a row for each submission, a column for each item, hidden ones among them",
                              .follows = "RFC 4180, with \\n line ends",
                              .whole = write};

}  // namespace gpulab::exports
