#include "common/cuda_api/runtime/session.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/host/clock/readings.h"
#include "common/cuda_api/runtime/host/habits.h"
#include "common/cuda_api/runtime/host/python_lines.h"
#include "common/cuda_api/runtime/processes/shared_files.h"
#include "common/demangle.h"
#include "common/device/simulator/simulated.h"
#include "common/error.h"
#include "common/gpu_profile.h"

namespace gpulab::cuda_api {
namespace {

/// Warp instructions without the end of a block, where --budget does not say: somebody waits, and it is 3 to 20
/// seconds.
constexpr std::uint64_t kPatience = std::uint64_t{1} << 29;

Options read_options() {
  const char* text = std::getenv(kOptionsVariable);
  return text == nullptr ? Options{} : decode_options(text);
}

/// Of functions that wait: also for what other streams have under way, which they do not look after themselves.
bool waits_for_all(std::string_view function) {
  return std::ranges::none_of(
      std::initializer_list<std::string_view>{"cudaStream", "cudaEvent", "cudaMemcpy", "cudaMemset"},
      [&](std::string_view own) { return function.starts_with(own); });
}

std::unique_ptr<Device> make_device(const GpuProfile& profile, const Options& options) {
  SimulatorOptions simulation;
  simulation.threads = options.threads;
  simulation.budget = options.budget;
  if (options.budget == 0) simulation.patience = kPatience;
  simulation.counters = options.counters;
  simulation.model = options.model && options.counters;
  simulation.empty_l2 = true;
  simulation.lines = options.lines;
  simulation.repeats = options.repeats;
  simulation.sanitize = options.sanitize;
  simulation.schedule = options.schedule;
  simulation.trace = options.steps;
  if (simulation.trace)
    simulation.trace->launch = 0;  // of the one launch that is kept; kernels of its kernels follow it
  return make_simulator(profile, simulation);
}

}  // namespace

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

int& current_gpu() {
  thread_local int gpu = 0;
  return gpu;
}

bool& uses_runtime() {
  thread_local bool so = false;
  return so;
}

cudaError_t call_from(void* caller, const char* name, Waits waits, std::uint64_t bytes,
                      const std::function<cudaError_t(Session&)>& body) {
  const LookAtPython look;
  const host_clock::Stopped stopped;
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  if (host_clock::Stopped::outermost()) session.timeline_goes_on();
  const bool of_runtime = session.driver_function == nullptr;
  caller = session.caller_of(caller);
  if (of_runtime || session.driver_function == name) {
    auto& counted = session.record.calls[name];
    ++counted.calls;
    counted.bytes += bytes;
  }
  if (of_runtime) session.has_runtime_user = uses_runtime() = true;
  habits::called(session, name, caller);
  if (waits == Waits::yes) clocks::waited(name);
  if (session.under_way.any()) {
    session.under_way.host_is_active();
    if (waits == Waits::yes && waits_for_all(name)) (void)session.under_way.wait_for_all();
  }
  session.managed.open();
  session.streams.open();
  if (waits == Waits::yes) session.managed.forget();
  if (waits == Waits::yes) ++session.waits;
  cudaError_t error = waits == Waits::asks ? cudaSuccess : session.sticky();
  if (error == cudaSuccess && waits == Waits::yes) {
    session.print();
    error = session.surface();
  }
  if (error == cudaSuccess) {
    session.failures.begin();
    try {
      error = session.in_host_function ? session.because(cudaErrorNotPermitted, in_host_function()) : body(session);
    } catch (const LaunchError& e) {
      const bool lacks = e.kind == LaunchFailure::out_of_memory;
      error = lacks ? session.lacks_memory(name, e.what(), caller) : cudaErrorLaunchFailure;
    } catch (const Error& e) {
      session.refuse(e, caller);
    } catch (const std::bad_alloc&) {
      error = session.lacks_memory(name, "there is none left for what the simulator keeps", caller);
    }
    session.failures.end(session.record, name, error, caller);
  }
  if (waits == Waits::yes && error == cudaSuccess) session.host_waits_for(name);
  if (host_clock::Stopped::outermost()) session.host_goes_on();
  session.streams.close();
  session.managed.close();
  if (of_runtime && error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

Session& Session::instance() {
  static auto* const session = new Session;
  return *session;
}

Session::Session() : options(read_options()), profile_(profile_carried(options.profile)) {
  pthread_atfork(nullptr, nullptr, [] { is_copy_of_process(true); });
  timeline.have_gpus(options.gpus);
  record.gpu = profile_.id;
  if (options.lines) clocks::watch();
  if (!options.real_clock) host_clock::show();
  const auto has = [&](std::string_view tool) {
    return std::ranges::find(options.sanitize, tool) != options.sanitize.end();
  };
  if (has("racecheck")) managed.start();
  initcheck_ = has("initcheck");
  if (has("streamcheck")) {
    streams.start();
    ManagedWatch::expect_closed_pages();
  }
}

Device& Session::device() {
  if (device_) {
    if (options.gpus > 1) device_->use_gpu(current_gpu());
    return *device_;
  }
  static bool told = false;
  if (std::getenv(kOptionsVariable) == nullptr && !std::exchange(told, true))
    fmt::print(stderr,
               "gpulab: this program runs on a simulated {}, and is not confined; GPULAB_REPORT=FILE writes what "
               "'gpulab exec' reports\n",
               profile_.id);
  device_ = make_device(profile_, options);
  device_->limit_stack(stack_limit_);
  if (options.gpus > 1) device_->use_gpu(current_gpu());
  return *device_;
}

bool Session::reach(int gpu, int peer, bool may) {
  const bool fresh = may ? reached_.emplace(gpu, peer).second : reached_.erase({gpu, peer}) == 1;
  const OnGpu on(gpu);
  if (fresh) device().reach(peer, may);
  return fresh;
}

void Session::wait_for_gpu(int gpu) {
  host_waits(timeline.everything(gpu));
  if (options.gpus == 1)
    streams.synchronised();
  else
    streams.synchronised_gpu(gpu);
}

cudaError_t Session::limit_stack(std::size_t bytes) {
  // As an H100 has it, also that the first is told where both are so.
  constexpr std::size_t most = (std::size_t{512} << 10) - 16, step = 16;
  if (bytes >= most) return cudaErrorInvalidValue;
  const std::size_t taken = (bytes + step - 1) / step * step;
  const auto threads =
      static_cast<std::size_t>(profile_.sm_count) * static_cast<std::size_t>(profile_.max_threads_per_sm);
  if (taken * threads > profile_.memory_bytes) return cudaErrorMemoryAllocation;
  stack_limit_ = taken;
  if (device_) device_->limit_stack(taken);
  return cudaSuccess;
}

void Session::reset_device() {
  // What another GPU has is its own, unless a fault has ended all.
  if (options.gpus > 1 && device_ != nullptr && sticky_ == cudaSuccess) return reset_gpu(current_gpu());
  reached_.clear();
  modules.forget_loaded();
  managed.forget();
  streams.synchronised();
  memory.clear();
  writing.clear();
  partial_copies.clear();
  textures = {};
  device_.reset();
  stack_limit_ = kStackLimit;
  // A process that has had a fault has lost the GPU for good (H100, driver 580).
  if (sticky_ != cudaSuccess && sticky_ != cudaErrorDevicesUnavailable)
    note(
        "cudaDeviceReset does not bring a GPU back behind a fault: calls fail with cudaErrorDevicesUnavailable until "
        "the program starts anew, as on an H100 (driver 580)");
  sticky_ = sticky_ == cudaSuccess ? cudaSuccess : cudaErrorDevicesUnavailable;
  pending_ = cudaSuccess;
}

void Session::reset_gpu(int gpu) {
  managed.forget();
  wait_for_gpu(gpu);
  for (int peer = 0; peer < options.gpus; ++peer) {
    if (reaches(gpu, peer)) reach(gpu, peer, false);
    if (reaches(peer, gpu)) reach(peer, gpu, false);
  }
  std::vector<std::uint64_t> mine;
  for (const auto& [address, entry] : memory.all())
    if (entry.gpu == gpu && !entry.variable && entry.kind <= MemoryEntry::Kind::managed) mine.push_back(address);
  for (const std::uint64_t address : mine) {
    device().release(address);
    writing.forget(address);
    partial_copies.forget(address);
    memory.remove(address, kByReset);
  }
}

void Session::load(std::size_t module) {
  const FatModule& taken = modules.take_ptx(module, profile_.compute_major * 10 + profile_.compute_minor);
  FatModule& mine = modules.at(module);
  if (std::exchange(mine.loaded, true)) return;
  // The source is the reader's to find: that there is one makes lines those that the debug information names.
  const std::string_view source = options.lines ? "\n" : "";
  device().load(
      {.name = taken.name, .ptx = taken.ptx, .source = source, .resources = taken.rows, .frames = taken.frames});
}

const LoadedFunction& Session::kernel_of(const FunctionEntry& function) {
  const int gpu = current_gpu();
  if (const auto known = function.loaded.find(gpu); known != function.loaded.end()) return known->second;
  load(function.module);
  auto& mine = const_cast<FunctionEntry&>(function);  // NOLINT: the one place that fills it in
  LoadedFunction loaded;
  loaded.kernel = device().kernel_of(modules.at(function.module).name, function.name);
  loaded.name = demangle(function.name);
  return mine.loaded.emplace(gpu, std::move(loaded)).first->second;
}

std::optional<ModuleVariable> Session::variable_of(std::size_t module, const std::string& name) {
  load(module);
  return device().variable_of(modules.at(module).name, name);
}

ModuleVariable Session::place_of(const VariableEntry& variable) {
  const auto found = variable_of(variable.module, variable.name);
  if (!found) throw Error(ExitCode::missing, fmt::format("no variable '{}' in the program's PTX", variable.name));
  MemoryEntry entry;
  entry.kind = variable.managed != nullptr ? MemoryEntry::Kind::managed : MemoryEntry::Kind::device;
  entry.address = found->address;
  entry.bytes = found->bytes;
  entry.name = demangle(variable.name);
  entry.variable = true;
  entry.gpu = current_gpu();
  if (memory.at(found->address) == nullptr) memory.add(std::move(entry));
  return *found;
}

const MemoryEntry* Session::memory_at(std::uint64_t address) {
  const MemoryEntry* known = memory.holding(address);
  if (known != nullptr || device_ == nullptr) return known;
  const auto found = device_->variable_at(address);
  if (!found) return nullptr;
  MemoryEntry entry;
  entry.address = found->address;
  entry.bytes = found->bytes;
  entry.name = "a constant of a kernel's code, or a variable";
  entry.variable = true;
  memory.add(std::move(entry));
  return memory.holding(address);
}

void Session::print() {
  if (printed_.empty()) return;
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

}  // namespace gpulab::cuda_api
