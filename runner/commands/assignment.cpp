// `gpulab assignment lint ASSIGNMENT`: is it sound? `gpulab assignment new LAB [DIR]`: one to begin with.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/grade/lint.h"
#include "runner/grade/mutants/mutant_trial.h"
#include "runner/grade/standard.h"
#include "runner/judge/contract_option.h"
#include "runner/judge/key_class.h"
#include "runner/listing/new_assignment.h"
#include "runner/options/machine_options.h"
#include "runner/report/grid_text.h"
#include "runner/report/json_text.h"
#include "runner/report/new_file.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

Usage usage_of_assignment(const Lab* lab) {
  using heading::what_runs, heading::report;
  return {
      joined({{{"key", "FILE", "an instructor's key (gpulab.key.v1)", what_runs},
               {"jobs", "N", "solutions at a time [1]", what_runs},
               {"mutants", "", "lint: how many mistakes, put into the reference one by one, cost points", what_runs},
               {"no-isolation", "", "no confinement of compiler and kernel, where the system has none", what_runs}},
              contract_option(lab),
              only(machine_options(), {"profile"}),
              {{"format", "FORMAT", "table or json [table]", report, false, {"table", "json"}}}}),
      "lint grades the reference, which must earn everything, the starter, which must\n"
      "earn nothing, and each wrong solution, which must fail the item that it is\n"
      "there for, all of them twice and alike; prints what each had where its item\n"
      "asks for something; and says what an instructor may regret. Exit code 0:\n"
      "sound, whatever the advice; 1: not. --mutants puts mistakes into the\n"
      "reference, one by one (guards, comparisons, barriers, indices …), grades each,\n"
      "and tells those that keep all points: wrong on other inputs or under other\n"
      "tools, slower, or neither; with their line and what would tell. Minutes;\n"
      "--jobs shortens it.\n"
      "new writes a folder, DIR or the contract's name, with an assignment that is\n"
      "sound: a reference, a starter, wrong solutions. Change it into yours.\n"
      "'new program' writes one whose submissions are whole programs, run by cases\n"
      "and judged by what they print: 'Whole programs' in\n"
      "configs/assignments/README.md says in which order to make it yours.\n",
      {"lint", "new"}};
}

bool wants_json(const Given& given) {
  const auto* text = single_value(given, "format");
  if (text == nullptr || *text == "table") return false;
  if (*text == "json") return true;
  throw usage_error(fmt::format("assignment has no format '{}'", visible(*text)),
                    did_you_mean(*text, {"table", "json"}, "formats: table, json"));
}

ExitCode run_lint(const CommandLine& line) {
  if (line.arguments.size() > 2)
    throw usage_error(fmt::format("assignment lint: unexpected argument '{}'", visible(line.arguments[2])),
                      "gpulab assignment lint ASSIGNMENT");
  const bool json = wants_json(line.given);
  const auto assignment = read_assignment(line.arguments[1], *line.labs);
  const auto* key = single_value(line.given, "key");
  GradingRequest request{.assignment = &assignment,
                         .questions = questions_of(assignment, key != nullptr ? read_key(*key) : "")};
  if (const auto& profile = parse_machine_options(line.given).profile) request.questions.profile = *profile;
  check_profile_for_points(request.questions.profile);
  request.questions.isolated = single_value(line.given, "no-isolation") == nullptr;
  if (const auto* jobs = single_value(line.given, "jobs"))
    request.jobs = static_cast<int>(whole_number("jobs", *jobs, 1, 256));
  watch_for_interrupts();
  const auto report = lint(request);
  std::optional<MutantReport> mutants;
  if (single_value(line.given, "mutants") != nullptr) mutants = try_mutants(request, {});
  if (json) {
    auto document = nlohmann::ordered_json::parse(lint_json(assignment, report));
    if (mutants) document["mutants"] = mutant_json(*mutants);
    print_report(json_text(document));
  } else {
    const auto text = (mutants ? mutant_text(assignment, *mutants) : "") + lint_text(assignment, report);
    print_report(within(text, report_width(ReportTarget({}))));
  }
  return report.errors() > 0 ? ExitCode::wrong : ExitCode::ok;
}

/// Into the folder; none of them may be there already.
void write_new_files(const std::vector<NewFile>& files, const std::filesystem::path& folder) {
  for (const auto& file : files) {
    const auto path = (folder / file.path).lexically_normal();
    make_folder(path.parent_path(), "assignment new");
    write_new(path, file.text, "assignment new");
  }
  print_report(fmt::format("{}: {} files; change them into yours, then\n  gpulab assignment lint {}\n", folder.string(),
                           files.size(), (folder / files.front().path).string()));
}

ExitCode run_new_assignment(const CommandLine& line) {
  if (line.arguments[1] == "program") {
    write_new_files(new_program_assignment(), line.arguments.size() > 2 ? line.arguments[2] : "program");
    return ExitCode::ok;
  }
  if (line.lab == nullptr) throw unknown_lab(line.arguments[1], lab_names(*line.labs));
  const auto* named = contract_asked_for(*line.lab, line.given);
  const auto& contract = named != nullptr ? *named : line.lab->contracts.front();
  const std::filesystem::path folder = line.arguments.size() > 2 ? line.arguments[2] : contract.name;
  write_new_files(new_assignment(*line.lab, contract), folder);
  return ExitCode::ok;
}

ExitCode run_assignment(const CommandLine& line) {
  const std::vector<std::string> known{"lint", "new"};
  if (line.arguments[0] == known[0]) return run_lint(line);
  if (line.arguments[0] == known[1]) return run_new_assignment(line);
  throw usage_error(
      fmt::format("assignment: it cannot '{}'", visible(line.arguments[0])),
      did_you_mean(line.arguments[0], known, "gpulab assignment lint ASSIGNMENT; gpulab assignment new LAB"));
}

}  // namespace

extern const Command assignment{
    .name = "assignment",
    .positionals = {{"lint|new", "what of it?"}, {"ASSIGNMENT|LAB", "which assignment, or of which lab?"}, {"DIR", ""}},
    .help = "is an assignment sound: reference full marks, starter none, each wrong one caught; or a new one",
    .usage = usage_of_assignment,
    .run = run_assignment,
    .example = "gpulab assignment lint configs/assignments/reduce/assignment.json",
};

}  // namespace gpulab::command
