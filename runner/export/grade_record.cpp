#include "runner/export/grade_record.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

/// Beyond it no score is a score.
constexpr double most_points = 1e9;

[[noreturn]] void refuse(const std::string& why) {
  throw usage_error(fmt::format("no gpulab.grade.v1 document: {}", visible(why)));
}

std::string raw_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  if (!found->is_string()) refuse(fmt::format("'{}' is no string", key));
  return found->get<std::string>();
}

std::string text(const Json& object, const char* key) { return visible(raw_text(object, key)); }

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  const double value = found->is_number() ? found->get<double>() : -1;
  if (!(value >= 0 && value <= most_points)) refuse(fmt::format("'{}' is no number of points", key));
  return value;
}

double needed_number(const Json& object, const char* key) {
  const auto value = number(object, key);
  if (!value) refuse(fmt::format("'{}' is missing", key));
  return *value;
}

bool is_hidden(const Json& json, const std::string& name) {
  const auto visibility = raw_text(json, "visibility");
  if (visibility != "visible" && visibility != "hidden")
    refuse(fmt::format("item '{}' has the visibility '{}'", name, visibility));
  return visibility == "hidden";
}

GradePart part_of(const Json& json) {
  if (!json.is_object()) refuse("a part of an item is no object");
  GradePart part;
  part.name = text(json, "name");
  part.about = text(json, "about");
  part.status = text(json, "status");
  part.reason = text(json, "reason");
  part.hidden = is_hidden(json, part.name);
  return part;
}

GradeItem item_of(const Json& json) {
  if (!json.is_object()) refuse("an item is no object");
  GradeItem item;
  item.name = text(json, "name");
  item.points = needed_number(json, "points");
  item.earned = number(json, "earned");
  item.status = text(json, "status");
  item.reason = text(json, "reason");
  item.hidden = is_hidden(json, item.name);
  item.description = text(json, "description");
  item.hint = text(json, "hint");
  const auto parts = json.find("parts");
  if (parts == json.end()) return item;
  if (!parts->is_array()) refuse(fmt::format("the parts of item '{}' are no list", item.name));
  for (const auto& part : *parts) item.parts.push_back(part_of(part));
  return item;
}

GradeStatus status_of(const std::string& word) {
  if (const auto status = from_text<GradeStatus>(word)) return *status;
  refuse(fmt::format("the status is '{}'", word));
}

}  // namespace

std::string Grade::shown_submission() const { return visible(submission); }

Grade grade_of(const Json& document) {
  if (!document.is_object() || raw_text(document, "schema") != "gpulab.grade.v1") refuse("its schema is another");
  Grade grade;
  grade.submission = raw_text(document, "submission");
  if (grade.submission.empty()) refuse("'submission' is missing");
  grade.file = text(document, "file");
  grade.assignment = text(document, "assignment");
  grade.reason = text(document, "reason");
  grade.status = status_of(raw_text(document, "status"));
  grade.max = needed_number(document, "max");
  if (grade.status == GradeStatus::graded) grade.score = needed_number(document, "score");
  if (auto problem = text(document, "compile_problem"); !problem.empty()) {
    grade.compile_problem = std::move(problem);
    grade.compiler_messages = text(document, "messages");
  }
  grade.printed = text(document, "output");
  if (const auto found = document.find("findings"); found != document.end() && found->is_array())
    for (const auto& one : *found)
      if (one.is_object()) grade.findings.push_back(fmt::format("{}: {}", text(one, "tool"), text(one, "message")));
  const auto items = document.find("items");
  if (items == document.end() || !items->is_array()) refuse("'items' is missing");
  for (const auto& item : *items) {
    grade.items.push_back(item_of(item));
    // A number that nobody knows is not added up as 0.
    if (!grade.items.back().earned && grade.score) refuse(fmt::format("item '{}' is open", grade.items.back().name));
  }
  return grade;
}

std::optional<GradeItem> hidden_total(const Grade& grade) {
  GradeItem total{.name = "hidden tests", .earned = 0, .status = {}, .reason = {}, .hidden = true};
  bool any = false;
  for (const auto& item : grade.items) {
    if (!item.hidden) continue;
    any = true;
    total.points += item.points;
    if (total.earned && item.earned)
      *total.earned += *item.earned;
    else
      total.earned.reset();
  }
  if (!any) return std::nullopt;
  total.status = !total.earned ? "pending" : total.passed() ? "passed" : "failed";
  return total;
}

std::vector<GradeItem> items_for_students(const Grade& grade) {
  std::vector<GradeItem> items;
  for (const auto& item : grade.items)
    if (!item.hidden) items.push_back(item);
  if (auto total = hidden_total(grade)) items.push_back(std::move(*total));
  return items;
}

std::string why_ungraded(const Grade& grade) {
  std::string why;
  switch (grade.status) {
    case GradeStatus::graded:
      return {};
    case GradeStatus::pending:
      why = "not graded yet: some items need a GPU";
      break;
    case GradeStatus::attention:
      why = "not graded: there is nothing that could be judged";
      break;
    case GradeStatus::infrastructure:
      why = "not graded: this is a failure of the grading system, not of the submission";
      break;
    case GradeStatus::tried:
      why = "no grade: what is hidden is judged when it is handed in";
      break;
  }
  if (!grade.reason.empty()) why += " (" + grade.reason + ")";
  return why;
}

}  // namespace gpulab
