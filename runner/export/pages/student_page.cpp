#include "runner/export/pages/student_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/export/export_text.h"
#include "runner/export/feedback.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"

namespace gpulab {
namespace {

using html::escaped;

std::string badge(const std::string& status) {
  const char* of_class = status == "passed"    ? "good"
                         : status == "failed"  ? "bad"
                         : status == "partial" ? "warn"
                                               : "soft";
  return fmt::format("<span class=\"verdict {}\">{}</span>", of_class, escaped(status));
}

std::string worth(const GradeItem& item) {
  return fmt::format("{} of {}", item.earned ? points_text(*item.earned) : "?", points_text(item.points));
}

/// Lines of a text, one below the other.
std::string lines(const std::string& text) {
  std::string out;
  for (const auto& line : split(text, '\n')) out += (out.empty() ? "" : "<br>\n") + html::with_code(line);
  return "<p>" + out + "</p>\n";
}

std::string items_table(const std::vector<GradeItem>& items) {
  html::Column name{"item", {}, false, true}, status{"", {}}, points{"points", {}, true}, what{"what it asks", {}};
  for (const auto& item : items) {
    name.cells.push_back(escaped(item.name));
    status.cells.push_back(badge(item.status));
    points.cells.push_back(worth(item));
    what.cells.push_back(html::with_code(one_line(item.description)));
  }
  std::vector<html::Column> columns{name, status, points};
  if (std::ranges::any_of(items, [](const GradeItem& item) { return !item.description.empty(); }))
    columns.push_back(what);
  return html::table("Points, item by item", columns);
}

/// Classes of inputs, right and wrong. One alone says no more than its item.
std::string parts_table(const GradeItem& item) {
  if (item.parts.size() < 2) return {};
  html::Column name{"", {}, false, true}, status{"", {}}, about{"what is special", {}};
  for (const auto& part : item.parts) {
    name.cells.push_back(escaped(part.name) + (part.hidden ? " <span class=\"soft\">hidden</span>" : ""));
    status.cells.push_back(badge(part.status));
    about.cells.push_back(escaped(part.about));
  }
  std::vector<html::Column> columns{name, status};
  if (std::ranges::any_of(item.parts, [](const GradePart& part) { return !part.about.empty(); }))
    columns.push_back(about);
  return html::table("What it is made of", columns);
}

std::string lost(const GradeItem& item) {
  std::string out = fmt::format("<article class=\"card finding{}\">\n<h4>{} <span class=\"soft\">{}</span></h4>\n",
                                item.status == "failed" ? " error" : "", escaped(item.name), worth(item));
  if (!item.reason.empty()) out += lines(item.reason);
  out += parts_table(item);
  for (const auto& part : wrong_parts(item))
    out += fmt::format("<h5>{}</h5>\n{}", escaped(part.heading), lines(part.text));
  if (!item.hint.empty()) out += "<p><strong>Hint:</strong></p>\n" + lines(item.hint);
  return out + "</article>\n";
}

std::string listing(const char* heading, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("<h3>{0}</h3>\n{1}", heading, html::wide(heading, "<pre>" + escaped(text) + "</pre>"));
}

}  // namespace

std::string outcome_text(const Grade& grade) {
  if (!grade.score) return why_ungraded(grade);
  return fmt::format("{} of {} points", points_text(*grade.score), points_text(grade.max));
}

std::string student_section(const Grade& grade) {
  std::string out;
  if (grade.compile_problem) out += "<p class=\"bad\">does not compile: " + escaped(*grade.compile_problem) + "</p>\n";
  out += listing("The compiler said", grade.compiler_messages);
  const auto items = items_for_students(grade);
  if (!items.empty()) out += items_table(items);
  std::string wrong;
  for (const auto& item : items)
    // What does not compile fails every item, for that reason alone. Of hidden ones the row says all.
    if (!item.passed() && !item.hidden && !grade.compile_problem) wrong += lost(item);
  if (!wrong.empty()) out += "<h3>What is left to do</h3>\n" + wrong;
  const auto findings = further_findings(grade);
  if (!findings.empty()) out += "<h3>What was found</h3>\n";
  for (const auto& finding : findings) out += "<div class=\"card finding error\">" + lines(finding) + "</div>\n";
  return out + listing("The kernel printed, first", grade.printed);
}

std::string student_page(const Grade& grade, const RosterRow* person) {
  const auto who = person == nullptr || person->name.empty() ? grade.shown_submission() : visible(person->name);
  std::string body = fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}: {}</p>\n", escaped(grade.assignment), escaped(who),
                                 escaped(outcome_text(grade)));
  if (!grade.file.empty()) body += html::facts({{"file", "<code>" + escaped(grade.file) + "</code>"}});
  body += "<h2 id=\"points\">What it earns</h2>\n" + student_section(grade);
  return html::document({.title = fmt::format("{} · {}", who, grade.assignment),
                         .description = "What a submission earns, and what is left to do",
                         .body = body});
}

}  // namespace gpulab
