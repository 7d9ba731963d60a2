// `gpulab trace LAB|FILE …`: one case on the simulator, each step of some warps kept, as a page or as text.

#include <fmt/format.h>

#include <algorithm>
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
#include "runner/execution/stepped_case.h"
#include "runner/judge/contract_option.h"
#include "runner/judge/contract_run.h"
#include "runner/options/file_options.h"
#include "runner/report/error_report.h"
#include "runner/report/report_target.h"
#include "runner/report/trace/pictures/step_picture.h"
#include "runner/report/trace/trace_page.h"
#include "runner/report/trace/trace_text.h"
#include "runner/student_file/arguments/shell_quoted.h"

namespace gpulab::command {
namespace {

constexpr std::int64_t small_length = 4096;  ///< of a lab's one size, where nobody names it

struct TraceOptions {
  MachineOptions machine;
  std::string output;  ///< empty: text on standard output
  bool text = false;
  std::optional<PictureRequest> picture{};
};

OptionList own_options() {
  return {
      {"text", "", "the steps as text, in place of a page", heading::trace},
      {"output", "FILE", "the page; FILE.json: its data, gpulab.trace.v1", heading::report},
      {"image", "FILE", "one step as a picture, .svg or .png", heading::report},
      {.name = "picture",
       .value = "WHAT",
       .help = "of it: step, banks, sectors, timeline [step]",
       .heading = heading::report,
       .words = {"step", "banks", "sectors", "timeline"}},
      {"step", "N", "its number [the first at which something goes wrong]", heading::report},
  };
}

/// Of labs alone.
OptionList racy_option() {
  return {{"allow-racy", "", "trace a variant that races on purpose without racecheck, too", heading::simulator}};
}

Usage usage_of_trace(const Lab* lab) {
  return {
      joined({own_options(), trace_window_options(), lab != nullptr ? racy_option() : OptionList{},
              lab != nullptr ? sweep_options(*lab)
                             : joined({contract_option_of_files(), file_options(), launch_options()}),
              only(machine_options(), {"device", "profile", "sanitize", "schedule", "budget"})}),
      "Steps a kernel forward and back, warp by warp (simulator): lanes, banks, sectors, values, and why.\n"
      "  gpulab trace reduce --variant shared_strided --output reduce.html\n"
      "  gpulab trace scale.cu --kernel scale --text        (arguments as for run)\n"
      "  gpulab trace mine.cu --contract transpose --text   (everyday inputs of 'gpulab check transpose mine.cu')\n"
      "  gpulab trace reduce --variant shared_strided --image banks.svg --picture banks\n"
      "Sizes that are not named are small ones. With --sanitize the page opens at the accesses of what is found.\n"};
}

std::optional<PictureRequest> parse_picture(const Given& given) {
  const auto *image = single_value(given, "image"), *picture = single_value(given, "picture"),
             *step = single_value(given, "step");
  if (image == nullptr) {
    if (picture != nullptr || step != nullptr)
      throw usage_error(
          fmt::format("--{}: which file is the picture to go to?", picture != nullptr ? "picture" : "step"),
          "--image FILE.svg, or FILE.png");
    return std::nullopt;
  }
  PictureRequest request{.file = *image};
  if (!image->ends_with(".png") && !image->ends_with(".svg"))
    throw usage_error(fmt::format("--image: '{}' ends neither in .png nor in .svg", visible(*image)),
                      "as in --image step.svg");
  if (picture != nullptr) {
    const auto known = from_text<StepPicture>(*picture);
    if (!known)
      throw usage_error(fmt::format("--picture: '{}' is none of: step, banks, sectors, timeline", visible(*picture)));
    request.picture = *known;
  }
  if (step != nullptr) request.step = static_cast<std::uint64_t>(whole_number("step", *step, 0, std::int64_t{1} << 41));
  return request;
}

TraceOptions parse(const CommandLine& line) {
  TraceOptions options;
  options.text = single_value(line.given, "text") != nullptr;
  if (const auto* output = single_value(line.given, "output")) {
    options.output = *output;
    if (output->empty()) throw usage_error("--output: the file name is empty");
  }
  options.picture = parse_picture(line.given);
  if (!options.text && options.output.empty() && !options.picture)
    throw usage_error("trace: where is the page to go?",
                      "--output FILE.html, --text for the terminal, or --image FILE.svg for one step as a picture");
  options.machine = parse_machine_options(line.given);
  if (options.machine.device != nullptr && !options.machine.device->capabilities.counts)
    throw usage_error("--device: trace steps the simulator", "use '--device sim', or leave --device out");
  prepare_for_steps(options.machine, parse_trace_window(line.given));
  return options;
}

SweepCase only_case(const SweepOptions& options, const Executor& executor) {
  auto cases = sweep(options, host_of(executor));
  if (cases.size() > 1)
    throw usage_error(fmt::format("trace steps one case, these are {}", cases.size()),
                      "name one --variant, one --block, and one value of each parameter");
  if (!launches_kernels(*cases[0].variant))
    throw usage_error(fmt::format("variant '{}' launches no kernel of ours", cases[0].variant->name));
  return cases[0];
}

void write_steps(const Lab& lab, const Variant& variant, const Executor& simulator, const Result& result,
                 const TraceOptions& options, ReportTarget& target) {
  if (!result.steps || result.steps->warps.empty()) {
    if (result.status != CaseStatus::ok && !result.steps)
      throw Error(ExitCode::launch_failed, result.message, {}, "'gpulab run' and labs show more");
    throw usage_error(
        result.steps ? "trace: the launch has no such block or warp" : "trace: the case has no such launch",
        "leave --blocks, --warps and --launch out, and the first ones are taken");
  }
  auto view = view_of_steps(lab, variant, simulator, result);
  view.schedule = options.machine.schedule;
  if (options.picture) write_step_picture(*options.picture, view);
  if (!options.text && options.output.empty()) return;
  const bool document = options.output.ends_with(".json");
  target.write(options.text ? trace_text(view, Style{wants_color(target), report_width(target)})
               : document   ? trace_document(view) + "\n"
                            : trace_page(view));
}

ExitCode trace_case(const SweepOptions& sweep, const TraceOptions& options,
                    const std::shared_ptr<Executor>& simulator) {
  watch_for_interrupts();
  ReportTarget target(options.output);
  const auto batch = std::make_shared<Batch>(Batch{sweep.lab, simulator});
  batch->cases = {only_case(sweep, *simulator)};
  batch->options.grid = sweep.launch.grid;
  batch->tools = options.machine.sanitize;
  const auto results = run_batch(batch);
  const auto code = exit_code(batch->cases, results);
  if (code != ExitCode::interrupted)
    write_steps(*sweep.lab, *batch->cases[0].variant, *simulator, results.front(), options, target);
  return code;
}

/// The launch that `check` begins with.
ExitCode trace_contract(const CommandLine& line, const std::string& contract) {
  refuse_launch_beside_contract(line.given);
  const auto request = parse_file_request(line.name, line.arguments.front(), line.given);
  const auto judging = contract_request(contract, *line.labs, request, parse_launch_options(line.given).seed);
  const auto options = parse(line);
  watch_for_interrupts();
  ReportTarget target(options.output);
  const auto simulator = open_simulator_for_file(options.machine, file_access(request, {}));
  const auto at = everyday_point(*judging.contract);
  const auto run = contract_run(judging, simulator->info(), at);
  auto result = simulator->run(run.lab, run.lab.variants.front(), run.number, {});
  if (result.status == CaseStatus::interrupted) return ExitCode::interrupted;
  const auto shape = judged(*run.contract, run.kernel, run.posed, result);
  result.params.assign(at.begin(), at.end());
  result.params.emplace_back("seed", static_cast<std::int64_t>(judging.seed));
  write_steps(run.lab, run.lab.variants.front(), *simulator, result, options, target);
  if (shape.status == CaseStatus::ok) return ExitCode::ok;
  print_note(fmt::format("what is stepped is not right: {}; more by: gpulab check {} {}", shape.message,
                         judging.lab->name, shell_quoted(request.file)));
  return shape.status == CaseStatus::wrong ? ExitCode::wrong : ExitCode::launch_failed;
}

ExitCode run_trace(const CommandLine& line) {
  const auto& target = line.arguments.front();
  if (!is_kernel_file(target)) {
    const auto& lab = find_lab(*line.labs, target);
    const auto options = parse(line);
    auto sweep = parse_sweep_options({line.labs, &lab}, with_small_sizes(lab, line.given, small_length));
    const auto& tools = options.machine.sanitize;
    sweep.admits_races = single_value(line.given, "allow-racy") != nullptr ||
                         std::find(tools.begin(), tools.end(), "racecheck") != tools.end();
    return trace_case(sweep, options, open_simulator(options.machine));
  }
  if (const auto* contract = single_value(line.given, "contract")) return trace_contract(line, *contract);
  auto request = parse_file_request(line.name, target, line.given);
  const auto options = parse(line);
  auto launch = parse_launch_options(line.given);
  request.blocks = launch.blocks;
  request.grid = launch.grid;
  const std::shared_ptr<Executor> simulator = open_simulator_for_file(options.machine, file_access(request, {}));
  return trace_case(sweep_of_file(lab_of_file(request, simulator->info()), std::move(launch)), options, simulator);
}

}  // namespace

extern const Command trace{
    .name = "trace",
    .positionals = {{"LAB|FILE", "which lab or file?"}},
    .help = "a page that steps a kernel forward and back, warp by warp",
    .usage = usage_of_trace,
    .run = run_trace,
    .example = "gpulab trace reduce --variant shared_strided --output reduce.html",
};

}  // namespace gpulab::command
