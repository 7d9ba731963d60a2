#include "runner/lab_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "common/child/interrupt.h"
#include "labs/kernel_file.h"
#include "labs/registry.h"
#include "runner/case/metrics.h"
#include "runner/execution/batch.h"
#include "runner/execution/open_device.h"
#include "runner/listing/metric_choice.h"
#include "runner/options/measure_options.h"
#include "runner/options/sweep.h"
#include "runner/report/ladder/break_even.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/plots/image.h"
#include "runner/report/report_target.h"
#include "runner/report/tuned/tuned.h"
#include "runner/student_file/toolchain.h"
#include "runner/tuner/tuner.h"

namespace gpulab {
namespace {

/// Of a lab alone: what needs several variants, and pictures.
OptionList own_options(const Lab& lab) {
  std::vector<std::string> variants;
  for (const auto& variant : lab.variants) variants.push_back(variant.name);
  return {
      {"allow-racy", "", "run variants that race on purpose without racecheck, too", heading::simulator},
      {"best", "", "try blocks, grids and listed knobs, and say which is the fastest", heading::what_runs},
      {"baseline", "V", "the variant that speed-ups refer to", heading::report, false, std::move(variants)},
      {"image", "FILE", "draw it: a lab's picture (.png), its curve, the ladder or the sweep (.svg)", heading::report},
  };
}

std::string ladder_text(const Lab& lab) {
  std::string text = "Variants, in the order of the lecture and not of their times:\n";
  for (const auto& variant : lab.variants) {
    text += fmt::format("  {}{:<24} {}\n", variant.name == lab.headline ? '*' : ' ', variant.name, variant.summary);
  }
  return text + "  (* runs by default, others may be faster; 'gpulab list " + lab.name + "' says more)\n";
}

Usage usage(const Lab* lab) {
  return {joined({sweep_options(*lab), machine_options(), measure_options(), report_options(formats_for(&Format::run)),
                  metric_options(lab), own_options(*lab)}),
          ladder_text(*lab)};
}

LabRun parse(const CommandLine& line) {
  LabRun run;
  run.report = parse_report_options(line.name, line.given, formats_for(&Format::run));
  if (const auto* image = single_value(line.given, "image")) {
    check_image_name(*image);
    run.image = *image;
  }
  run.sweep = parse_sweep_options(line.lab, line.given);
  if (const auto* text = single_value(line.given, "baseline")) run.baseline = &find_variant(*line.lab, *text);
  run.machine = parse_machine_options(line.given);
  run.machine.model_where_known = true;  // the time is what most users, who have no GPU, ask a ladder for
  run.metrics = parse_metrics(line.given, line.lab.get(), run.machine);
  run.measure = parse_measure_options(line.given);
  const auto& tools = run.machine.sanitize;
  const bool named = std::find(tools.begin(), tools.end(), "racecheck") != tools.end();
  const bool allowed = single_value(line.given, "allow-racy") != nullptr;
  run.sweep.admits_races = named || allowed;
  // A variant that races on purpose gives an answer that depends on the order of its threads. One CPU thread makes that
  // order the same in each run.
  if (allowed) run.machine.threads = 1;
  return run;
}

RunOptions run_options(const LabRun& run) {
  RunOptions options;
  options.grid = run.sweep.launch.grid;
  options.counters = run.machine.counters.value_or(true);
  options.measure = run.measure;
  options.dumps = run.dumps;
  options.shows = run.shows;
  return options;
}

/// --best: the space that a tuner tries, on a GPU by its time, else by the modelled one.
ExitCode run_tuner(LabRun run, const std::string& format) {
  if (format != "table" && format != "json")
    throw usage_error(fmt::format("--best: the space is written as a table or as json, not as {}", format),
                      "--image FILE draws it, as .svg or .png");
  watch_for_interrupts();
  ReportTarget target(run.report.output);
  const std::shared_ptr<Executor> executor = open_device(run.machine);
  const auto space = tuned(run.sweep, executor, run_options(run));
  target.write(format == "json" ? tuned_json(space)
                                : tuned_table(space, Style{wants_color(target), report_width(target)}));
  if (!run.image.empty()) write_tuned(run.image, space);
  return tuned_ms(space.run, space.run.results.front()) ? ExitCode::ok : ExitCode::launch_failed;
}

ExitCode run_lab(const CommandLine& line) {
  const auto run = parse(line);
  if (single_value(line.given, "best") != nullptr) return run_tuner(run, std::string(run.report.format->name));
  return run_and_report(run, open_device(run.machine));
}

std::shared_ptr<const Batch> batch_of(const LabRun& run, const std::shared_ptr<Executor>& executor) {
  auto batch = std::make_shared<Batch>();
  batch->lab = run.sweep.lab;
  batch->executor = executor;
  batch->cases = sweep(run.sweep, host_of(*executor));
  const bool beside = run.machine.counters.value_or(false) && !executor->capabilities().counts;
  if (beside)
    batch->beside =
        batch->lab->file ? open_simulator_for_file(run.machine, run.file_access) : open_simulator(run.machine);
  batch->options = run_options(run);
  batch->tools = run.machine.sanitize;
  return batch;
}

/// The results, and what they say of each other.
Run report_of(const Lab& lab, const LabRun& options, const DeviceInfo& device, std::vector<Result> results) {
  Run run{device, lab.name, std::move(results)};
  if (const auto& loaded = lab.file) {
    run.file = loaded->file.file;
    run.toolkit = release_in(loaded->file.ptx.substr(0, 1024)).value_or("");
  }
  run.baseline = options.baseline != nullptr ? options.baseline->name : first_measured(run.results);
  add_speedups(lab, run.results, run.baseline);
  run.subject = lab.subject;
  run.metrics = options.metrics;
  add_rung_changes(lab, run.results);
  run.break_evens = break_evens(lab, run.results);
  return run;
}

}  // namespace

extern const Command lab_command{.name = "LAB", .help = "a lab", .usage = usage, .run = run_lab};

Ran run_cases(const LabRun& options, const std::shared_ptr<Executor>& executor) {
  const auto batch = batch_of(options, executor);
  auto run = report_of(*batch->lab, options, executor->info(), run_batch(batch));
  const auto code = exit_code(batch->cases, run.results);
  return {std::move(run), code};
}

ExitCode run_and_report(const LabRun& options, const std::shared_ptr<Executor>& executor) {
  watch_for_interrupts();
  ReportTarget target(options.report.output);
  const auto [run, code] = run_cases(options, executor);
  const Style style{wants_color(target), report_width(target), target.is_terminal() && isatty(STDERR_FILENO) != 0};
  target.write(options.report.format->run(run, style));
  if (!options.image.empty()) write_image(options.image, run);
  return code;
}

}  // namespace gpulab
