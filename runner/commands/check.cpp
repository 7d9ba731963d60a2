// `gpulab check LAB FILE.cu`: a student's kernel against a contract of the lab.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/execution/progress.h"
#include "runner/export/pages/student_page.h"
#include "runner/grade/grades_report.h"
#include "runner/grade/grading.h"
#include "runner/grade/standard.h"
#include "runner/judge/contract_option.h"
#include "runner/judge/judge.h"
#include "runner/judge/key_class.h"
#include "runner/options/machine_options.h"
#include "runner/options/nvcc_options.h"
#include "runner/options/report_options.h"
#include "runner/report/json_text.h"
#include "runner/report/report_target.h"
#include "runner/student_file/arguments/shell_quoted.h"
#include "runner/student_file/source_file.h"

namespace gpulab::command {

extern const Command check;

namespace {

OptionList own_options() {
  using heading::what_runs;
  return {
      {"assignment", "FILE", "in place of LAB: the part of an assignment that everybody can see, item by item",
       what_runs},
      {"kernel", "NAME", "which kernel of the file [the contract's name, else the only one that fits]", what_runs},
      {"require", "EXPR,…", "what counters must be: 'warp_instructions<=1.3*tiled_padded'", what_runs},
      {"key", "FILE", "an instructor's key: its own sizes and inputs (gpulab.key.v1)", what_runs},
      {"seed", "N", "inputs [42]", what_runs},
      {"no-isolation", "", "no confinement of compiler and kernel, where the system has none", what_runs},
  };
}

Usage usage_of_check(const Lab* lab) {
  return {
      joined({contract_option(lab), own_options(), nvcc_options(), only(machine_options(), {"profile", "model"}),
              report_options(formats_for(&Format::check))}),
      "Compiles the file alone, finds the kernel, launches it on every class of inputs that the contract names,\n"
      "each on new memory and twice, in two orders of threads, under all sanitizer tools, and counts it beside\n"
      "rungs of the lab. Exit code 0: right, no finding, every requirement met; 1: not so; 2: the request is wrong.\n"
      "EXPR  COUNTER OP VALUE, COUNTER OP FACTOR*RUNG     OP  == != <= >= < >\n"
      "The JSON is gpulab.check.v1 ('gpulab schema check').\n"
      "With --assignment FILE.json the file, or a folder with one, is judged as 'gpulab grade' will judge it, but for\n"
      "what is hidden: items, classes and sizes of a key. Exit code 1: an item is not as asked for. The JSON is a\n"
      "gpulab.grade.v1 of the status 'tried', without a score.\n"};
}

JudgeRequest parse(const CommandLine& line) {
  if (line.lab == nullptr) throw unknown_lab(line.arguments.front(), lab_names(*line.labs));
  JudgeRequest request;
  request.lab = line.lab.get();
  request.contract = contract_asked_for(*line.lab, line.given);
  request.file = line.arguments.at(1);
  if (!request.file.ends_with(".cu"))
    throw usage_error(fmt::format("check: '{}' is not a .cu file", request.file), "gpulab new LAB writes one");
  std::error_code failed;
  if (const auto size = std::filesystem::file_size(request.file, failed); !failed && size > most_source_bytes)
    request.unreadable =
        fmt::format("{} has {}: nobody writes so much by hand", request.file, bytes_text(double(size)));
  if (request.unreadable.empty()) request.source = read_source(request.file, "check");
  if (const auto* kernel = single_value(line.given, "kernel")) request.kernel = *kernel;
  for (const auto& text : values_of(line.given, "require"))
    for (auto& one : parse_requirements(text, *line.lab)) request.requirements.push_back(std::move(one));
  request.compile = parse_nvcc_options(line.given);
  const auto* seed = single_value(line.given, "seed");
  if (seed != nullptr) request.seed = static_cast<std::uint64_t>(whole_number("seed", *seed, 0, INT64_MAX));
  if (const auto* key = single_value(line.given, "key")) {
    if (seed != nullptr) throw usage_error("--seed and --key: the key decides the seed", "leave one of them out");
    request.secret = read_key(*key);
    request.seed = seed_of(request.secret, line.lab->name);
  }
  const auto machine = parse_machine_options(line.given);
  request.profile = machine.profile.value_or("");
  request.model = machine.model;
  for (const auto& one : request.requirements) request.model |= is_modelled_time(one.counter);
  request.isolated = single_value(line.given, "no-isolation") == nullptr;
  return request;
}

/// All that an assignment says itself. Throws usage_error for an option that would say it otherwise.
void check_options_beside_assignment(const CommandLine& line) {
  const std::vector<std::string> known{"assignment", "profile", "no-isolation", "format", "output"};
  for (const auto& [name, values] : line.given)
    if (!std::ranges::count(known, name))
      throw usage_error(fmt::format("--{} and --assignment: the assignment says what is asked", name),
                        "leave one of them out");
  if (line.arguments.size() != 1)
    throw usage_error("check: --assignment stands in place of a lab, and takes one file",
                      "as in: gpulab check --assignment assignment.json total.cu");
}

/// A student tries what will be graded.
ExitCode try_assignment(const CommandLine& line, const std::string& path) {
  check_options_beside_assignment(line);
  auto formats = formats_for(&Format::check);
  std::erase_if(formats, [](const Format* one) { return one->name == "sarif"; });  // points are no alerts
  const auto report = parse_report_options(line.name, line.given, formats);
  const auto format = report.format->name;
  std::error_code failed;
  if (const auto& file = line.arguments.front(); !std::filesystem::exists(file, failed))
    throw usage_error(fmt::format("check: there is no file '{}'", file));
  const auto assignment = public_part(read_assignment(path, *line.labs));
  GradingRequest request{.assignment = &assignment, .questions = public_questions(assignment)};
  if (const auto& profile = parse_machine_options(line.given).profile) request.questions.profile = *profile;
  check_profile_for_points(request.questions.profile);
  request.questions.isolated = single_value(line.given, "no-isolation") == nullptr;
  watch_for_interrupts();
  ReportTarget target(report.output);
  const auto submissions = find_submissions(line.arguments, assignment.file);
  const auto& given = submissions.front();
  const auto named = given.is_folder ? (std::filesystem::path(given.path) / given.file).string() : given.path;
  const auto tried = grade_all(request, submissions).front();
  target.write(format == "json"   ? json_text(nlohmann::ordered_json::parse(tried.dump()))
               : format == "html" ? student_page(grade_of(tried))
                                  : tried_table(tried, named, report_width(target)));
  if (tried.at("status") == "infrastructure") return ExitCode::launch_failed;
  if (tried.at("status") == "attention") return ExitCode::wrong;
  const bool as_asked = std::ranges::all_of(tried.at("items"), [](const nlohmann::json& item) {
    return item.at("status") == "passed" || item.at("status") == "pending";
  });
  return as_asked ? ExitCode::ok : ExitCode::wrong;
}

/// What shows the lines of the kernel as it was counted: the same file, compiled, found and launched the same way.
std::string explain_command(const CommandLine& line, const JudgeRequest& request, const std::string& contract) {
  std::size_t of_that_name = 0;
  for (const auto& lab : *line.labs)
    of_that_name += static_cast<std::size_t>(std::ranges::count(lab.contracts, contract, &Contract::name));
  auto command = fmt::format("gpulab explain {} --contract {}{}", shell_quoted(request.file),
                             of_that_name > 1 ? request.lab->name + "/" : "", contract);
  std::vector<std::string> same{"kernel", "seed", "profile", "no-isolation"};
  for (const auto& option : nvcc_options()) same.push_back(option.name);
  for (const auto& [option, values] : line.given) {
    if (!std::ranges::count(same, option)) continue;
    for (const auto& value : values) {
      command += fmt::format(" {}{}", option.size() == 1 ? "-" : "--", option);
      if (value != "true") command += ' ' + shell_quoted(value);  // else a flag
    }
  }
  return command;
}

ExitCode run_check(const CommandLine& line) {
  if (const auto* path = single_value(line.given, "assignment")) return try_assignment(line, *path);
  if (line.arguments.size() < 2)
    throw usage_error("check: which file?", fmt::format("as in: {}", command::check.example));
  const auto report = parse_report_options(line.name, line.given, formats_for(&Format::check));
  auto request = parse(line);
  watch_for_interrupts();
  ReportTarget target(report.output);
  Progress progress;
  std::string now = "compiles";
  request.trying = [&](std::string_view of) { now = fmt::format("inputs '{}'", of); };
  if (progress.is_seen())
    request.limits.waiting = [&] { progress.show(fmt::format("check {}: {}", request.lab->name, now)); };
  auto judgement = judge(request);
  progress.end();
  judgement.subject = request.lab->subject;
  if (!judgement.beside.empty()) judgement.explain_command = explain_command(line, request, judgement.contract);
  target.write(report.format->check(judgement, Style{wants_color(target), report_width(target)}));
  return judgement.passed() ? ExitCode::ok : ExitCode::wrong;
}

}  // namespace

extern const Command check{
    .name = "check",
    .positionals = {{"LAB", "which lab?"}, {"FILE", ""}},
    .help = "your own kernel against a lab: verified, sanitized, counted",
    .usage = usage_of_check,
    .run = run_check,
    .example = "gpulab check reduce total.cu --contract total",
};

}  // namespace gpulab::command
