#include "common/cuda_api/runtime/session.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/cuda_api/runtime/launch_display.h"
#include "common/cuda_api/runtime/streams.h"
#include "common/demangle.h"
#include "common/device/simulator/simulated.h"
#include "common/error.h"
#include "common/occupancy.h"
#include "common/text.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostActivities = 100'000, kMostFindings = 100, kMostPrinted = std::size_t{16} << 20,
                      kMostEach = 10'000;
/// Warp instructions without the end of a block, where --budget does not say: somebody waits, and it is 3 to 20
/// seconds.
constexpr std::uint64_t kPatience = std::uint64_t{1} << 29;
/// A shape beyond the hardware: the runtimes differ.
constexpr cudaError_t kWrongShape = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
/// Of a launch that nothing is modelled of: no GPU starts a kernel in less.
constexpr double kLeastLaunchMs = 0.002;

Options read_options() {
  const char* text = std::getenv(kOptionsVariable);
  return text == nullptr ? Options{} : decode_options(text);
}

std::unique_ptr<Device> make_device(const GpuProfile& profile, const Options& options) {
  SimulatorOptions simulation;
  simulation.threads = options.threads;
  simulation.budget = options.budget;
  if (options.budget == 0) simulation.patience = kPatience;
  simulation.counters = options.counters;
  simulation.model = options.model && options.counters;
  simulation.lines = options.lines;
  simulation.sanitize = options.sanitize;
  simulation.schedule = options.schedule;
  simulation.trace = options.steps;
  if (simulation.trace)
    simulation.trace->launch = 0;  // of the one launch that is kept; kernels of its kernels follow it
  return make_simulator(profile, simulation);
}

std::string offset_text(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fmt::format("{}", address);
  const std::string_view file(info.dli_fname);
  const auto offset = reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  return fmt::format("{}+{:#x}", file.substr(file.rfind('/') + 1), offset);
}

/// "out-of-bounds load of 4 bytes at 0x7f…": the first address that a fault's words name; 0: none.
std::uint64_t address_in(const std::string& what) {
  const auto at = what.find(" at 0x");
  return at == std::string::npos ? 0 : std::strtoull(what.c_str() + at + 4, nullptr, 16);
}

/// The error that a GPU has for a launch that failed so.
cudaError_t error_of(const LaunchError& error) {
  const std::string_view what = error.what();
  if (error.kind == LaunchFailure::hung) return cudaErrorLaunchTimeout;
  if (error.kind == LaunchFailure::out_of_memory) return cudaErrorMemoryAllocation;
  if (what.starts_with("assertion ")) return cudaErrorAssert;
  if (what.starts_with("misaligned ")) return cudaErrorMisalignedAddress;
  if (what.starts_with("out-of-bounds ")) return cudaErrorIllegalAddress;
  return cudaErrorLaunchFailure;
}

}  // namespace

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t call_from(void* caller, const char* name, Waits waits, std::uint64_t bytes,
                      const std::function<cudaError_t(Session&)>& body) {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  auto& counted = session.record.calls[name];
  ++counted.calls;
  counted.bytes += bytes;
  session.managed.open();
  if (waits == Waits::yes) session.managed.forget();
  cudaError_t error = session.sticky();
  if (error == cudaSuccess && waits == Waits::yes) {
    session.print();
    error = session.surface();
  }
  if (error == cudaSuccess) {
    try {
      error = body(session);
    } catch (const LaunchError& e) {
      error = e.kind == LaunchFailure::out_of_memory ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
    } catch (const Error& e) {
      session.refuse(e, caller);
    } catch (const std::bad_alloc&) {
      error = cudaErrorMemoryAllocation;
    }
  }
  session.managed.close();
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

Session& Session::instance() {
  static auto* const session = new Session;
  return *session;
}

Session::Session() : options(read_options()), profile_(gpu_profile(options.profile)) {
  record.gpu = profile_.id;
  managed.on = std::ranges::find(options.sanitize, "racecheck") != options.sanitize.end();
}

Device& Session::device() {
  if (!device_) device_ = make_device(profile_, options);
  return *device_;
}

void Session::reset_device() {
  modules.forget_loaded();
  managed.forget();
  memory.clear();
  textures = {};
  device_.reset();
  pending_ = sticky_ = cudaSuccess;
}

void Session::load(std::size_t module) {
  const FatModule& taken = modules.take_ptx(module, profile_.compute_major * 10 + profile_.compute_minor);
  FatModule& mine = modules.at(module);
  if (std::exchange(mine.loaded, true)) return;
  // The source is the reader's to find: that there is one makes lines those that the debug information names.
  const std::string_view source = options.lines ? "\n" : "";
  device().load({.name = taken.name, .ptx = taken.ptx, .source = source, .resources = taken.rows});
}

const LoadedFunction& Session::kernel_of(const FunctionEntry& function) {
  if (function.loaded) return *function.loaded;
  load(function.module);
  auto& mine = const_cast<FunctionEntry&>(function);  // NOLINT: the one place that fills it in
  LoadedFunction loaded;
  loaded.kernel = device().kernel_of(modules.at(function.module).name, function.name);
  loaded.name = demangle(function.name);
  return mine.loaded.emplace(std::move(loaded));
}

ModuleVariable Session::place_of(const VariableEntry& variable) {
  load(variable.module);
  const auto found = device().variable_of(modules.at(variable.module).name, variable.name);
  if (!found) throw Error(ExitCode::missing, fmt::format("no variable '{}' in the program's PTX", variable.name));
  MemoryEntry entry;
  entry.kind = variable.managed != nullptr ? MemoryEntry::Kind::managed : MemoryEntry::Kind::device;
  entry.address = found->address;
  entry.bytes = found->bytes;
  entry.name = demangle(variable.name);
  entry.variable = true;
  if (memory.at(found->address) == nullptr) memory.add(std::move(entry));
  return *found;
}

void Session::print() {
  if (printed_.empty()) return;
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

cudaError_t Session::surface() {
  if (pending_ == cudaSuccess) return sticky_;
  sticky_ = std::exchange(pending_, cudaSuccess);
  for (auto& fault : record.faults) fault.seen |= fault.failure != kRefused;
  return sticky_;
}

void Session::account_copy(const std::string& what, std::uint64_t bytes, cudaStream_t stream, double gbs) {
  constexpr double start_ms = 0.0015;  // what a copy takes beside its bytes
  const double ms = start_ms + static_cast<double>(bytes) / (gbs * 1e6);
  const auto engine = what.find("HtoD") != std::string::npos   ? Timeline::Engine::to_device
                      : what.find("DtoH") != std::string::npos ? Timeline::Engine::to_host
                                                               : Timeline::Engine::device_copies;
  const auto number = stream_number(stream);
  const double start = timeline.queue(number, engine, ms);
  CopyRecord& copies = record.copies[what];
  copies.least_ms = copies.calls == 0 ? ms : std::min(copies.least_ms, ms);
  copies.most_ms = std::max(copies.most_ms, ms);
  copies.ms += ms;
  copies.bytes += bytes;
  ++copies.calls;
  if (!options.trace) return;
  if (record.activities.size() >= kMostActivities) {
    ++record.activities_cut;
    return;
  }
  record.activities.push_back({.what = what,
                               .start_ms = start,
                               .ms = ms,
                               .bytes = bytes,
                               .registers = {},
                               .stream = static_cast<std::uint32_t>(number)});
}

void Session::find(const std::string& message, Severity severity, void* caller) {
  const auto [known, fresh] = findings_.emplace(message, record.findings.size());
  if (!fresh) {
    ++record.findings[known->second].count;
    return;
  }
  if (record.findings.size() >= kMostFindings) {
    findings_.erase(known);
    return;
  }
  Finding finding;
  finding.tool = "api";
  finding.severity = severity;
  finding.message = caller == nullptr ? message : fmt::format("{} (called by {})", message, place_in_program(caller));
  record.findings.push_back(std::move(finding));
}

void Session::find_race(const std::string& message, void* caller) {
  const std::size_t before = record.findings.size();
  find(message, Severity::error, caller);
  if (record.findings.size() > before) record.findings.back().tool = "racecheck";
}

void Session::note(const std::string& text) {
  if (std::ranges::find(record.notes, text) == record.notes.end() && record.notes.size() < kMostFindings)
    record.notes.push_back(text);
}

std::string Session::place_in_program(const void* address) {
  // Functions of the toolkit's headers stand between: who called those is told, too.
  struct Walk {
    const void* address;
    bool found = false;
    const void* above = nullptr;
  } walk{address};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        auto& at = *static_cast<Walk*>(data);
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* here = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        if (at.found) {
          at.above = here;
          return _URC_NORMAL_STOP;
        }
        at.found = here == at.address;
        return _URC_NO_REASON;
      },
      &walk);
  return walk.above == nullptr ? offset_text(address) : offset_text(address) + "<" + offset_text(walk.above);
}
void Session::refuse(const std::string& what, void* caller, const std::string& hint) {
  print();
  std::fflush(nullptr);
  record.unsupported = UnsupportedRecord{what, place_in_program(caller), hint};
  write_record(false);
  if (options.record.empty())
    fmt::print(stderr, "gpulab: unsupported: {}, called by {}\n", what, record.unsupported->caller);
  _exit(static_cast<int>(ExitCode::missing));
}

void Session::refuse(const Error& error, void* caller) {
  std::string what = error.what();
  if (!error.where.empty()) what += fmt::format(" ({})", error.where);
  refuse(what, caller, error.hint);
}

KernelRecord& Session::record_of(const LoadedFunction& kernel, const LaunchRequest& request) {
  const auto [known, fresh] = kernel_records_.emplace(kernel.name, record.kernels.size());
  if (fresh) {
    KernelRecord& made = record.kernels.emplace_back();
    made.name = kernel.name;
    made.cpp_name = kernel.kernel.cpp_name;
    made.grid = request.grid;
    made.block = request.block;
    made.shared_bytes = kernel.kernel.attributes.static_shared_bytes.value_or(0) + request.shared_bytes;
    made.registers = kernel.kernel.attributes.registers;
    made.caller = place_in_program(request.caller);
  }
  return record.kernels[known->second];
}

Session::Refusal Session::check(const LoadedFunction& kernel, const LaunchRequest& request) const {
  const Dim3 &grid = request.grid, &block = request.block;
  if (grid.volume() == 0) return {kWrongShape, "a grid without blocks"};
  if (block.volume() == 0) return {kWrongShape, "a block without threads"};
  if (block.volume() > 1024)
    return {kWrongShape, fmt::format("a block of {} threads; 1024 are the most", block.volume())};
  if (block.z > 64) return {kWrongShape, fmt::format("a block of {} in z; 64 are the most", block.z)};
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return {kWrongShape, "a grid that is too large; 2^31 - 1 blocks in x, 65535 in y and z are the most"};
  const auto most_threads = kernel.kernel.attributes.max_threads_per_block;
  if (most_threads && block.volume() > static_cast<std::uint64_t>(*most_threads))
    return {cudaErrorLaunchOutOfResources,
            fmt::format("a block of {} threads; its __launch_bounds__ says {}", block.volume(), *most_threads)};
  const std::size_t fixed = kernel.kernel.attributes.static_shared_bytes.value_or(0);
  const std::size_t most = std::max(profile_.shared_bytes_per_block,
                                    kernel.dynamic_shared_most == 0 ? 0 : kernel.dynamic_shared_most + fixed);
  if (request.shared_bytes + fixed > most)
    return {cudaErrorInvalidValue,
            fmt::format("{} bytes of shared memory; {} are the most, unless cudaFuncSetAttribute allows more",
                        request.shared_bytes + fixed, most)};
  const auto registers = kernel.kernel.attributes.registers;
  if (!registers) return {};
  const auto fits = occupancy(profile_, *registers, fixed, request.shared_bytes, static_cast<int>(block.volume()));
  if (!fits || fits->blocks_per_sm > 0) return {};
  return {cudaErrorLaunchOutOfResources,
          fmt::format("a block of {} threads with {} registers each: an SM has fewer; __launch_bounds__({}) lets the "
                      "compiler spare them",
                      block.volume(), *registers, block.volume())};
}

cudaError_t Session::refuse_launch(const Refusal& refusal, const LoadedFunction& kernel, const LaunchRequest& request) {
  const auto same = [&](const FaultRecord& fault) {
    return fault.failure == kRefused && fault.kernel == kernel.name && !fault.seen;
  };
  if (std::ranges::any_of(record.faults, same) || record.faults.size() >= kMostFindings) return refusal.error;
  FaultRecord& fault = record.faults.emplace_back();
  fault.failure = kRefused;
  fault.kernel = kernel.name;
  fault.what = "a launch that cannot be: " + refusal.why + "; the kernel did not run";
  fault.hint = "check cudaGetLastError() behind each launch";
  fault.launch = launches_ + 1;
  fault.grid = request.grid;
  fault.block = request.block;
  fault.error = cudaGetErrorName(refusal.error);
  fault.caller = place_in_program(request.caller);
  return refusal.error;
}

void Session::looked() {
  for (auto& fault : record.faults) fault.seen |= fault.failure == kRefused;
}

bool Session::captures(cudaStream_t stream) const {
  return captured != nullptr && stream_number(stream) != Timeline::kDefault;
}

bool Session::capture(cudaStream_t stream, Work work) {
  if (!captures(stream)) return false;
  captured->push_back(std::move(work));
  return true;
}

cudaError_t Session::launch(const LaunchRequest& request) {
  if (stream_of(request.stream) == nullptr) return cudaErrorInvalidResourceHandle;
  const LoadedFunction& kernel = kernel_of(*request.function);
  if (const auto wrong = check(kernel, request); wrong.error != cudaSuccess)
    return refuse_launch(wrong, kernel, request);
  if (captured != nullptr && capture(request.stream, work_of(request))) return cudaSuccess;
  ++launches_;
  if (pending_ != cudaSuccess) return cudaSuccess;  // behind the one that failed: it does not run
  KernelRecord& mine = record_of(kernel, request);
  ++mine.launches;
  try {
    managed.before(memory);
    run(kernel, request, mine);
    managed.after(kernel.name, launches_);
  } catch (const LaunchError& error) {
    take_what_it_left(kernel, request, mine);
    fail(error, request, kernel);
  } catch (const Error& error) {
    if (request.cooperative && std::string_view(error.what()).starts_with("a cooperative grid"))
      return cudaErrorCooperativeLaunchTooLarge;
    throw;
  }
  return cudaSuccess;
}

Work Session::work_of(const LaunchRequest& request) {
  const LoadedFunction& kernel = kernel_of(*request.function);
  std::vector<std::vector<std::byte>> arguments;
  for (std::size_t i = 0; i < kernel.kernel.parameter_sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(request.arguments[i]);
    arguments.emplace_back(bytes, bytes + kernel.kernel.parameter_sizes[i]);
  }
  return [request, arguments](Session& session, cudaStream_t stream) mutable {
    std::vector<void*> places;
    for (auto& argument : arguments) places.push_back(argument.data());
    LaunchRequest again = request;
    again.arguments = places.data();
    again.stream = stream;
    return session.launch(again);
  };
}

void Session::run(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& mine) {
  std::vector<KernelArgument> arguments;
  for (std::size_t i = 0; i < kernel.kernel.parameter_sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(request.arguments[i]);
    arguments.push_back({std::vector<std::byte>(bytes, bytes + kernel.kernel.parameter_sizes[i])});
  }
  LaunchConfig config;
  config.grid = request.grid;
  config.block = request.block;
  config.dynamic_shared_bytes = static_cast<std::uint32_t>(request.shared_bytes);
  config.cooperative = request.cooperative;
  const auto work = [&] {
    const ShownLaunch shown(kernel.name);
    device().launch(kernel.kernel, config, arguments);
  };
  if (options.steps) device().keep_steps(steps_wanted());
  if ((options.model && options.counters) || options.steps)  // of a run of its own
    (void)device().time(work, true);
  else
    work();
  take_what_it_left(kernel, request, mine);
}

void Session::take_what_it_left(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& mine) {
  printed_ += device().take_output();
  if (printed_.size() > kMostPrinted) print();
  const auto counters = device().take_counters();
  if (counters) mine.counters += *counters;
  mine.counted |= counters.has_value();  // of launches that fail nothing is counted
  if (counters && options.each && mine.each.size() < kMostEach) mine.each.push_back(*counters);
  std::string why;
  const auto model = options.model && options.counters ? device().take_model(why) : std::nullopt;
  const double ms = model ? std::max(model->ms, 1e-4) : kLeastLaunchMs;
  mine.modelled = model && (mine.launches == 1 || mine.modelled);
  if (auto lines = device().take_lines(); !lines.empty() && (!mine.lines || ms > mine.most_ms))
    mine.lines = std::move(lines.front());  // those behind it are of launches by the kernel
  if (!model && mine.model_unavailable.empty()) mine.model_unavailable = why;
  if (model && (!mine.model || model->ms > mine.model->ms)) mine.model = model;
  mine.least_ms = mine.launches == 1 ? ms : std::min(mine.least_ms, ms);
  mine.most_ms = std::max(mine.most_ms, ms);
  mine.ms += ms;
  const auto number = stream_number(request.stream);
  const double start = timeline.queue(number, Timeline::Engine::kernels, ms);
  auto found = device().take_findings();
  if (steps_wanted()) write_steps(request, found);
  for (auto& finding : found) {
    if (Finding* mistake = known_mistake(mine.findings, finding)) {
      for (const auto& site : finding.at) place_allocations(site.address);
      join(*mistake, std::move(finding));
      continue;
    }
    const auto [known, fresh] =
        findings_.emplace(fmt::format("{}\n{}\n{}", mine.name, finding.tool, finding.message), mine.findings.size());
    if (!fresh)
      mine.findings[known->second].count += finding.count;
    else if (mine.findings.size() < kMostFindings) {
      for (const auto& site : finding.at) place_allocations(site.address);
      mine.findings.push_back(std::move(finding));
    } else
      findings_.erase(known);
  }
  if (!options.trace) return;
  if (record.activities.size() >= kMostActivities) {
    ++record.activities_cut;
    return;
  }
  record.activities.push_back(
      {.what = mine.name,
       .number = launches_,
       .start_ms = start,
       .ms = ms,
       .grid = request.grid,
       .block = request.block,
       .shared_bytes = kernel.kernel.attributes.static_shared_bytes.value_or(0) + request.shared_bytes,
       .registers = kernel.kernel.attributes.registers,
       .stream = static_cast<std::uint32_t>(number),
       .caller = place_in_program(request.caller)});
}

void Session::fail(const LaunchError& error, const LaunchRequest& request, const LoadedFunction& kernel) {
  pending_ = error_of(error);
  FaultRecord& fault = record.faults.emplace_back();
  fault.failure = to_text(error.kind);
  fault.kernel = kernel.name;
  fault.what = error.what();
  fault.where = error.where;
  fault.hint = error.hint;
  const auto is_shared = [](const auto& one) { return one.second.host_may_touch(); };
  if (error.kind == LaunchFailure::hung && std::ranges::any_of(memory.all(), is_shared))
    fault.hint += "; one that waits for the host to write never ends here: the host goes on when the kernel has ended";
  fault.launch = launches_;
  fault.grid = request.grid;
  fault.block = request.block;
  fault.error = cudaGetErrorName(pending_);
  // racecheck may look through thousands of hand-overs for one access: such a launch ends, of a smaller problem.
  if (error.kind == LaunchFailure::hung && !options.sanitize.empty())
    fault.hint += "; what --sanitize looks up counts, too: fewer tools or a smaller problem take less";
  if (const MemoryEntry* freed = memory.freed(address_in(fault.what)))
    fault.hint = fmt::format("'{}' was allocated at {} and freed at {}", freed->name, freed->caller, freed->freed_by);
  else
    place_allocations(fault.what);
  fault.caller = place_in_program(request.caller);
}

}  // namespace gpulab::cuda_api
