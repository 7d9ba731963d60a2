// `gpulab check LAB FILE.cu`: a student's kernel against a contract of the lab.

#include <fmt/format.h>

#include <filesystem>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/judge/contract_option.h"
#include "runner/judge/judge.h"
#include "runner/judge/key_class.h"
#include "runner/options/machine_options.h"
#include "runner/options/nvcc_options.h"
#include "runner/options/report_options.h"
#include "runner/report/report_target.h"
#include "runner/student_file/source_file.h"

namespace gpulab::command {
namespace {

OptionList own_options() {
  using heading::what_runs;
  return {
      {"kernel", "NAME", "which kernel of the file [the contract's name, else the only one that fits]", what_runs},
      {"require", "EXPR,…", "what counters must be: 'warp_instructions<=1.3*tiled_padded'", what_runs},
      {"key", "FILE", "an instructor's key: its own sizes and inputs (gpulab.key.v1)", what_runs},
      {"seed", "N", "inputs [42]", what_runs},
      {"no-isolation", "", "no confinement of compiler and kernel, where the system has none", what_runs},
  };
}

Usage usage(const Lab* lab) {
  return {
      joined({contract_option(lab), own_options(), nvcc_options(), only(machine_options(), {"profile", "model"}),
              report_options(formats_for(&Format::check))}),
      "Compiles the file alone, finds the kernel, launches it on every class of inputs that the contract names,\n"
      "each on new memory and twice, in two orders of threads, under all sanitizer tools, and counts it beside\n"
      "rungs of the lab. Exit code 0: right, no finding, every requirement met; 1: not so; 2: the request is wrong.\n"
      "EXPR  COUNTER OP VALUE, COUNTER OP FACTOR*RUNG     OP  == != <= >= < >\n"
      "The JSON is gpulab.check.v1 ('gpulab schema check').\n"};
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
  for (const auto& one : request.requirements) request.model |= one.counter.starts_with("model.");
  request.isolated = single_value(line.given, "no-isolation") == nullptr;
  return request;
}

ExitCode run(const CommandLine& line) {
  const auto report = parse_report_options(line.name, line.given, formats_for(&Format::check));
  const auto request = parse(line);
  watch_for_interrupts();
  ReportTarget target(report.output);
  const auto judgement = judge(request);
  target.write(report.format->check(judgement, Style{wants_color(target), report_width(target)}));
  return judgement.passed() ? ExitCode::ok : ExitCode::wrong;
}

}  // namespace

extern const Command check{
    .name = "check",
    .positionals = {{"LAB", "which lab?"}, {"FILE", "which file?"}},
    .help = "your own kernel against a lab: verified, sanitized, counted",
    .usage = usage,
    .run = run,
    .example = "gpulab check reduce total.cu --contract total",
};

}  // namespace gpulab::command
