#include "runner/grade/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text.h"
#include "runner/grade/standard.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

/// Nine of ten modelled times are within this of what a GPU measures; what is nearer to it is chance.
constexpr double least_margin = 1.3;

class Advice {
 public:
  explicit Advice(const Assignment& assignment) : assignment_(assignment) {}

  std::vector<LintNote> run() {
    if (assignment_.points() == 0) error("all points together are 0");
    if (assignment_.reference.empty()) error("there is no reference solution: nobody knows that full marks can be had");
    if (assignment_.starter.empty()) warn("there is no starter");
    if (assignment_.wrong.empty())
      warn("there are no wrong solutions: nobody knows that an item tells right from wrong");
    const bool tests = std::ranges::any_of(assignment_.items,
                                           [](const AssignmentItem& item) { return item.kind == ItemKind::correct; });
    if (!tests) error("no item is of the kind 'correct': a kernel that is wrong on hidden sizes earns as much");
    for (const auto& item : assignment_.items) look_at(item);
    return std::move(notes_);
  }

 private:
  void error(std::string text) { notes_.push_back({true, std::move(text)}); }
  void warn(std::string text) { notes_.push_back({false, std::move(text)}); }

  void look_at(const AssignmentItem& item) {
    const auto name = fmt::format("item '{}'", item.name);
    if (item.points == 0) warn(name + " is worth no points");
    if (!std::ranges::count(assignment_.wrong, item.name, &std::pair<std::string, std::string>::second))
      warn(name + " is failed by no wrong solution");
    if (item.kind == ItemKind::correct) look_at_classes(item, name);
    const bool measures = item.kind == ItemKind::require || item.kind == ItemKind::speed;
    if (measures && item.certificate == 0)
      warn(name + " has no certificate: one block that does all the work may pass");
    for (const auto& one : item.requirements) look_at(one, name);
    if (item.kind == ItemKind::speed && item.zero_at < least_margin * item.full_at)
      warn(fmt::format("{}: 'full_at' and 'zero_at' are nearer than {} times: chance decides", name, least_margin));
  }

  void look_at_classes(const AssignmentItem& item, const std::string& name) {
    if (item.hidden.empty())
      warn(name + " has no hidden classes: a kernel may know all the sizes that it is tried on");
    else if (!std::ranges::count(item.hidden, "key"))
      warn(name + " has no class 'key' among its hidden ones: all sizes can be read in 'gpulab list'");
    if (item.visible.empty()) warn(name + " has no visible classes: nobody learns what is wrong");
  }

  void look_at(const Requirement& one, const std::string& name) {
    if (is_modelled_time(one.counter)) {
      if (one.rung.empty())
        error(fmt::format("{}: '{}' compares a modelled time with a number: compare it with a rung, {} times", name,
                          one.text, least_margin));
      else if (one.value < least_margin)
        error(fmt::format("{}: '{}' leaves a modelled time less room than {} times", name, one.text, least_margin));
    }
    const bool exact = one.op == "==" || one.op == "!=";
    if (exact && (one.counter.ends_with("instructions") || one.counter == "branches"))
      warn(fmt::format("{}: '{}' asks for one exact number, which another compiler changes", name, one.text));
  }

  const Assignment& assignment_;
  std::vector<LintNote> notes_;
};

Submission solution(const std::string& path, const std::string& role) {
  Submission made;
  made.path = path;
  made.name = role + " " + path;
  made.file = std::filesystem::path(path).filename();
  std::error_code failed;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, failed)))
    throw usage_error(fmt::format("assignment: there is no file '{}'", path), "paths are from the assignment's folder");
  return made;
}

std::vector<Submission> solutions_of(const Assignment& assignment) {
  std::vector<Submission> all;
  if (!assignment.reference.empty()) all.push_back(solution(assignment.reference, "reference"));
  if (!assignment.starter.empty()) all.push_back(solution(assignment.starter, "starter"));
  for (const auto& [path, item] : assignment.wrong) all.push_back(solution(path, "wrong"));
  return all;
}

std::string points(const Json& value) {
  return value.is_null() ? "none yet" : fmt::format("{:g}", value.get<double>());
}

std::string items_in(const Json& grade) {
  std::vector<std::string> texts;
  for (const auto& item : grade.at("items"))
    texts.push_back(fmt::format("{} {}", item.at("name").get<std::string>(), points(item.at("earned"))));
  return join(texts);
}

const Json& item_of(const Json& grade, const std::string& name) {
  return *std::ranges::find_if(grade.at("items"), [&](const Json& item) { return item.at("name") == name; });
}

class Solutions {
 public:
  Solutions(const Assignment& assignment, LintReport& report) : assignment_(assignment), report_(report) {}

  void look_at(const Submission& submission, const Json& grade, const Json& again) {
    report_.tried.push_back(fmt::format("{}: {}", submission.name, items_in(grade)));
    if (grade.at("status") == "infrastructure" || grade.at("status") == "attention")
      return error(submission, "could not be judged: " + grade.at("reason").get<std::string>());
    if (grade != again) error(submission, "is judged in two ways");
    if (submission.name.starts_with("reference ")) {
      look_at_reference(submission, grade);
    } else if (submission.name.starts_with("starter ")) {
      if (grade.at("score_so_far").get<double>() > 0) error(submission, "earns points: " + items_in(grade));
    } else {
      look_at_wrong(submission, grade);
    }
  }

 private:
  void error(const Submission& submission, const std::string& what) {
    report_.notes.push_back({true, fmt::format("the {} {}", submission.name, what)});
  }

  void look_at_reference(const Submission& submission, const Json& grade) {
    for (const auto& item : grade.at("items"))
      if (item.at("status") != "passed" && item.at("status") != "pending")
        error(submission, fmt::format("does not earn all of '{}': {}", item.at("name").get<std::string>(),
                                      item.at("reason").get<std::string>()));
  }

  void look_at_wrong(const Submission& submission, const Json& grade) {
    const auto& [path, name] =
        *std::ranges::find(assignment_.wrong, submission.path, &std::pair<std::string, std::string>::first);
    const auto& item = item_of(grade, name);
    if (item.at("status") == "passed" || item.at("status") == "pending")
      error(submission, fmt::format("does not fail '{}'", name));
    // What does not compile fails every item, and shows nothing of any.
    if (!grade.at("compile_problem").is_null() || grade.at("kernels").empty())
      report_.notes.push_back(
          {false, fmt::format("the {} has no kernel that is judged: it fails every item", submission.name)});
  }

  const Assignment& assignment_;
  LintReport& report_;
};

}  // namespace

std::vector<LintNote> advice_on(const Assignment& assignment) { return Advice(assignment).run(); }

LintReport lint(const GradingRequest& request) {
  LintReport report;
  report.notes = advice_on(*request.assignment);
  const auto solutions = solutions_of(*request.assignment);
  try {
    const auto grades = grade_all(request, solutions), again = grade_all(request, solutions);
    Solutions tried(*request.assignment, report);
    for (std::size_t i = 0; i < solutions.size(); ++i) tried.look_at(solutions[i], grades[i], again[i]);
  } catch (const WrongReference& error) {
    report.notes.push_back({true, fmt::format("the reference {} is not right: {}", error.where, error.why)});
    report.notes.push_back({false, "no solution was tried: requirements compare with the reference"});
  }
  return report;
}

}  // namespace gpulab
