// What Gradescope reads of an autograder: one submission, its items as tests.
//
// What is not graded gets no number at all, neither in all nor for an item: Gradescope then takes the run as failed and
// keeps whatever score was there, instead of adding up those that are known.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/report/json_text.h"

namespace gpulab::exports {
namespace {

/// Gradescope keeps what it is given; its pages do not get better by it.
constexpr std::size_t most_name = 200, most_output = 16 << 10;

std::string output_of(const Grade& grade, const GradeItem& item) {
  auto text = item.reason;
  if (!grade.score && item.earned)
    text = fmt::format("earned {} of {} points{}{}", points_text(*item.earned), points_text(item.points),
                       text.empty() ? "" : ": ", text);
  else if (!item.earned)
    text = fmt::format("pending{}{}", text.empty() ? "" : ": ", text);
  return cut(text, most_output);
}

nlohmann::ordered_json test_of(const Grade& grade, const GradeItem& item) {
  nlohmann::ordered_json test;
  if (grade.score) test["score"] = rounded_points(*item.earned);
  test["max_score"] = rounded_points(item.points);
  if (item.earned) test["status"] = item.passed() ? "passed" : "failed";
  test["name"] = cut(one_line(item.name), most_name);
  test["name_format"] = "text";
  test["output"] = output_of(grade, item);
  test["output_format"] = "text";
  test["visibility"] = item.hidden ? "hidden" : "visible";
  return test;
}

std::optional<std::string> write(const Grade& grade, ExportContext&) {
  nlohmann::ordered_json json;
  if (grade.score) json["score"] = rounded_points(*grade.score);
  std::string output = grade.assignment;
  if (!grade.score) output = why_ungraded(grade);
  if (grade.compile_problem) output = "does not compile: " + *grade.compile_problem;
  if (!grade.compiler_messages.empty()) output += "\n\nThe compiler said:\n" + grade.compiler_messages;
  json["output"] = cut(output, most_output);
  json["output_format"] = "text";
  json["visibility"] = "visible";
  json["stdout_visibility"] = "hidden";
  json["tests"] = nlohmann::ordered_json::array();
  for (const auto& item : grade.items) json["tests"].push_back(test_of(grade, item));
  return json_text(json);
}

}  // namespace

extern const ExportFormat gradescope{
    .name = "gradescope",
    .summary = "results.json of one submission",
    .follows = "gradescope-autograders.readthedocs.io/en/latest/specs, read in November 2026",
    .file_name = "results.json",
    .submission = write};

}  // namespace gpulab::exports
