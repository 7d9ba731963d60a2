#include "runner/execution/open_device.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "common/child/confinement.h"
#include "common/child/interrupt.h"
#include "common/device/device_kind.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/host_memory.h"
#include "common/simt/timing/gpu_timing.h"
#include "runner/execution/worker.h"

namespace gpulab {
namespace {

/// The best kind that is here. The one of the lowest rank always is.
const DeviceKind& best_kind(const MachineOptions& options) {
  const auto kinds = device_kinds();
  for (const auto* kind : kinds) {
    const Capabilities& can = kind->capabilities;
    const bool does = (options.sanitize.empty() || can.sanitizes) && (!options.model || can.models);
    if (does && kind->problem().empty()) return *kind;
  }
  return *kinds.back();
}

const DeviceKind& counting_kind() {
  const auto kinds = device_kinds();
  for (const auto* kind : kinds)
    if (kind->capabilities.counts && kind->problem().empty()) return *kind;
  return *kinds.back();
}

DeviceRequest request_of(const MachineOptions& options, bool lines) {
  DeviceRequest request;
  request.index = options.device_index.value_or(0);
  request.profile = carried_profile(options.profile.value_or(""));
  request.simulation.threads = options.threads;
  request.simulation.budget = options.budget;
  if (options.print_limit) request.simulation.print_limit = *options.print_limit;
  request.simulation.schedule = options.schedule;
  request.simulation.sanitize = options.sanitize;
  const bool known = options.model_where_known && simt::gpu_timing(options.profile.value_or("h200")) != nullptr;
  request.simulation.model = options.model || (known && options.counters.value_or(true));
  request.simulation.timing = options.timing;
  request.simulation.lines = lines;
  request.simulation.trace = options.trace;
  request.simulation.counters = options.counters.value_or(true);
  return request;
}

std::unique_ptr<Executor> open(const DeviceKind& kind, const MachineOptions& options, bool lines) {
  const auto request = request_of(options, lines);
  if (!kind.faults_end_process) return in_process(kind.open(request));
  WorkerOptions worker;
  worker.interrupted = interrupted;
  return device_worker(kind, request, std::move(worker));
}

/// As long as the budget of instructions lets a launch run.
constexpr std::chrono::hours no_timeout{24 * 365};

/// It may fill the memory that there is. What it must not do is fill the machine's.
std::uint64_t most_memory() {
#if defined(__SANITIZE_ADDRESS__)
  return 0;  // its shadow is most of the address space
#else
  const auto available = available_host_memory();
  constexpr std::uint64_t programs_and_stacks = std::uint64_t{1} << 30;
  return available ? *available + programs_and_stacks : 0;
#endif
}

/// The program, and what it asks of the system: how much memory there is, how many processors.
std::vector<std::string> own_files() {
  auto files = system_programs();
  std::error_code failed;
  files.push_back(std::filesystem::read_symlink("/proc/self/exe", failed));
  for (const char* file : {"/proc/meminfo", "/proc/cpuinfo", "/sys/fs/cgroup", "/sys/devices/system/cpu", "/proc/stat"})
    files.emplace_back(file);
#if defined(__SANITIZE_ADDRESS__)
  files.emplace_back("/proc");  // where it looks up its stack's bounds: without them it accuses itself at an exception
#endif
  return files;
}

std::unique_ptr<Executor> open_for_file(const DeviceKind& kind, const MachineOptions& options, const FileAccess& access,
                                        bool lines) {
  if (kind.faults_end_process) return open(kind, options, lines);
  WorkerOptions worker;
  worker.interrupted = interrupted;
  worker.timeout = no_timeout;
  worker.limits.data_bytes = most_memory();
  if (access.isolated) {
    worker.confinement.emplace(Confinement{own_files(), access.writable});
    auto& readable = worker.confinement->readable;
    readable.insert(readable.end(), access.readable.begin(), access.readable.end());
  }
  return confined_worker(kind, request_of(options, lines), std::move(worker));
}

const DeviceKind& chosen_kind(const MachineOptions& options) {
  if (options.device == nullptr) return best_kind(options);
  if (const auto problem = options.device->problem(); !problem.empty())
    throw Error(ExitCode::missing, fmt::format("--device {}: {}", options.device->name, problem), {},
                "'--device sim' runs everywhere; 'gpulab doctor' says what is missing");
  return *options.device;
}

}  // namespace

std::unique_ptr<Executor> open_simulator(const MachineOptions& options, bool lines) {
  return open(counting_kind(), options, lines);
}

std::unique_ptr<Executor> open_simulator_for_file(const MachineOptions& options, const FileAccess& access, bool lines) {
  return open_for_file(counting_kind(), options, access, lines);
}

std::unique_ptr<Executor> open_simulator_for_judging(MachineOptions options, const JudgingLimits& limits) {
  options.threads = 1;
  WorkerOptions worker;
  worker.copies_us = !limits.knows_nothing;
  worker.interrupted = interrupted;
  worker.waiting = limits.waiting;
  worker.timeout = limits.wall;
  worker.limits.cpu = limits.cpu;
#if !defined(__SANITIZE_ADDRESS__)  // its shadow is most of the address space
  worker.limits.data_bytes = limits.memory_bytes;
#endif
  if (limits.isolated) worker.confinement.emplace(Confinement{own_files(), {}});
  auto request = request_of(options, false);
  request.simulation.compiled = simt::compiled::When::never;  // its processor time is limited, and so is its memory
  return confined_worker(counting_kind(), request, std::move(worker));
}

void confine_for_judging(ChildPlan& plan, bool isolated) {
#if !defined(__SANITIZE_ADDRESS__)
  plan.limits.data_bytes = JudgingLimits{}.memory_bytes;
#endif
  if (isolated) plan.confinement.emplace(Confinement{own_files(), {}});
}

std::unique_ptr<Executor> open_device(const MachineOptions& options) {
  return open(chosen_kind(options), options, false);
}

std::unique_ptr<Executor> open_device_for_file(const MachineOptions& options, const FileAccess& access) {
  return open_for_file(chosen_kind(options), options, access, false);
}

Host host_of(const Executor& executor) {
  Host host{executor.info(), executor.capabilities()};
  if (!host.device.profile.empty()) host.max_threads_per_sm = gpu_profile(host.device.profile).max_threads_per_sm;
  return host;
}

}  // namespace gpulab
