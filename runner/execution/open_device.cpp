#include "runner/execution/open_device.h"

#include <fmt/format.h>

#include <utility>

#include "common/device/device_kind.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/child/interrupt.h"
#include "runner/execution/worker.h"

namespace gpulab {
namespace {

/// The best kind that is here. The one of the lowest rank always is.
const DeviceKind& best_kind(const MachineOptions& options) {
  const auto kinds = device_kinds();
  for (const auto* kind : kinds)
    if ((options.sanitize.empty() || kind->capabilities.sanitizes) && kind->problem().empty()) return *kind;
  return *kinds.back();
}

const DeviceKind& counting_kind() {
  const auto kinds = device_kinds();
  for (const auto* kind : kinds)
    if (kind->capabilities.counts && kind->problem().empty()) return *kind;
  return *kinds.back();
}

std::unique_ptr<Executor> open(const DeviceKind& kind, const MachineOptions& options, bool lines) {
  if (kind.faults_end_process) {
    WorkerOptions worker;
    worker.interrupted = interrupted;
    return device_worker(kind, options.device_index.value_or(0), std::move(worker));
  }
  DeviceRequest request;
  request.profile = options.profile.value_or("");
  request.simulation.threads = options.threads;
  request.simulation.budget = options.budget;
  request.simulation.schedule = options.schedule;
  request.simulation.sanitize = options.sanitize;
  request.simulation.lines = lines;
  request.simulation.counters = options.counters.value_or(true);
  return in_process(kind.open(request));
}

}  // namespace

std::unique_ptr<Executor> open_simulator(const MachineOptions& options, bool lines) {
  return open(counting_kind(), options, lines);
}

std::unique_ptr<Executor> open_device(const MachineOptions& options) {
  if (options.device == nullptr) return open(best_kind(options), options, false);
  if (const auto problem = options.device->problem(); !problem.empty())
    throw Error(ExitCode::missing, fmt::format("--device {}: {}", options.device->name, problem), {},
                "'--device sim' runs everywhere; 'gpulab doctor' says what is missing");
  return open(*options.device, options, false);
}

Host host_of(const Executor& executor) {
  Host host{executor.info(), executor.capabilities()};
  if (!host.device.profile.empty()) host.max_threads_per_sm = gpu_profile(host.device.profile).max_threads_per_sm;
  return host;
}

}  // namespace gpulab
