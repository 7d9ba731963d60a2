// What PrairieLearn reads of an external grader: a score from 0 to 1, and tests that the student sees.
//
// All tests are shown, so hidden items are one row without a reason. A file that does not compile, and what is not
// graded, is not gradable: no points lost, and no attempt.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/export/feedback.h"
#include "runner/report/json_text.h"

namespace gpulab::exports {
namespace {

/// PrairieLearn refuses more.
constexpr std::size_t most_bytes = 1000000;
constexpr std::size_t most_name = 200;

nlohmann::ordered_json test_of(const GradeItem& item, std::size_t most_output) {
  return {{"name", cut(one_line(item.name), most_name)},
          {"points", rounded_points(*item.earned)},
          {"max_points", rounded_points(item.points)},
          {"message", item.passed() ? "passed" : "failed"},
          {"output", feedback_of(item, most_output)}};
}

std::string document(const Grade& grade, std::size_t most_output) {
  nlohmann::ordered_json json;
  json["gradable"] = grade.score && !grade.compile_problem;
  if (!json["gradable"].get<bool>()) {
    const auto why = grade.compile_problem ? "does not compile: " + *grade.compile_problem : why_ungraded(grade);
    json["format_errors"] = {cut(why, most_output)};
    json["message"] = cut(why, most_output);
    if (!grade.compiler_messages.empty()) json["output"] = cut(grade.compiler_messages, most_output);
    return json_text(json);
  }
  json["score"] = grade.max > 0 ? std::clamp(*grade.score / grade.max, 0.0, 1.0) : 0.0;
  json["message"] =
      fmt::format("{}: {} of {} points", grade.assignment, points_text(*grade.score), points_text(grade.max));
  json["tests"] = nlohmann::ordered_json::array();
  for (const auto& item : items_for_students(grade)) json["tests"].push_back(test_of(item, most_output));
  return json_text(json);
}

std::optional<std::string> write(const Grade& grade, ExportContext&) {
  std::size_t most_output = 64 << 10;
  auto text = document(grade, most_output);
  for (; text.size() > most_bytes && most_output > 16; most_output /= 2) text = document(grade, most_output / 2);
  if (text.size() <= most_bytes) return text;
  Grade without_items = grade;  // thousands of them: their sum is what counts
  without_items.items.clear();
  return document(without_items, most_output);
}

}  // namespace

extern const ExportFormat prairielearn{
    .name = "prairielearn",
    .summary = "results.json of one submission, in an external grader",
    .follows = "docs.prairielearn.com/externalGrading, section Grading results, read in November 2026",
    .file_name = "results.json",
    .submission = write};

}  // namespace gpulab::exports
