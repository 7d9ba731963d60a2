#include "runner/export/pages/class_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/export/export_text.h"
#include "runner/export/pages/student_page.h"
#include "runner/export/statistics.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"

namespace gpulab {
namespace {

using html::escaped;

std::string hidden_mark(bool hidden) { return hidden ? " <span class=\"soft\">hidden</span>" : ""; }

std::string points_table(const GradedClass& graded, const ClassStatistics& statistics) {
  html::Column who{"submission", {}, false, true}, name{"name", {}}, status{"status", {}}, score{"score", {}, true};
  std::vector<html::Column> items;
  for (const auto& item : statistics.items) items.push_back({escaped(item.name) + hidden_mark(item.hidden), {}, true});
  for (std::size_t i = 0; i < graded.grades.size(); ++i) {
    const auto& grade = graded.grades[i];
    const auto* person = graded.row_of(grade.submission);
    who.cells.push_back(fmt::format("<a href=\"#s{}\">{}</a>", i + 1, escaped(grade.shown_submission())));
    name.cells.push_back(person == nullptr ? "" : escaped(person->name));
    status.cells.push_back(std::string(to_text(grade.status)));
    score.cells.push_back(grade.score ? points_text(*grade.score) : "");
    for (std::size_t k = 0; k < items.size(); ++k) {
      const auto& wanted = statistics.items[k];
      const auto found = std::ranges::find_if(
          grade.items, [&](const GradeItem& item) { return item.name == wanted.name && item.hidden == wanted.hidden; });
      items[k].cells.push_back(found != grade.items.end() && found->earned ? points_text(*found->earned) : "");
    }
  }
  std::vector<html::Column> columns{who};
  if (!graded.roster.empty()) columns.push_back(name);
  columns.push_back(status);
  columns.push_back(score);
  columns.insert(columns.end(), items.begin(), items.end());
  return html::table("Points", columns);
}

std::string statistics_table(const ClassStatistics& statistics) {
  html::Column item{"item", {}, false, true}, part{"class or expression", {}}, of{"points", {}, true},
      passed{"passed", {}, true}, partial{"partial", {}, true}, failed{"failed", {}, true},
      pending{"pending", {}, true}, mean{"mean", {}, true};
  const auto count = [&](const auto& entry) {
    passed.cells.push_back(std::to_string(entry.passed));
    partial.cells.push_back(std::to_string(entry.partial));
    failed.cells.push_back(std::to_string(entry.failed));
    pending.cells.push_back(std::to_string(entry.pending));
  };
  for (const auto& one : statistics.items) {
    item.cells.push_back(escaped(one.name) + hidden_mark(one.hidden));
    part.cells.emplace_back();
    of.cells.push_back(points_text(one.points));
    mean.cells.push_back(one.mean ? points_text(*one.mean) : "");
    count(one);
    for (const auto& of_part : one.parts) {
      item.cells.emplace_back();
      part.cells.push_back(escaped(of_part.name) + hidden_mark(of_part.hidden));
      of.cells.emplace_back();
      mean.cells.emplace_back();
      count(of_part);
    }
  }
  return html::table("How many have passed what", {item, part, of, passed, partial, failed, pending, mean});
}

}  // namespace

std::string class_page(const GradedClass& graded) {
  if (graded.grades.size() == 1)
    return student_page(graded.grades.front(), graded.row_of(graded.grades.front().submission));
  const auto statistics = statistics_of(graded.grades);
  const auto title = graded.grades.empty() ? std::string("Grades") : graded.grades.front().assignment;
  auto lead = fmt::format("{} of {} graded", statistics.of_status.at(0), plural(statistics.submissions, "submission"));
  if (statistics.mean)
    lead += fmt::format("; mean {} of {} points", points_text(*statistics.mean), points_text(statistics.max));
  std::string body = fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", escaped(title), escaped(lead));
  body += points_table(graded, statistics);
  body += "<h2 id=\"statistics\">Item by item</h2>\n" + statistics_table(statistics);
  body += "<h2 id=\"students\">What each student reads</h2>\n";
  for (std::size_t i = 0; i < graded.grades.size(); ++i) {
    const auto& grade = graded.grades[i];
    body += fmt::format("<details>\n<summary>{}: {}</summary>\n<div id=\"s{}\">\n{}</div>\n</details>\n",
                        escaped(grade.shown_submission()), escaped(outcome_text(grade)), i + 1, student_section(grade));
  }
  return html::document({.title = title + " · gpulab grade", .description = "A class's grades", .body = body});
}

}  // namespace gpulab
