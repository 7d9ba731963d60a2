// The class as a page: a table, and below it what each submission lost points for. For instructors: hidden items are in
// it, and say that they are.

#include <fmt/format.h>

#include "common/text.h"
#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/export/feedback.h"

namespace gpulab::exports {
namespace {

constexpr std::size_t most_reason = 2000;

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const auto& cell : cells) text += ' ' + cell + " |";
  return text + '\n';
}

std::string score_of(const Grade& grade) {
  if (grade.score) return points_text(*grade.score);
  return grade.status == GradeStatus::infrastructure ? "not graded" : std::string(to_text(grade.status));
}

std::string lost_of(const Grade& grade) {
  std::string text;
  if (!grade.score) text += fmt::format("- {}\n", markdown_escaped(why_ungraded(grade)));
  for (const auto& item : grade.items) {
    if (item.passed()) continue;
    text += fmt::format("- {}{}: {} of {}", markdown_escaped(item.name), item.hidden ? " (hidden)" : "",
                        item.earned ? points_text(*item.earned) : "pending, ?", points_text(item.points));
    if (!item.reason.empty()) text += ": " + markdown_escaped(cut(item.reason, most_reason));
    text += '\n';
    for (const auto& part : wrong_parts(item))
      text +=
          fmt::format("  - {}: {}\n", markdown_escaped(part.heading), markdown_escaped(cut(part.text, most_reason)));
    if (!item.hint.empty()) text += fmt::format("  - hint: {}\n", markdown_escaped(item.hint));
  }
  return text;
}

std::string write(const GradedClass& graded, ExportContext&) {
  const auto title = graded.grades.empty() ? std::string("Grades") : graded.grades.front().assignment;
  std::string text = fmt::format("# {}\n\n", markdown_escaped(title));
  text += row({"submission", "name", "score", "of"}) + row({":---", ":---", "---:", "---:"});
  for (const auto& grade : graded.grades) {
    const auto* person = graded.row_of(grade.submission);
    text += row({markdown_escaped(grade.shown_submission()),
                 person == nullptr ? "" : markdown_escaped(visible(person->name)), score_of(grade),
                 points_text(grade.max)});
  }
  for (const auto& grade : graded.grades)
    if (const auto lost = lost_of(grade); !lost.empty())
      text += fmt::format("\n## {}\n\n{}", markdown_escaped(grade.shown_submission()), lost);
  return text;
}

}  // namespace

extern const ExportFormat markdown{.name = "markdown",
                                   .summary = "a page of the class: a table, and what points were lost for",
                                   .follows = "CommonMark 0.31, with GitHub's tables",
                                   .whole = write};

}  // namespace gpulab::exports
