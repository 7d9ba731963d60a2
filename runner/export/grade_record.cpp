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

GradeItem item_of(const Json& json) {
  if (!json.is_object()) refuse("an item is no object");
  GradeItem item;
  item.name = text(json, "name");
  item.points = needed_number(json, "points");
  item.earned = number(json, "earned");
  item.status = text(json, "status");
  item.reason = text(json, "reason");
  const auto visibility = raw_text(json, "visibility");
  if (visibility != "visible" && visibility != "hidden")
    refuse(fmt::format("item '{}' has the visibility '{}'", item.name, visibility));
  item.hidden = visibility == "hidden";
  return item;
}

GradeStatus status_of(const std::string& word) {
  if (word == "graded") return GradeStatus::graded;
  if (word == "pending") return GradeStatus::pending;
  if (word == "infrastructure") return GradeStatus::infrastructure;
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
  std::string why = grade.status == GradeStatus::pending
                        ? "not graded yet: some items need a GPU"
                        : "not graded: this is a failure of the grading system, not of the submission";
  if (!grade.reason.empty()) why += " (" + grade.reason + ")";
  return why;
}

}  // namespace gpulab
