#include "runner/execution/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "common/child/interrupt.h"
#include "common/text.h"
#include "runner/case/plan.h"
#include "runner/execution/progress.h"
#include "runner/execution/simulated_counters.h"

namespace gpulab {
namespace {

using namespace std::chrono_literals;

/// What the thread that runs the cases has to say. It shares this and the batch with us, and may outlive us: a
/// simulation cannot be cancelled from outside, but Ctrl-C must not wait for it.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Result> results;
  std::exception_ptr failure;  ///< an error that ends the run: the worker process has no GPU
  bool finished = false;
  Progress progress;
};

Result placeholder(const Lab& lab, const SweepCase& swept, CaseStatus status, std::string message) {
  Result result;
  result.variant = swept.variant->name;
  result.summary = swept.variant->summary;
  result.racy = swept.variant->racy;
  result.status = status;
  result.message = std::move(message);
  for (const auto& param : lab.params)
    result.params.emplace_back(param.name, swept.settings.params.values.at(param.name));
  result.params.emplace_back("seed", static_cast<std::int64_t>(swept.settings.seed));
  return result;
}

/// What is known of a variant before it runs.
void describe_variant(const Variant& variant, const Capabilities& device, Result& result) {
  result.summary = variant.summary;
  result.racy = variant.racy;
  result.needs_clock = variant.about_time && !device.measures_time && result.status == CaseStatus::ok;
  if (result.needs_clock) {
    result.notes.emplace_back(
        "What this variant is about is time, which only a GPU's clock shows (--device gpu): here its answer is "
        "verified, "
        "and its work is counted.");
  }
}

/// Seconds that a simulation beside a GPU may take.
constexpr double beside_seconds = 1;

/// What a case's executor does not know of it.
Result completed(const Batch& batch, const SweepCase& swept, const RunOptions& options, Result result) {
  describe_variant(*swept.variant, batch.executor->capabilities(), result);
  if (!batch.tools.empty() && result.status == CaseStatus::ok && result.findings.empty() &&
      launches_kernels(*swept.variant))
    result.notes.push_back(join(batch.tools) + ": nothing found in this run.");
  if (batch.beside != nullptr && result.status == CaseStatus::ok && launches_kernels(*swept.variant)) {
    add_simulated_counters(*batch.beside, *batch.lab, *swept.variant, swept.settings, options, beside_seconds, result);
  }
  return result;
}

Result run_swept(const Batch& batch, const SweepCase& swept, const RunOptions& options) {
  if (!swept.skip.empty()) return placeholder(*batch.lab, swept, CaseStatus::skipped, swept.skip);
  return completed(batch, swept, options, batch.executor->run(*batch.lab, *swept.variant, swept.settings, options));
}

/// The case `first`, and the one behind it where the two make a pair whose samples have been taken in turn.
std::vector<Result> run_next(const Batch& batch, std::size_t first, const RunOptions& options) {
  const auto& a = batch.cases[first];
  if (batch.in_turn && first % 2 == 0 && first + 1 < batch.cases.size()) {
    const auto& b = batch.cases[first + 1];
    if (a.skip.empty() && b.skip.empty())
      if (auto both = batch.executor->run_in_turn({*batch.lab, *a.variant, a.settings, options},
                                                  {*batch.lab, *b.variant, b.settings, options}))
        return {completed(batch, a, options, std::move(both->first)),
                completed(batch, b, options, std::move(both->second))};
  }
  return {run_swept(batch, a, options)};
}

std::string title(const Batch& batch, const SweepCase& swept) {
  return fmt::format("{} {}", batch.lab->name, swept.variant->name);
}

void run_cases(const Batch& batch, Shared& shared) {
  auto options = batch.options;
  if (shared.progress.is_seen())
    options.printed = [&shared](std::string_view text) { shared.progress.print(visible(text)); };
  for (std::size_t next = 0; next < batch.cases.size() && !interrupted();) {
    auto results = run_next(batch, next, options);
    next += results.size();
    const std::lock_guard lock(shared.mutex);
    for (auto& result : results) shared.results.push_back(std::move(result));
    shared.changed.notify_one();
  }
}

}  // namespace

std::vector<Result> run_batch(const std::shared_ptr<const Batch>& batch) {
  const auto& cases = batch->cases;
  const auto shared = std::make_shared<Shared>();
  std::thread running([shared, batch] {
    std::exception_ptr failure;
    try {
      run_cases(*batch, *shared);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(shared->mutex);
    shared->failure = failure;
    shared->finished = true;
    shared->changed.notify_one();
  });

  std::unique_lock lock(shared->mutex);
  const auto finished = [&] { return shared->finished; };
  while (!interrupted() && !shared->changed.wait_for(lock, 100ms, finished)) {
    const auto done = std::min(shared->results.size(), cases.size() - 1);
    shared->progress.show(done, cases.size(), title(*batch, cases[done]));
  }
  // A worker process notices the interrupt itself; what runs in this process is left behind after a moment.
  const bool ended = shared->changed.wait_for(lock, 500ms, finished);
  auto results = shared->results;
  lock.unlock();
  shared->progress.end();
  if (ended) {
    running.join();
    if (shared->failure) std::rethrow_exception(shared->failure);
  } else {
    running.detach();
  }
  if (interrupted() && results.size() < cases.size() &&
      (results.empty() || results.back().status != CaseStatus::interrupted)) {
    results.push_back(
        placeholder(*batch->lab, cases[results.size()], CaseStatus::interrupted, "interrupted before it ended"));
  }
  return results;
}

namespace {

/// Without a default: of a status that is new the compiler says that it is missing here.
ExitCode code_of(CaseStatus status, bool named) {
  switch (status) {
    case CaseStatus::interrupted:
      return ExitCode::interrupted;
    case CaseStatus::fault:
    case CaseStatus::hung:
    case CaseStatus::timeout:
    case CaseStatus::error:
      return ExitCode::launch_failed;
    case CaseStatus::wrong:
      return ExitCode::wrong;
    case CaseStatus::skipped:
      return named ? ExitCode::missing : ExitCode::ok;
    case CaseStatus::finding:  // its findings say whether it counts
    case CaseStatus::ok:
      break;
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode exit_code(const std::vector<SweepCase>& cases, const std::vector<Result>& results) {
  std::set<ExitCode> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    seen.insert(code_of(results[i].status, cases[i].named));
    for (const auto& finding : results[i].findings)
      if (finding.severity == Severity::error) seen.insert(ExitCode::wrong);
  }
  constexpr std::array worst_first{ExitCode::interrupted, ExitCode::launch_failed, ExitCode::wrong, ExitCode::missing};
  for (const auto code : worst_first)
    if (seen.contains(code)) return code;
  return ExitCode::ok;
}

}  // namespace gpulab
