// What Classroom 50 reads of an autograder: whole points, these keys and no others, in its runner of one repository.
//
// It lies in the student's repository, so hidden items are one row. What is not graded gets no file: the runner then
// reports an error of the autograder, and no score.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/report/json_text.h"

namespace gpulab::exports {
namespace {

constexpr std::size_t most_name = 200;

std::string variable(const ExportContext& context, const std::string& name) {
  if (auto value = context.environment(name)) return visible(*value);
  throw usage_error(fmt::format("{}: the variable {} is not set", context.option, name),
                    "Classroom 50's runner sets it: this file is made by an autograder.py there");
}

std::int64_t whole(double points, const GradeItem& item, const ExportContext& context) {
  if (points == std::floor(points)) return static_cast<std::int64_t>(points);
  throw usage_error(fmt::format("{}: item '{}' is worth {} points", context.option, item.name, points_text(points)),
                    "Classroom 50 takes whole points: change the assignment");
}

/// To the nearest point; full marks are for what is right in full.
std::int64_t rounded(const GradeItem& item, std::int64_t most) {
  const auto nearest = static_cast<std::int64_t>(std::llround(*item.earned));
  return item.passed() ? most : std::min(nearest, most - 1);
}

std::optional<std::string> write(const Grade& grade, ExportContext& context) {
  if (!grade.score) {
    context.notes.push_back(fmt::format("{}: no file for '{}', for it is {}", context.option, grade.shown_submission(),
                                        why_ungraded(grade)));
    return std::nullopt;
  }
  nlohmann::ordered_json json;
  json["schema"] = "classroom50/result/v1";
  json["classroom"] = variable(context, "CLASSROOM");
  json["assignment"] = variable(context, "ASSIGNMENT");
  json["submission"] = variable(context, "SUBMISSION_TAG");
  json["commit"] = variable(context, "COMMIT_URL");
  json["release"] = variable(context, "RELEASE_URL");
  const auto review = context.environment("REVIEW_URL");
  json["review"] = review ? visible(*review) : json["commit"].get<std::string>();
  json["datetime"] = context.now;
  std::int64_t score = 0, most = 0;
  auto tests = nlohmann::ordered_json::array();
  for (const auto& item : items_for_students(grade)) {
    const auto points = whole(item.points, item, context);
    const auto earned = rounded(item, points);
    score += earned;
    most += points;
    tests.push_back({{"test-name", cut(one_line(item.name), most_name)},
                     {"passed", item.passed()},
                     {"score", earned},
                     {"max-score", points}});
  }
  json["score"] = score;
  json["max-score"] = most;
  json["tests"] = std::move(tests);
  return json_text(json);
}

}  // namespace

extern const ExportFormat classroom50{
    .name = "classroom50",
    .summary = "result.json of one submission, in Classroom 50's runner",
    .follows = "classroom50/result/v1: github.com/foundation50/classroom50/wiki/Advanced-Autograding, August 2026",
    .file_name = "result.json",
    .one_submission = true,
    .submission = write};

}  // namespace gpulab::exports
