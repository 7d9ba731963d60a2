#include "runner/commands/run_lab.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/case/beside.h"
#include "runner/case/metrics.h"
#include "runner/case/plan.h"
#include "runner/execution/interrupt.h"
#include "runner/execution/open_device.h"
#include "runner/execution/progress.h"
#include "runner/report/break_even.h"
#include "runner/report/movement.h"
#include "runner/report/plots/image.h"
#include "runner/report/report_target.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {
namespace {

using namespace std::chrono_literals;

/// Shared with the thread that runs the cases, which may outlive us: a simulation cannot be cancelled from outside,
/// but Ctrl-C must not wait for it.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Result> results;
  bool finished = false;
  Progress progress;
};

Result placeholder(const LabOptions& options, const Point& point, std::string status, std::string message) {
  Result result;
  result.variant = point.variant->name;
  result.summary = point.variant->summary;
  result.status = std::move(status);
  result.message = std::move(message);
  for (const auto& param : options.lab->params)
    result.params.emplace_back(param.name, point.point.params.values.at(param.name));
  result.params.emplace_back("seed", static_cast<std::int64_t>(point.point.seed));
  return result;
}

/// What is known of a variant before it runs.
void add_nature(const Variant& variant, const Capabilities& device, Result& result) {
  result.summary = variant.summary;
  result.racy = variant.racy;
  result.needs_clock = variant.about_time && !device.measures_time && result.status == "ok";
  if (result.needs_clock) {
    result.notes.emplace_back(
        "What this variant is about is time, which only a GPU's clock shows (--device gpu): here its answer is "
        "verified, "
        "and its work is counted.");
  }
}

/// Seconds that a simulation beside a GPU may take.
constexpr double beside_seconds = 1;

Result run_point(Executor& executor, Executor* simulator, const LabOptions& options, const Point& point,
                 const PrintSink& printed) {
  if (!point.skip.empty()) return placeholder(options, point, "skipped", point.skip);
  RunOptions run;
  run.grid = options.grid;
  run.counters = options.counters.value_or(true);
  run.measure = options.measure;
  run.dumps = options.dumps;
  run.printed = printed;
  auto result = executor.run(*options.lab, *point.variant, point.point, run);
  add_nature(*point.variant, executor.capabilities(), result);
  if (!options.sanitize.empty() && result.status == "ok" && result.findings.empty() && launches_kernels(*point.variant))
    result.notes.push_back(join(options.sanitize) + ": nothing found in this run.");
  if (simulator != nullptr && result.status == "ok" && launches_kernels(*point.variant)) {
    count_beside(*simulator, *options.lab, *point.variant, point.point, run, beside_seconds, result);
  }
  return result;
}

std::string title(const LabOptions& options, const Point& point) {
  return fmt::format("{} {}", options.lab->name, point.variant->name);
}

}  // namespace

namespace {

std::set<std::string, std::less<>> ladder_starts(const Lab& lab) {
  std::set<std::string, std::less<>> names;
  for (const auto& variant : lab.variants)
    if (variant.starts) names.insert(variant.name);
  return names;
}

}  // namespace

Host host_of(const Executor& executor) {
  Host host{executor.info(), executor.capabilities()};
  if (!host.device.profile.empty()) host.max_threads_per_sm = gpu_profile(host.device.profile).max_threads_per_sm;
  return host;
}

std::vector<Result> run_points(const std::shared_ptr<Executor>& executor, const LabOptions& options,
                               const std::vector<Point>& points) {
  const auto shared = std::make_shared<Shared>();
  std::thread cases([shared, executor, options, points] {
    const bool beside = options.counters.value_or(false) && !executor->capabilities().counts;
    const auto simulator = beside ? open_simulator(options) : nullptr;
    PrintSink printed;
    if (shared->progress.is_seen()) printed = [shared](std::string_view text) { shared->progress.print(text); };
    for (const auto& point : points) {
      if (interrupted()) break;
      auto result = run_point(*executor, simulator.get(), options, point, printed);
      const std::lock_guard lock(shared->mutex);
      shared->results.push_back(std::move(result));
      shared->changed.notify_one();
    }
    const std::lock_guard lock(shared->mutex);
    shared->finished = true;
    shared->changed.notify_one();
  });

  std::unique_lock lock(shared->mutex);
  const auto finished = [&] { return shared->finished; };
  while (!interrupted() && !shared->changed.wait_for(lock, 100ms, finished)) {
    const auto done = std::min(shared->results.size(), points.size() - 1);
    shared->progress.show(done, points.size(), title(options, points[done]));
  }
  // A worker process notices the interrupt itself; what runs in this process is left behind after a moment.
  const bool ended = shared->changed.wait_for(lock, 500ms, finished);
  auto results = shared->results;
  lock.unlock();
  shared->progress.end();
  if (ended) {
    cases.join();
  } else {
    cases.detach();
  }
  if (interrupted() && results.size() < points.size() && (results.empty() || results.back().status != "interrupted")) {
    results.push_back(placeholder(options, points[results.size()], "interrupted", "interrupted before it ended"));
  }
  return results;
}

ExitCode exit_code(const std::vector<Point>& points, const std::vector<Result>& results) {
  bool failed = false, wrong = false, missing = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& status = results[i].status;
    if (status == "interrupted") return ExitCode::interrupted;
    wrong |= status == "wrong";
    for (const auto& finding : results[i].findings) wrong |= finding.severity == "error";
    missing |= status == "skipped" && points[i].named;
    failed |= status == "fault" || status == "hung" || status == "timeout" || status == "error";
  }
  return failed ? ExitCode::launch_failed : wrong ? ExitCode::wrong : missing ? ExitCode::missing : ExitCode::ok;
}

ExitCode run_lab(const LabOptions& options) { return run_lab(options, open_device(options)); }

ExitCode run_lab(const LabOptions& options, const std::shared_ptr<Executor>& executor) {
  ReportTarget target(options.output);
  const auto points = sweep(options, host_of(*executor));
  watch_for_interrupts();
  Run run{executor->info(), options.lab->name, run_points(executor, options, points)};
  if (const auto& loaded = options.lab->file) {
    run.file = loaded->file.file;
    run.toolkit = release_in(loaded->file.ptx.substr(0, 1024)).value_or("");
  }
  run.baseline = options.baseline != nullptr ? options.baseline->name : first_measured(run.results);
  add_speedups(run.results, run.baseline, ladder_starts(*options.lab));
  add_movements(*options.lab, run.results);
  run.break_evens = break_evens(*options.lab, run.results);
  target.write(
      options.format->write(run, Style{wants_color(target), target.is_terminal() && isatty(STDERR_FILENO) != 0}));
  if (!options.image.empty()) write_image(options.image, run);
  return exit_code(points, run.results);
}

}  // namespace gpulab
