#include "runner/grade/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/simt/observers/tool.h"
#include "common/text.h"
#include "runner/grade/standard.h"
#include "runner/report/json_text.h"
#include "runner/version.h"

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
    if (!tests && !assignment_.program)
      error("no item is of the kind 'correct': a kernel that is wrong on hidden sizes earns as much");
    if (assignment_.program) look_at_program(tests);
    look_at_races();
    for (const auto& item : assignment_.items) look_at(item);
    return std::move(notes_);
  }

 private:
  void error(std::string text) { notes_.push_back({true, std::move(text)}); }
  void warn(std::string text) { notes_.push_back({false, std::move(text)}); }

  void look_at(const AssignmentItem& item) {
    const auto name = fmt::format("item '{}'", item.name);
    const bool only_shows = item.kind == ItemKind::reported && item.points == 0;
    if (item.points == 0 && !only_shows) warn(name + " is worth no points");
    if (!only_shows && !std::ranges::count(assignment_.wrong, item.name, &std::pair<std::string, std::string>::second))
      warn(name + " is failed by no wrong solution");
    if (item.kind == ItemKind::correct) look_at_classes(item, name);
    if (item.kind == ItemKind::output) look_at_cases(item, name);
    if (item.kind == ItemKind::reported && item.points > 0)
      warn(name + " gives points for what the program's own process reports: host code can forge it");
    const bool measures = item.kind == ItemKind::require || item.kind == ItemKind::speed;
    if (measures && item.certificate == 0)
      warn(name + " has no certificate: one block that does all the work may pass");
    for (const auto& one : item.requirements) look_at(one, name);
    if (item.kind == ItemKind::speed && item.zero_at < least_margin * item.full_at)
      warn(fmt::format("{}: 'full_at' and 'zero_at' are nearer than {} times: chance decides", name, least_margin));
  }

  void look_at_program(bool judges_kernels) {
    if (std::ranges::none_of(assignment_.items,
                             [](const AssignmentItem& item) { return item.kind == ItemKind::output; }))
      error("no item is of the kind 'output': whatever the program prints earns as much");
    if (!judges_kernels)
      warn(
          "no item judges a kernel by a contract: a program that computes on the CPU beside an empty launch earns as "
          "much");
    std::vector<std::string> unused;
    for (const auto& one : assignment_.program->cases)
      if (std::ranges::none_of(assignment_.items, [&](const AssignmentItem& item) {
            return std::ranges::count(item.visible, one.name) + std::ranges::count(item.hidden, one.name) > 0;
          }))
        unused.push_back(one.name);
    if (!unused.empty()) warn(fmt::format("{} of no item: {}", unused.size() == 1 ? "a case" : "cases", join(unused)));
  }

  void look_at_cases(const AssignmentItem& item, const std::string& name) {
    if (item.hidden.empty()) warn(name + " has no hidden cases: a program may know all outputs that are asked for");
    if (item.visible.empty()) warn(name + " has no visible cases: nobody learns what is wrong");
  }

  /// A kernel that races is wrong in the classes where it does.
  void look_at_races() {
    const auto correct = std::ranges::find(assignment_.items, ItemKind::correct, &AssignmentItem::kind);
    if (correct == assignment_.items.end()) return;
    for (const auto& item : assignment_.items) {
      if (item.kind != ItemKind::sanitize || (!item.tools.empty() && !std::ranges::count(item.tools, "racecheck")))
        continue;
      std::vector<std::string> others;
      for (const auto* tool : simt::tool_kinds())
        // (streamcheck judges whole programs: a kernel alone has no streams)
        if (tool->name != "racecheck" && tool->name != "streamcheck" &&
            (item.tools.empty() || std::ranges::count(item.tools, tool->name)))
          others.push_back(fmt::format("\"{}\"", tool->name));
      const auto remedy =
          others.empty() ? "leave it out" : fmt::format("give it the other tools: \"tools\": [{}]", join(others));
      warn(fmt::format("item '{}': one race costs it and '{}', for a kernel that races is wrong; {}", item.name,
                       correct->name, remedy));
    }
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

Submission solution(const Assignment& assignment, const std::string& path, const std::string& role) {
  Submission made;
  made.path = path;
  made.name = role + " " + path;
  made.file = std::filesystem::path(path).filename();
  std::error_code failed;
  if (assignment.program && std::filesystem::is_directory(std::filesystem::symlink_status(path, failed))) {
    made.is_folder = true;
    made.file = assignment.file;
    return made;
  }
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, failed)))
    throw usage_error(fmt::format("assignment: there is no file '{}'", path), "paths are from the assignment's folder");
  return made;
}

std::vector<Submission> solutions_of(const Assignment& assignment) {
  std::vector<Submission> all;
  if (!assignment.reference.empty()) all.push_back(solution(assignment, assignment.reference, "reference"));
  if (!assignment.starter.empty()) all.push_back(solution(assignment, assignment.starter, "starter"));
  for (const auto& [path, item] : assignment.wrong) all.push_back(solution(assignment, path, "wrong"));
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

/// For what a solution earns part of an item: "output 8.33 (nobody)".
std::string earned_in(const Json& grade) {
  std::vector<std::string> texts;
  for (const auto& item : grade.at("items")) {
    std::vector<std::string> parts;
    for (const auto& part : item.at("parts"))
      if (part.at("status") == "passed") parts.push_back(part.at("name"));
    const bool is_part = item.at("status") != "passed" && !parts.empty();
    texts.push_back(fmt::format("{} {}{}", item.at("name").get<std::string>(), points(item.at("earned")),
                                is_part ? fmt::format(" ({})", join(parts)) : ""));
  }
  return join(texts);
}

/// Whoever has the file of the hidden cases may read what is wrong in them.
Assignment with_open_cases(Assignment assignment) {
  for (auto& item : assignment.items) {
    if (item.kind != ItemKind::output) continue;
    item.visible.insert(item.visible.end(), item.hidden.begin(), item.hidden.end());
    item.hidden.clear();
  }
  return assignment;
}

bool fails_output(const Assignment& assignment, const Json& grade) {
  for (std::size_t i = 0; i < assignment.items.size(); ++i)
    if (assignment.items[i].kind == ItemKind::output && grade.at("items")[i].at("status") != "passed") return true;
  return false;
}

const Json& item_of(const Json& grade, const std::string& name) {
  return *std::ranges::find_if(grade.at("items"), [&](const Json& item) { return item.at("name") == name; });
}

class Solutions {
 public:
  Solutions(const Assignment& assignment, LintReport& report) : assignment_(assignment), report_(report) {}

  void look_at(const Submission& submission, const Json& grade, const Json& again) {
    const auto role = submission.name.substr(0, submission.name.find(' '));
    report_.solutions.push_back({{"role", role}, {"path", submission.path}, {"fails", Json()}, {"grade", grade}});
    if (role == "wrong") report_.solutions.back()["fails"] = item_failed_by(submission);
    if (grade.at("status") == "infrastructure" || grade.at("status") == "attention")
      return error(submission, "could not be judged: " + grade.at("reason").get<std::string>());
    if (grade != again) error(submission, "is judged in two ways");
    if (role == "reference") {
      look_at_reference(submission, grade);
    } else if (role == "starter") {
      if (grade.at("score_so_far").get<double>() > 0) error(submission, "earns points: " + earned_in(grade));
    } else {
      look_at_wrong(submission, grade);
    }
  }

  /// `open`: the reference's grade with no case hidden.
  void tell_cases(const Json& open) {
    for (std::size_t i = 0; i < assignment_.items.size(); ++i) {
      const auto& item = assignment_.items[i];
      if (item.kind != ItemKind::output) continue;
      for (const auto& part : open.at("items")[i].at("parts"))
        if (part.at("status") == "failed" && std::ranges::count(item.hidden, part.at("name").get<std::string>()) > 0)
          report_.notes.push_back(
              {false, fmt::format("the reference in the hidden case '{}': {}", part.at("name").get<std::string>(),
                                  part.at("reason").get<std::string>())});
    }
  }

 private:
  void error(const Submission& submission, const std::string& what) {
    report_.notes.push_back({true, fmt::format("the {} {}", submission.name, what)});
  }

  void advice(const Submission& submission, const std::string& what) {
    report_.notes.push_back({false, fmt::format("the {} {}", submission.name, what)});
  }

  [[nodiscard]] const std::string& item_failed_by(const Submission& submission) const {
    return std::ranges::find(assignment_.wrong, submission.path, &std::pair<std::string, std::string>::first)->second;
  }

  void look_at_reference(const Submission& submission, const Json& grade) {
    for (const auto& item : grade.at("items"))
      if (item.at("status") != "passed" && item.at("status") != "pending")
        error(submission, fmt::format("does not earn all of '{}': {}", item.at("name").get<std::string>(),
                                      item.at("reason").get<std::string>()));
  }

  void look_at_wrong(const Submission& submission, const Json& grade) {
    const auto& name = item_failed_by(submission);
    const auto& item = item_of(grade, name);
    if (item.at("status") == "passed" || item.at("status") == "pending")
      error(submission, fmt::format("does not fail '{}'", name));
    // What does not compile fails every item, and shows nothing of any.
    const bool no_kernel = assignment_.contract != nullptr && grade.at("kernels").empty() && !of_program(name);
    if (!grade.at("compile_problem").is_null() || no_kernel)
      advice(submission, "has no kernel that is judged: it fails every item");
    else if (item.at("reason").get<std::string>().starts_with(not_earned))
      advice(submission, fmt::format("is not right, and so fails '{}' whatever it does there", name));
  }

  /// What a program prints can be wrong whatever its kernels are.
  [[nodiscard]] bool of_program(const std::string& name) const {
    return is_of_programs(std::ranges::find(assignment_.items, name, &AssignmentItem::name)->kind);
  }

  const Assignment& assignment_;
  LintReport& report_;
};

/// What a solution had where the item asks for something: "reads_once: global_load_sectors is 32768, asked for …".
std::vector<std::string> lines_of(const AssignmentItem& item, const Json& graded) {
  std::vector<std::string> lines;
  const auto& parts = graded.at("parts");
  const auto written = item.requirements.size() - item.certificate;
  if (item.kind == ItemKind::require)
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (i < written || parts[i].at("status") != "passed") lines.push_back(parts[i].at("reason"));
  if (lines.empty()) lines.push_back(graded.at("reason"));
  for (auto& line : lines) line = fmt::format("{}: {}", item.name, line.substr(0, line.find('\n')));
  return lines;
}

std::string solution_text(const Assignment& assignment, const Json& solution) {
  const auto& grade = solution.at("grade");
  std::string text = fmt::format("  {} {}: {}\n", solution.at("role").get<std::string>(),
                                 solution.at("path").get<std::string>(), items_in(grade));
  for (const auto& item : assignment.items) {
    const bool is_its = solution.at("fails") == item.name;
    const bool is_bound = solution.at("role") == "reference" && item.kind == ItemKind::require;
    if (!is_its && !is_bound) continue;
    for (const auto& line : lines_of(item, item_of(grade, item.name))) text += fmt::format("    {}\n", line);
  }
  return text;
}

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
    if (!request.assignment->reference.empty() && fails_output(*request.assignment, grades[0])) {
      const auto opened = with_open_cases(*request.assignment);
      auto open = request;
      open.assignment = &opened;
      tried.tell_cases(grade_all(open, {solutions[0]})[0]);
    }
  } catch (const WrongReference& error) {
    report.notes.push_back({true, fmt::format("the reference {} is not right: {}", error.where, error.why)});
    report.notes.push_back({false, "no solution was tried: requirements compare with the reference"});
  }
  return report;
}

std::size_t LintReport::errors() const {
  return static_cast<std::size_t>(std::ranges::count(notes, true, &LintNote::is_error));
}

std::string lint_text(const Assignment& assignment, const LintReport& report) {
  std::string text = assignment.title + "\n";
  for (const auto& solution : report.solutions) text += solution_text(assignment, solution);
  for (const auto& note : report.notes) text += fmt::format("{}: {}\n", note.is_error ? "error" : "advice", note.text);
  return text + (report.errors() == 0 ? "sound\n" : plural(report.errors(), "error") + "\n");
}

std::string lint_json(const Assignment& assignment, const LintReport& report) {
  using Ordered = nlohmann::ordered_json;
  Ordered json{{"schema", "gpulab.lint.v1"},
               {"gpulab", {{"version", version()}}},
               {"assignment", assignment.title},
               {"lab", assignment.contract != nullptr ? Ordered(assignment.lab->name) : Ordered()},
               {"contract", assignment.contract != nullptr ? Ordered(assignment.contract->name) : Ordered()},
               {"sound", report.errors() == 0},
               {"notes", Ordered::array()},
               {"solutions", Ordered::array()}};
  for (const auto& note : report.notes)
    json["notes"].push_back({{"severity", note.is_error ? "error" : "advice"}, {"text", visible(note.text)}});
  for (const auto& solution : report.solutions)
    json["solutions"].push_back({{"role", solution.at("role")},
                                 {"path", solution.at("path")},
                                 {"fails", solution.at("fails")},
                                 {"grade", solution.at("grade")}});
  return json_text(json);
}

}  // namespace gpulab
