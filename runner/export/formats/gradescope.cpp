// What Gradescope reads of an autograder: one submission, its items as tests.
//
// What is not graded gets no number at all, neither in all nor for an item: Gradescope then takes the run as failed and
// keeps whatever score was there, instead of adding up those that are known.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/export/feedback.h"
#include "runner/report/json_text.h"

namespace gpulab::exports {
namespace {

/// Gradescope keeps what it is given; its pages do not get better by it.
constexpr std::size_t most_name = 200, most_output = 16 << 10, most_printed = 2000;

std::string output_of(const Grade& grade, const GradeItem& item) {
  std::string state;
  if (!grade.score && item.earned)
    state = fmt::format("earned {} of {} points", points_text(*item.earned), points_text(item.points));
  else if (!item.earned)
    state = "pending";
  const auto text = feedback_of(item, most_output);
  return cut(state + (state.empty() || text.empty() ? "" : ": ") + text, most_output);
}

/// The class's title, or why there is no grade; what the compiler said; what the kernel printed.
std::string output_of(const Grade& grade) {
  std::string output = grade.score ? grade.assignment : why_ungraded(grade);
  if (grade.compile_problem) output = "does not compile: " + *grade.compile_problem;
  if (!grade.compiler_messages.empty()) output += "\n\nThe compiler said:\n" + grade.compiler_messages;
  for (const auto& finding : further_findings(grade)) output += "\n\n" + finding;
  if (!grade.printed.empty()) output += "\n\nThe kernel printed, first:\n" + cut(grade.printed, most_printed);
  return cut(output, most_output);
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
  json["output"] = output_of(grade);
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
