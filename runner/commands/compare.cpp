// `gpulab compare A B`: results of now beside those of before; two kernels beside each other.

#include <fmt/format.h>

#include <algorithm>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/compare/floor.h"
#include "runner/compare/kernels/by_contract.h"
#include "runner/compare/kernels/two_files.h"
#include "runner/compare/kernels/two_rungs.h"
#include "runner/compare/pairing.h"
#include "runner/compare/verdict.h"
#include "runner/judge/contract_option.h"
#include "runner/judge/contract_run.h"
#include "runner/options/file_options.h"
#include "runner/options/measure_options.h"
#include "runner/options/nvcc_options.h"
#include "runner/options/report_options.h"
#include "runner/options/sizes.h"
#include "runner/report/report_target.h"
#include "runner/student_file/source_file.h"

namespace gpulab::command {
namespace {

constexpr std::size_t usual_width = 100;

OptionList own_options() {
  return {{"threshold", "PERCENT", "what is nearer is the same; what is slower by more ends with exit code 1 [5%]",
           heading::report},
          {"against", "A", "the other way round: what is named is B, and this is A: a variant, a file",
           heading::what_runs}};
}

/// --against: A stands before B then.
CommandLine with_a_first(CommandLine line) {
  const auto* against = single_value(line.given, "against");
  if (against == nullptr) return line;
  const auto a = *against;
  line.given.erase("against");
  if (line.lab != nullptr && line.arguments.size() == 1) {
    auto& variant = line.given["variant"];
    if (variant.size() > 1 || (variant.size() == 1 && variant.front().find(',') != std::string::npos))
      throw usage_error("--against: it is A, and one --variant is B", "as in --variant warp --against neighbored");
    variant = {a + "," + (variant.empty() ? line.lab->headline : variant.front())};
  } else if (line.arguments.size() == 1) {
    line.arguments.insert(line.arguments.begin(), a);
  } else {
    throw usage_error("--against: it is A, and two are named already", "leave one of them out");
  }
  return line;
}

/// Of files without a contract.
OptionList size_option() {
  return {{"n", "SIZES", "a sweep: each size in place of {n} in --arg, --set, --expect, --shared, --grid",
           heading::what_runs}};
}

/// Of a file's kernel beside a rung.
OptionList judged_options(const Lab* lab) {
  using heading::what_runs;
  return joined(
      {contract_option(lab),
       {{"kernel", "NAME", "which kernel of the file [the contract's name, else the only one that fits]", what_runs},
        {"no-isolation", "", "no confinement of compiler and kernel, where the system has none", what_runs},
        {"allow-racy", "", "compare variants that race on purpose, too", heading::simulator}},
       nvcc_options()});
}

Usage usage_of_compare(const Lab* lab) {
  const auto what =
      lab != nullptr
          ? joined({sweep_options(*lab), judged_options(lab)})
          : joined({size_option(),
                    {{"contract", "NAME", "a lab's contract launches both, as for check: transpose, reduce/total",
                      heading::what_runs}},
                    file_options(),
                    launch_options()});
  return {
      joined({own_options(), what,
              only(machine_options(),
                   {"device", "profile", "threads", "model", "counters", "no-counters", "schedule", "budget"}),
              measure_options(), report_options(formats_for(&Format::comparison))}),
      "Two documents: results with the same lab, variant, parameters and launch.\n"
      "  gpulab reduce --variant all --format json --output before.json; …; gpulab compare before.json now.json\n"
      "Two kernels, which run on the same inputs, at several sizes: B is told beside A.\n"
      "  gpulab compare reduce --variant neighbored,warp --n 2^16:2^22     two rungs\n"
      "  gpulab compare reduce mine.cu --variant warp     a rung, and a kernel of yours for the lab's contract\n"
      "  gpulab compare old.cu new.cu --kernel scale --arg 'x:f32[{n}]=random' --arg n:i32={n} --n 2^16,2^20\n"
      "  gpulab compare old.cu new.cu --contract transpose     (--kernel twice: A's, then B's)\n"
      "  gpulab compare reduce --variant warp --against neighbored         the same, B named first\n"
      "On a GPU the two are timed in turn, A B B A, so that a clock that drifts hits both.\n"
      "Right or wrong first, for a wrong answer is never faster; then times that both have of one GPU, measured ones\n"
      "before modelled ones and never one with the other; then counters. Exit code 1: something is slower by more\n"
      "than the threshold, wrong now and not before, or gone; 2: nothing can be compared.\n"
      "The JSON is gpulab.compare.v1 ('gpulab schema compare').\n"};
}

double threshold_of(const Given& given) {
  const auto* text = single_value(given, "threshold");
  if (text == nullptr) return 0.05;
  const auto percent =
      text->ends_with('%') ? parse_real(std::string_view(*text).substr(0, text->size() - 1)) : std::nullopt;
  if (!percent || !(*percent >= 0.1 && *percent <= 100))
    throw usage_error(fmt::format("--threshold: '{}' is no percentage from 0.1% to 100%", visible(*text)),
                      "as in --threshold 5%");
  return *percent / 100;
}

bool is_document(const std::string& name) { return name.ends_with(".json"); }

/// Of a lab, times of its rungs lie as near to each other as those of other versions of a rung.
PairKind kind_of(const ResultDocument& document) {
  const bool lab = document.schema == "gpulab.run.v1" && !document.results.empty() &&
                   document.results.front().lab.find('.') == std::string::npos;
  return lab ? PairKind::rungs : PairKind::foreign;
}

Comparison compare_documents(const CommandLine& line, double threshold) {
  for (const auto& [name, values] : line.given)
    if (name != "threshold" && name != "format" && name != "output")
      throw usage_error(fmt::format("--{}: two documents hold what has run already", name), "leave it out");
  auto a = read_document(line.arguments[0]), b = read_document(line.arguments[1]);
  const auto kind = kind_of(b);
  auto comparison = paired(std::move(a), std::move(b), threshold);
  judge_pairs(comparison, kind);
  return comparison;
}

/// Of --kernel: the one name for both, or one for each.
std::array<std::string, 2> kernels_of(const Given& given) {
  const auto names = values_of(given, "kernel");
  if (names.size() > 2) throw usage_error("--kernel: one for both files, or one for each", "A's first, then B's");
  if (names.empty()) return {};
  return {names.front(), names.back()};
}

JudgeRequest judge_request(const CommandLine& line, const Lab& lab, const Contract& contract, const std::string& file,
                           const std::string& kernel) {
  if (!file.ends_with(".cu"))
    throw usage_error(
        fmt::format("compare: '{}' is not a .cu file, and a contract launches source files", visible(file)));
  JudgeRequest request{
      .lab = &lab, .contract = &contract, .file = file, .source = read_source(file, "compare"), .kernel = kernel};
  request.compile = parse_nvcc_options(line.given);
  request.seed = parse_launch_options(line.given).seed;
  request.isolated = single_value(line.given, "no-isolation") == nullptr;
  if (const auto& profile = parse_machine_options(line.given).profile) request.profile = *profile;
  return request;
}

void refuse_beside_contract(const Given& given) {
  for (const char* name :
       {"arg", "set", "shared", "cooperative", "expect", "tolerance", "block", "grid", "compiler", "compile-limit"})
    if (given.contains(name))
      throw usage_error(fmt::format("--{}: the contract says how both are launched", name), "leave it out");
}

MachineOptions simulated(const CommandLine& line) {
  const auto machine = parse_machine_options(line.given);
  if (machine.device != nullptr && !machine.device->capabilities.counts)
    throw usage_error("--device: contracts are launched on the simulator", "use '--device sim', or leave --device out");
  return machine;
}

/// LAB FILE.cu: a rung is A, the file is B.
RanPairs against_rung(const CommandLine& line) {
  const auto& lab = *line.lab;
  refuse_beside_contract(line.given);
  if (lab.contracts.empty())
    throw usage_error(fmt::format("compare: {} has no contract for a kernel of yours", lab.name),
                      "'gpulab list' says which labs have");
  const auto* asked = contract_asked_for(lab, line.given);
  if (asked == nullptr && lab.contracts.size() > 1) {
    std::vector<std::string> names;
    for (const auto& contract : lab.contracts) names.push_back(contract.name);
    throw usage_error(fmt::format("compare: which contract of {} is it?", lab.name),
                      "--contract " + join(names, ", --contract "));
  }
  ByContract request{.lab = &lab, .contract = asked != nullptr ? asked : &lab.contracts.front()};
  const auto* variant = single_value(line.given, "variant");
  request.sides[0].rung = variant != nullptr ? find_variant(lab, *variant).name : lab.headline;
  request.sides[1].request = judge_request(line, lab, *request.contract, line.arguments[1], kernels_of(line.given)[1]);
  request.points = contract_points(*request.contract, line.given);
  request.machine = simulated(line);
  return run_by_contract(request);
}

RanPairs files_by_contract(const CommandLine& line, const std::string& contract) {
  refuse_beside_contract(line.given);
  JudgeRequest chosen;
  choose_contract(contract, *line.labs, chosen);
  ByContract request{.lab = chosen.lab, .contract = chosen.contract};
  for (std::size_t i = 0; i < 2; ++i)
    request.sides[i].request =
        judge_request(line, *chosen.lab, *chosen.contract, line.arguments[i], kernels_of(line.given)[i]);
  request.points = contract_points(*request.contract, line.given);
  request.machine = simulated(line);
  return run_by_contract(request);
}

RanPairs two_files(const CommandLine& line) {
  TwoFiles request{
      .files = {line.arguments[0], line.arguments[1]}, .kernels = kernels_of(line.given), .given = line.given};
  request.given.erase("n");
  if (const auto* sizes = single_value(line.given, "n")) {
    if (!has_size(line.given))
      throw usage_error("--n: no argument has a size in it",
                        "as in --arg 'x:f32[{n}]=random' --arg n:i32={n} --n 2^16,2^20");
    request.sizes = parse_sizes(*sizes, "--n");
  } else if (has_size(line.given)) {
    throw usage_error("compare: which sizes are to stand for {n}?", "as in --n 2^16,2^20");
  }
  request.machine = parse_machine_options(line.given);
  request.measure = parse_measure_options(line.given);
  return run_two_files(request);
}

RanPairs two_rungs(const CommandLine& line) {
  if (!line.given.contains("variant"))
    throw usage_error(fmt::format("compare: which two variants of {}?", line.lab->name),
                      fmt::format("as in: gpulab compare {} --variant {},{}", line.lab->name,
                                  line.lab->variants.front().name, line.lab->headline));
  for (const char* name : {"contract", "kernel"})
    if (line.given.contains(name))
      throw usage_error(fmt::format("--{}: no file is compared", name), "gpulab compare LAB FILE.cu");
  auto sweep = parse_sweep_options(line.lab, with_a_sweep(*line.lab, line.given));
  sweep.admits_races = single_value(line.given, "allow-racy") != nullptr;
  auto machine = parse_machine_options(line.given);
  if (sweep.admits_races) machine.threads = 1;
  return run_two_rungs(sweep, machine, parse_measure_options(line.given));
}

RanPairs run_kernels(const CommandLine& line) {
  const auto& words = line.arguments;
  const auto is_file = [](const std::string& word) { return is_kernel_file(word); };
  if (line.lab != nullptr && words.size() == 1) return two_rungs(line);
  if (line.lab != nullptr && words[0] == line.lab->name && is_file(words[1])) return against_rung(line);
  if (words.size() == 2 && std::ranges::all_of(words, is_file)) {
    const auto* contract = single_value(line.given, "contract");
    return contract != nullptr ? files_by_contract(line, *contract) : two_files(line);
  }
  if (words.size() == 1 && !is_file(words[0]) && !is_document(words[0]))
    throw unknown_lab(words[0], lab_names(*line.labs));
  throw usage_error(
      "compare: two documents, two .cu files, two variants of a lab, or a lab and a .cu file are compared",
      "as in: gpulab compare before.json now.json");
}

ExitCode run_compare(const CommandLine& typed) {
  const auto line = with_a_first(typed);
  const auto threshold = threshold_of(line.given);
  const auto report = parse_report_options(line.name, line.given, formats_for(&Format::comparison));
  const bool documents = line.arguments.size() == 2 && std::ranges::all_of(line.arguments, is_document);
  watch_for_interrupts();
  ReportTarget target(report.output);
  auto comparison = documents ? compare_documents(line, threshold) : comparison_of(run_kernels(line), threshold);
  judge_by_floor(comparison, *line.labs);
  target.write(report.format->comparison(comparison, Style{wants_color(target), report_width(target, usual_width)}));
  return comparison.regressions() > 0 ? ExitCode::wrong : ExitCode::ok;
}

}  // namespace

extern const Command compare{
    .name = "compare",
    .positionals = {{"A.json|LAB|FILE", "compare what?"}, {"B.json|FILE", ""}},
    .help = "two results or two kernels: faster, slower, the same, undecided",
    .usage = usage_of_compare,
    .run = run_compare,
    .example = "gpulab compare before.json now.json",
};

}  // namespace gpulab::command
