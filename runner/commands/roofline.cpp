// `gpulab roofline LAB|FILE …`: kernels under what the GPU can do at most.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "common/child/interrupt.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/execution/open_device.h"
#include "runner/lab_run.h"
#include "runner/options/file_options.h"
#include "runner/options/measure_options.h"
#include "runner/options/sweep.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/plots/image.h"
#include "runner/report/report_target.h"
#include "runner/roofline/ceilings.h"
#include "runner/roofline/shares.h"

namespace gpulab::command {
namespace {

constexpr std::array formats{"table", "html", "json", "svg"};

OptionList own_options() {
  return {
      {"format",
       "FORMAT",
       "table, html, json or svg [table]",
       heading::report,
       false,
       {formats.begin(), formats.end()}},
      {"output", "FILE", "instead of standard output", heading::report},
      {"image", "FILE", "the picture beside: .svg or .png", heading::report},
  };
}

OptionList racy_option() { return {{"allow-racy", "", "variants that race on purpose, too", heading::simulator}}; }

Usage usage_of_roofline(const Lab* lab) {
  return {
      joined(
          {lab != nullptr ? joined({sweep_options(*lab), racy_option()}) : joined({file_options(), launch_options()}),
           only(machine_options(), {"device", "profile", "threads", "budget"}), measure_options(), own_options()}),
      "Kernels under the ceilings of memory and of arithmetic: how near each comes, and to which.\n"
      "  gpulab roofline reduce --image roofline.png       all variants of a lab\n"
      "  gpulab roofline scale.cu --kernel scale --arg …   a kernel of yours (arguments as for run)\n"
      "On a GPU times and ceilings are measured in the same run: memory, L2, shared memory, multiply-adds by type,\n"
      "tensor cores, launches. Without one both are modelled, and called that. Operations are those that the lab\n"
      "declares, else warp instructions. The JSON is gpulab.roofline.v1 ('gpulab schema roofline').\n"};
}

struct RooflineOptions {
  std::string format = "table", output, image;
};

RooflineOptions parse(const Given& given) {
  RooflineOptions options;
  if (const auto* format = single_value(given, "format")) {
    options.format = *format;
    if (std::ranges::find(formats, options.format) == formats.end())
      throw usage_error(fmt::format("roofline has no format '{}'", visible(*format)), "table, html, json or svg");
  }
  if (const auto* output = single_value(given, "output")) {
    options.output = *output;
    if (output->empty()) throw usage_error("--output: the file name is empty");
  }
  if (const auto* image = single_value(given, "image")) {
    check_image_name(*image);
    options.image = *image;
  }
  return options;
}

Roofline roofline_of(const LabRun& options, const Run& run, const std::vector<SweepCase>& cases) {
  Roofline roofline;
  const auto common = shared_case(run);
  roofline.of = run.file.empty() ? run.lab : run.file;
  if (!common.empty() && run.file.empty()) roofline.of += ", " + common;
  roofline.measured = !run.device.modelled;
  if (roofline.measured) {
    roofline.gpu = run.device.name;
    roofline.ceilings = measured_ceilings(options.machine, roofline.notes);
  } else {
    const auto profile = run.device.profile.empty() ? std::string("h200") : run.device.profile;
    roofline.gpu = gpu_profile(profile).name;
    roofline.ceilings = modelled_ceilings(profile, roofline.validated);
  }
  add_rows(*options.sweep.lab, cases, run, roofline);
  return roofline;
}

ExitCode report(const LabRun& options, const RooflineOptions& own, const std::shared_ptr<Executor>& executor) {
  watch_for_interrupts();
  ReportTarget target(own.output);
  const auto cases = sweep(options.sweep, host_of(*executor));
  auto [run, code] = run_cases(options, executor);
  if (code == ExitCode::interrupted) return code;
  const auto roofline = roofline_of(options, run, cases);
  const Style style{wants_color(target), report_width(target)};
  target.write(own.format == "json"   ? roofline_json(roofline)
               : own.format == "html" ? roofline_page(roofline)
               : own.format == "svg"  ? roofline_svg(roofline)
                                      : roofline_table(roofline, style));
  if (!own.image.empty()) write_roofline(own.image, roofline);
  return code;
}

/// Both times and counts are needed. Without a GPU the times are modelled, also of one that nobody has measured.
MachineOptions machine_of(const Given& given) {
  auto machine = parse_machine_options(given);
  machine.counters = true;
  machine.model_where_known = true;
  machine.model = !open_device(machine)->capabilities().measures_time;
  return machine;
}

ExitCode run_roofline(const CommandLine& line) {
  const auto own = parse(line.given);
  LabRun run;
  run.machine = machine_of(line.given);
  run.measure = parse_measure_options(line.given);
  const auto& target = line.arguments.front();
  if (!is_kernel_file(target)) {
    auto given = line.given;
    if (!given.contains("variant")) given["variant"] = {"all"};
    const auto& lab = find_lab(*line.labs, target);
    run.sweep = parse_sweep_options({line.labs, &lab}, given);
    run.sweep.admits_races = single_value(line.given, "allow-racy") != nullptr;
    if (run.sweep.admits_races) run.machine.threads = 1;
    return report(run, own, open_device(run.machine));
  }
  auto request = parse_file_request(line.name, target, line.given);
  auto launch = parse_launch_options(line.given);
  request.blocks = launch.blocks;
  request.grid = launch.grid;
  run.file_access = file_access(request, {});
  const std::shared_ptr<Executor> executor = open_device_for_file(run.machine, run.file_access);
  run.sweep = sweep_of_file(lab_of_file(request, executor->info()), std::move(launch));
  return report(run, own, executor);
}

}  // namespace

extern const Command roofline{
    .name = "roofline",
    .positionals = {{"LAB|FILE", "which lab or file?"}},
    .help = "kernels under the ceilings of memory and arithmetic, measured or modelled",
    .usage = usage_of_roofline,
    .run = run_roofline,
    .example = "gpulab roofline reduce --image roofline.png",
};

}  // namespace gpulab::command
