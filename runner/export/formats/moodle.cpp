// Moodle: the grading worksheet of an assignment, with its columns Grade and Feedback comments filled.
//
// Who has no grade yet keeps both cells as they were. Headings are those of a Moodle in English.

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/export/feedback.h"
#include "runner/export/gradebook.h"

namespace gpulab::exports {
namespace {

constexpr std::size_t most_comment = 16 << 10, most_feedback = 8 << 10;  // before they are escaped

/// Folders of "Download all submissions" are called "Ada Lovelace_4711_assignsubmission_file": the number is that of
/// "Participant 4711".
std::string participant_of(const std::string& submission) {
  const auto end = submission.find("_assignsubmission_");
  if (end == std::string::npos || end == 0) return submission;
  const auto begin = submission.rfind('_', end - 1);
  return begin == std::string::npos ? submission : "Participant " + submission.substr(begin + 1, end - begin - 1);
}

Gradebook read(const std::string& exported, const ExportContext& context) {
  Gradebook book{CsvTable(exported, context.option), {}};
  // Moodle's importer looks for these three, and for nothing else.
  for (const auto* name : {"Identifier", "Grade", "Last modified (grade)"})
    if (book.table.rows() == 0 || !book.table.find(0, name))
      throw usage_error(fmt::format("{}: {} is no grading worksheet of Moodle: it has no column '{}'", context.option,
                                    visible(context.path), name),
                        "in Moodle, in English: the assignment's submissions, Actions, Download grading worksheet "
                        "(its settings: Feedback types, Offline grading worksheet)");
  for (std::size_t row = 1; row < book.table.rows(); ++row) book.students.push_back(row);
  return book;
}

/// Moodle takes comments as HTML.
std::string comment_of(const Grade& grade) {
  std::string text;
  for (const auto& item : items_for_students(grade)) {
    text += fmt::format("{}{}: {} of {}", text.empty() ? "" : "\n", item.name, points_text(*item.earned),
                        points_text(item.points));
    if (item.passed()) continue;
    const auto feedback = feedback_of(item, most_feedback);
    text += feedback.empty() ? "" : ": " + feedback;
  }
  std::string lines;
  for (const auto& line : split(cut(text, most_comment), '\n'))
    lines += (lines.empty() ? "" : "<br>") + xml_escaped(one_line(line));
  return defused(lines);
}

void compare_points(const CsvTable& table, std::size_t row, double max, ExportContext& context) {
  const auto column = table.find(0, "Maximum Grade");
  const auto most = column ? parse_real(table.cell(row, *column)) : std::nullopt;
  const auto note = most ? fmt::format("{}: Moodle's maximum grade is {}, the assignment's {}", context.option,
                                       points_text(*most), points_text(max))
                         : "";
  if (most && *most != max && !std::ranges::count(context.notes, note)) context.notes.push_back(note);
}

std::string fill(const GradedClass& graded, const std::string& exported, ExportContext& context) {
  auto book = read(exported, context);
  auto table = book.table;
  auto named = graded;
  for (auto& grade : named.grades) {
    const auto participant = participant_of(grade.submission);
    if (auto* row = named.row_of(grade.submission); row != nullptr)
      named.roster[static_cast<std::size_t>(row - named.roster.data())].submission = participant;
    grade.submission = participant;
  }
  const std::vector<NamingColumn> columns{{"ID number", {Person::id, Person::submission}},
                                          {"Email address", {Person::email, Person::submission}},
                                          {"Identifier", {Person::id, Person::submission}}};
  const auto comments = table.find(0, "Feedback comments");
  for_each_row(book, named, columns, context, [&](std::size_t row, const Grade& grade) {
    if (!grade.score) {
      context.notes.push_back(
          fmt::format("{}: '{}' keeps its cells: {}", context.option, grade.shown_submission(), why_ungraded(grade)));
      return;
    }
    compare_points(table, row, grade.max, context);
    table.put(row, *table.find(0, "Grade"), points_text(*grade.score));
    if (comments) table.put(row, *comments, comment_of(grade));
  });
  return table.text();
}

}  // namespace

extern const ExportFormat moodle{
    .name = "moodle",
    .summary = "PATH is a grading worksheet that Moodle exported: fills its columns Grade and Feedback comments",
    .follows = "Moodle's Offline grading worksheet (assignfeedback_offline), 2.4 to 5",
    .fill = fill};

}  // namespace gpulab::exports
