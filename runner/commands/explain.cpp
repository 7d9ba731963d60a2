// `gpulab explain LAB|FILE …`: one case on the simulator, counted by source line.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "common/child/interrupt.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/case/plan.h"
#include "runner/command.h"
#include "runner/execution/batch.h"
#include "runner/execution/open_device.h"
#include "runner/judge/contract_option.h"
#include "runner/judge/contract_run.h"
#include "runner/listing/metric_choice.h"
#include "runner/options/file_options.h"
#include "runner/options/report_options.h"
#include "runner/report/error_report.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/report_target.h"
#include "runner/student_file/arguments/shell_quoted.h"
#include "runner/student_file/arguments/template_kernels.h"
#include "runner/student_file/compilers/isolation.h"
#include "runner/student_file/line_source.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab::command {
namespace {

constexpr std::size_t usual_width = 100;  ///< of the page, into a file: source stands to the right of its counters

std::optional<std::uint32_t> number_of(const Given& given, std::string_view name) {
  const auto* text = single_value(given, name);
  if (text == nullptr) return std::nullopt;
  const auto value = parse_integer(*text);
  if (!value || *value < 1 || *value > 1'000'000'000)
    throw usage_error(fmt::format("--{}: '{}' is not a number of 1 or more", name, *text));
  return static_cast<std::uint32_t>(*value);
}

struct ExplainOptions {
  MachineOptions machine;
  ReportOptions report;
  std::optional<std::uint32_t> launch, banks;  ///< which launch; of which line
  bool phases = false;
  std::vector<std::string> metrics;  ///< which columns
};

/// Whose kernel it is, and what is known of it beside its counts.
struct Explained {
  const Lab* lab = nullptr;  ///< null: a file's, which no contract launches
  bool is_file = false;
  std::string check_command{};  ///< what counts the same
};

OptionList own_options() {
  constexpr std::string_view heading = "Explanation";
  return {
      {"phases", "", "per block, split by its barriers", heading},
      {"banks", "LINE", "which lane meets which bank, for one access of the line", heading},
      {"launch", "N", "of several launches [the one that executes most]", heading},
  };
}

/// Of labs alone.
OptionList racy_option() {
  return {{"allow-racy", "", "explain a variant that races on purpose, too", heading::simulator}};
}

Usage usage_of_explain(const Lab* lab) {
  return {joined({own_options(), metric_options(lab), lab != nullptr ? racy_option() : OptionList{},
                  lab != nullptr ? sweep_options(*lab)
                                 : joined({contract_option_of_files(), file_options(), launch_options()}),
                  only(machine_options(), {"device", "profile", "schedule", "budget"}),
                  report_options(formats_for(&Format::explanation))}),
          "Each line of the kernel with its counters (simulator), the worst lines with the reason in words.\n"
          "  gpulab explain reduce --variant shared_strided --banks 208\n"
          "  gpulab explain scale.cu --arg 'x:f32[1024]=iota' --arg n:i32=1024     (arguments as for run)\n"
          "  gpulab explain mine.cu --contract transpose     (what 'gpulab check transpose mine.cu' counts)\n"
          "  gpulab explain mine.cu --contract transpose --metrics warp_instructions,barriers     (these columns)\n"
          "The JSON is gpulab.explain.v1 ('gpulab schema explain').\n"};
}

ExplainOptions parse(const CommandLine& line, const Lab* lab) {
  ExplainOptions options;
  options.report = parse_report_options(line.name, line.given, formats_for(&Format::explanation));
  options.machine = parse_machine_options(line.given);
  if (options.machine.device != nullptr && !options.machine.device->capabilities.counts)
    throw usage_error("--device: explain counts on the simulator", "use '--device sim', or leave --device out");
  options.machine.counters = true;
  options.machine.model = true;  // where the GPU has been measured
  options.machine.threads = 1;   // the accesses shown are then the same in every run
  options.launch = number_of(line.given, "launch");
  options.banks = number_of(line.given, "banks");
  options.phases = single_value(line.given, "phases") != nullptr;
  options.metrics = parse_line_metrics(line.given, lab, options.machine);
  return options;
}

SweepCase only_case(const SweepOptions& options, const Executor& executor) {
  auto cases = sweep(options, host_of(executor));
  if (cases.size() > 1)
    throw usage_error(fmt::format("explain shows one case, these are {}", cases.size()),
                      "name one --variant, one --block, and one value of each parameter");
  if (!launches_kernels(*cases[0].variant))
    throw usage_error(fmt::format("variant '{}' launches no kernel of ours", cases[0].variant->name));
  return cases[0];
}

/// The launch asked for, else the one that executed most.
std::size_t chosen_launch(const std::vector<LaunchLines>& launches, std::optional<std::uint32_t> wanted) {
  if (wanted) {
    if (*wanted > launches.size())
      throw usage_error(fmt::format("--launch: the case has {}",
                                    launches.size() == 1 ? "1 launch" : fmt::format("{} launches", launches.size())));
    return *wanted - 1;
  }
  const auto most = std::max_element(launches.begin(), launches.end(), [](const auto& a, const auto& b) {
    return a.counters["warp_instructions"] < b.counters["warp_instructions"];
  });
  return static_cast<std::size_t>(most - launches.begin());
}

/// Texts of headers that launches have lines of.
using Headers = std::map<std::string, std::string>;

/// Of a file's kernels that lie in headers.
Headers headers_of(const Result& result, const FileRequest& request) {
  Headers headers;
  auto folders = std::vector<std::string>{};
  if (const auto nvcc = find_nvcc()) folders = toolchain_folders(*nvcc);
  for (const auto& place : request.compile.places) folders.push_back(place.path);
  for (const auto& launch : result.lines)
    if (launch.text.empty() && !launch.ptx) headers[launch.file] = line_source(launch.file, request.file, folders);
  return headers;
}

/// Its lines to the target.
void write_explanation(Result& result, const Explained& what, const FileRequest& request, const DeviceInfo& device,
                       const ExplainOptions& options, ReportTarget& target) {
  if (result.lines.empty() && result.status == CaseStatus::ok)
    throw usage_error(fmt::format("variant '{}' launches nothing here: there is no kernel to explain", result.variant));
  if (result.lines.empty()) throw Error(ExitCode::launch_failed, result.message, {}, "'gpulab run' and labs show more");
  const auto headers = headers_of(result, request);
  for (auto& launch : result.lines)
    if (const auto text = headers.find(launch.file); text != headers.end()) launch.text = text->second;
  const ExplainView view{device,
                         what.is_file ? "" : what.lab->name,
                         what.is_file ? request.file : "",
                         &result,
                         chosen_launch(result.lines, options.launch),
                         options.phases,
                         options.banks,
                         options.metrics,
                         what.lab != nullptr ? what.lab->subject : std::vector<std::string>{},
                         what.check_command};
  target.write(options.report.format->explanation(view, Style{wants_color(target), report_width(target, usual_width)}));
}

ExitCode explain_case(const SweepOptions& sweep, const ExplainOptions& options,
                      const std::shared_ptr<Executor>& simulator, const FileRequest& request = {}) {
  watch_for_interrupts();
  ReportTarget target(options.report.output);
  const auto batch = std::make_shared<Batch>(Batch{sweep.lab, simulator});
  batch->cases = {only_case(sweep, *simulator)};
  batch->options.grid = sweep.launch.grid;
  auto results = run_batch(batch);
  const auto code = exit_code(batch->cases, results);
  if (code == ExitCode::interrupted) return code;
  const bool is_file = sweep.lab->file != nullptr;
  write_explanation(results.front(), {is_file ? nullptr : sweep.lab.get(), is_file}, request, simulator->info(),
                    options, target);
  return code;
}

/// What `check` counts: the contract says how the kernel is launched.
ExitCode explain_contract(const CommandLine& line, const std::string& contract) {
  refuse_launch_beside_contract(line.given);
  const auto request = parse_file_request(line.name, line.arguments.front(), line.given);
  const auto judging = contract_request(contract, *line.labs, request, parse_launch_options(line.given).seed);
  const auto options = parse(line, nullptr);
  watch_for_interrupts();
  ReportTarget target(options.report.output);
  const auto simulator = open_simulator_for_file(options.machine, file_access(request, {}), true);
  const auto run = contract_run(judging, simulator->info());
  auto result = simulator->run(run.lab, run.lab.variants.front(), run.number, {});
  if (result.status == CaseStatus::interrupted) return ExitCode::interrupted;
  const auto shape = judged(*run.contract, run.kernel, run.posed, result);
  result.params.assign(run.contract->reference.begin(), run.contract->reference.end());
  result.params.emplace_back("seed", static_cast<std::int64_t>(judging.seed));
  auto check = fmt::format("gpulab check {} {}", judging.lab->name, shell_quoted(request.file));
  if (judging.lab->contracts.size() > 1) check += " --contract " + run.contract->name;
  if (!request.kernel.empty()) check += " --kernel " + shell_quoted(request.kernel);
  write_explanation(result, {judging.lab, true, check}, request, simulator->info(), options, target);
  if (shape.status == CaseStatus::ok) return ExitCode::ok;
  print_note(fmt::format("what is explained is not right: {}; more by: {}", shape.message, check));
  return shape.status == CaseStatus::wrong ? ExitCode::wrong : ExitCode::launch_failed;
}

/// A kernel that is named as a contract is most likely for it, and is then launched and filled by that.
void say_contract(const CommandLine& line, const std::string& kernel) {
  for (const auto& lab : *line.labs)
    for (const auto& contract : lab.contracts)
      if (contract.name == kernel.substr(0, kernel.find('<')))
        print_note(fmt::format("'--contract {}/{}' launches {} as 'gpulab check {}' does", lab.name, contract.name,
                               contract.name, lab.name));
}

ExitCode run_explain(const CommandLine& line) {
  const auto& target = line.arguments.front();
  if (!is_kernel_file(target)) {
    const auto& lab = find_lab(*line.labs, target);
    const auto options = parse(line, &lab);
    auto sweep = parse_sweep_options({line.labs, &lab}, line.given);
    sweep.admits_races = single_value(line.given, "allow-racy") != nullptr;  // on one CPU thread: the same in each run
    return explain_case(sweep, options, open_simulator(options.machine, true));
  }
  if (const auto* contract = single_value(line.given, "contract")) return explain_contract(line, *contract);
  auto request = parse_file_request(line.name, target, line.given);
  const auto options = parse(line, nullptr);
  auto launch = parse_launch_options(line.given);
  request.blocks = launch.blocks;
  request.grid = launch.grid;
  for (const auto& one : template_kernels(code_only(request.source))) say_contract(line, one.name);
  const std::shared_ptr<Executor> simulator = open_simulator_for_file(options.machine, file_access(request, {}), true);
  return explain_case(sweep_of_file(lab_of_file(request, simulator->info()), std::move(launch)), options, simulator,
                      request);
}

}  // namespace

extern const Command explain{
    .name = "explain",
    .positionals = {{"LAB|FILE", "which lab or file?"}},
    .help = "a kernel's source, each line with its counters and what makes it slow",
    .usage = usage_of_explain,
    .run = run_explain,
    .example = "gpulab explain reduce --variant shared_strided",
};

}  // namespace gpulab::command
