#include "runner/execution/open_device.h"

#include <utility>

#include "common/device/gpu/gpu.h"
#include "common/device/simulator/simulated.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "runner/execution/interrupt.h"
#include "runner/execution/worker.h"

namespace gpulab {
namespace {

constexpr const char* default_profile = "h200";

std::string profile_of(const MachineOptions& options) {
  if (options.profile) return *options.profile;
  for (const auto& gpu : gpus()) {
    if (!gpu.profile.empty()) return gpu.profile;
  }
  return default_profile;
}

std::unique_ptr<Executor> open_gpu(int index) {
  WorkerOptions options;
  options.interrupted = interrupted;
  return gpu_worker(index, std::move(options));
}

}  // namespace

std::unique_ptr<Executor> open_simulator(const MachineOptions& options, bool lines) {
  SimulatorOptions simulator;
  simulator.threads = options.threads;
  simulator.budget = options.budget;
  simulator.schedule = options.schedule;
  simulator.sanitize = options.sanitize;
  simulator.lines = lines;
  simulator.counters = options.counters.value_or(true);
  return in_process(make_simulator(gpu_profile(profile_of(options)), simulator));
}

std::unique_ptr<Executor> open_device(const MachineOptions& options) {
  switch (options.device) {
    case DeviceKind::simulator:
      return open_simulator(options);
    case DeviceKind::automatic:
      return gpu_available() && options.sanitize.empty() ? open_gpu(0) : open_simulator(options);
    case DeviceKind::gpu:
      break;
  }
  if (!gpu_available()) {
    throw Error(ExitCode::missing, "--device gpu: this machine has no GPU that works: " + gpu_problem(), {},
                "'--device sim' runs everywhere; 'gpulab doctor' says what is missing");
  }
  return open_gpu(options.gpu_index.value_or(0));
}

Host host_of(const Executor& executor) {
  Host host{executor.info(), executor.capabilities()};
  if (!host.device.profile.empty()) host.max_threads_per_sm = gpu_profile(host.device.profile).max_threads_per_sm;
  return host;
}

}  // namespace gpulab
