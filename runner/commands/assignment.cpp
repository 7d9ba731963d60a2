// `gpulab assignment lint ASSIGNMENT`: is it sound?

#include <fmt/format.h>

#include <algorithm>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/grade/lint.h"
#include "runner/grade/standard.h"
#include "runner/judge/key_class.h"
#include "runner/options/machine_options.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

Usage usage_of_assignment(const Lab*) {
  using heading::what_runs;
  return {joined({{{"key", "FILE", "an instructor's key (gpulab.key.v1)", what_runs},
                   {"jobs", "N", "solutions at a time [1]", what_runs},
                   {"no-isolation", "", "no confinement of compiler and kernel, where the system has none", what_runs}},
                  only(machine_options(), {"profile"})}),
          "Grades the reference, which must earn everything, the starter, which must earn nothing, and each wrong\n"
          "solution, which must fail the item that it is there for, all of them twice and alike; and says what an\n"
          "instructor may regret. Exit code 0: sound, whatever the advice; 1: not.\n",
          {"lint"}};
}

std::string report_text(const Assignment& assignment, const LintReport& report) {
  std::string text = assignment.title + "\n";
  for (const auto& line : report.tried) text += fmt::format("  {}\n", line);
  std::size_t errors = 0;
  for (const auto& note : report.notes) {
    errors += note.is_error;
    text += fmt::format("{}: {}\n", note.is_error ? "error" : "advice", note.text);
  }
  return text + (errors == 0 ? "sound\n" : plural(errors, "error") + "\n");
}

ExitCode run_assignment(const CommandLine& line) {
  if (line.arguments[0] != "lint")
    throw usage_error(fmt::format("assignment: it cannot '{}'", visible(line.arguments[0])),
                      did_you_mean(line.arguments[0], {"lint"}, "gpulab assignment lint ASSIGNMENT"));
  const auto assignment = read_assignment(line.arguments[1], *line.labs);
  const auto* key = single_value(line.given, "key");
  GradingRequest request{.assignment = &assignment,
                         .questions = questions_of(assignment, key != nullptr ? read_key(*key) : "")};
  if (const auto& profile = parse_machine_options(line.given).profile) request.questions.profile = *profile;
  request.questions.isolated = single_value(line.given, "no-isolation") == nullptr;
  if (const auto* jobs = single_value(line.given, "jobs"))
    request.jobs = static_cast<int>(whole_number("jobs", *jobs, 1, 256));
  watch_for_interrupts();
  const auto report = lint(request);
  print_report(report_text(assignment, report));
  return std::ranges::any_of(report.notes, &LintNote::is_error) ? ExitCode::wrong : ExitCode::ok;
}

}  // namespace

extern const Command assignment{
    .name = "assignment",
    .positionals = {{"lint", "what of it?"}, {"ASSIGNMENT", "which assignment?"}},
    .help = "is an assignment sound: reference full marks, starter none, each wrong one caught",
    .usage = usage_of_assignment,
    .run = run_assignment,
    .example = "gpulab assignment lint configs/assignments/reduce/assignment.json",
};

}  // namespace gpulab::command
