#include "runner/commands/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common/text.h"
#include "runner/case/plan.h"
#include "runner/commands/run_file.h"
#include "runner/commands/run_lab.h"
#include "runner/execution/interrupt.h"
#include "runner/execution/open_device.h"
#include "runner/options/registry.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/report_target.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {
namespace {

std::optional<std::uint32_t> number_of(const Given& given, std::string_view name) {
  const auto* text = single_value(given, name);
  if (text == nullptr) return std::nullopt;
  const auto value = parse_integer(*text);
  if (!value || *value < 1 || *value > 1'000'000'000)
    throw usage_error(fmt::format("--{}: '{}' is not a number of 1 or more", name, *text));
  return static_cast<std::uint32_t>(*value);
}

/// What explain asks of the device; refuses what would be something else.
void prepare(LabOptions& options) {
  if (options.device == DeviceKind::gpu)
    throw usage_error("--device: explain counts on the simulator", "use '--device sim', or leave --device out");
  if (options.format->name != "table" && options.format->name != "json")
    throw usage_error(fmt::format("--format: explain has no {}", options.format->name), "formats: table, json");
  options.device = DeviceKind::simulator;
  options.lines = true;
  options.counters = true;
  options.threads = 1;  // the accesses shown are then the same in every run
}

Point only_point(const LabOptions& options, const Executor& executor) {
  auto points = sweep(options, host_of(executor));
  if (points.size() > 1)
    throw usage_error(fmt::format("explain shows one case, these are {}", points.size()),
                      "name one --variant, one --block, and one value of each parameter");
  if (!launches_kernels(*points[0].variant))
    throw usage_error(fmt::format("variant '{}' launches no kernel of ours", points[0].variant->name));
  return points[0];
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
    return a.counters.warp_instructions < b.counters.warp_instructions;
  });
  return static_cast<std::size_t>(most - launches.begin());
}

ExitCode explain_case(const LabOptions& options, const std::shared_ptr<Executor>& executor, const Given& given) {
  ReportTarget target(options.output);
  const auto wanted = number_of(given, "launch");
  const auto banks = number_of(given, "banks");
  const auto point = only_point(options, *executor);
  watch_for_interrupts();
  const auto results = run_points(executor, options, {point});
  const auto code = exit_code({point}, results);
  if (code == ExitCode::interrupted) return code;
  const auto& result = results.front();
  if (result.lines.empty() && result.status == "ok")
    throw usage_error(fmt::format("variant '{}' launches nothing here: there is no kernel to explain", result.variant));
  if (result.lines.empty()) throw Error(ExitCode::launch_failed, result.message, {}, "'gpulab run' and labs show more");
  ExplainView view{executor->info(),
                   options.lab->file ? "" : options.lab->name,
                   options.lab->file ? options.lab->file->file.file : "",
                   &result,
                   chosen_launch(result.lines, wanted),
                   single_value(given, "phases") != nullptr,
                   banks};
  target.write(options.format->name == "json" ? explain_json(view) : explain_table(view, Style{wants_color(target)}));
  return code;
}

}  // namespace

bool is_kernel_file(std::string_view target) { return target.ends_with(".cu") || target.ends_with(".ptx"); }

ExitCode explain(const std::string& target, const Given& given, std::span<const Lab> labs) {
  // Static: after an interrupt the simulation may still read it while main ends the process.
  static Lab lab;
  if (!is_kernel_file(target)) {
    lab = find_lab(labs, target);
    auto options = parse_lab_options(lab, given);
    prepare(options);
    return explain_case(options, open_device(options), given);
  }
  const auto request = parse_file_request("explain", target, given);
  auto options = parse_file_options(request, given);
  prepare(options);
  const std::shared_ptr<Executor> executor = open_device(options);
  const auto& device = executor->info();
  lab = file_lab(load_kernel_file(request, device.compute_major * 10 + device.compute_minor));
  options.lab = &lab;
  options.variants = {&lab.variants.front()};
  return explain_case(options, executor, given);
}

}  // namespace gpulab
