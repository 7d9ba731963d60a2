#include "runner/case/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "common/host_memory.h"
#include "common/launch_error.h"
#include "common/progress/launch_progress.h"
#include "common/text.h"
#include "labs/kernel_file.h"
#include "runner/case/buffer_facts.h"
#include "runner/case/device_buffers.h"
#include "runner/case/issuing/bound_plan.h"
#include "runner/case/metrics.h"
#include "runner/case/plan.h"
#include "runner/case/timed_trial.h"
#include "runner/case/verify.h"

namespace gpulab {
namespace {

decltype(Result::params) params_of(const Lab& lab, const Case& point) {
  decltype(Result::params) params;
  for (const auto& param : lab.params) params.emplace_back(param.name, point.params.values.at(param.name));
  // JSON has no unsigned 64-bit parameter of its own: seeds beyond 2^63 do not pass the command line.
  params.emplace_back("seed", static_cast<std::int64_t>(point.seed));
  return params;
}

Work work_of(const Lab& lab, const Variant& variant, const Case& point) {
  return variant.work ? variant.work(point) : lab.work(point);
}

/// Refuses a problem that cannot fit, before the machine starts to swap. Its buffers hold at least the useful bytes of
/// a run; the simulator keeps a copy of them in host memory, so that these count twice.
void check_memory(const Work& work, const Capabilities& capabilities) {
  const double needed = work.bytes * (capabilities.uses_host_memory ? 2 : 1);
  const auto available = memory_short_of(needed);
  if (!available) return;
  throw LaunchError(LaunchFailure::out_of_memory,
                    fmt::format("the problem needs at least {} of host memory, {} are available", bytes_text(needed),
                                bytes_text(static_cast<double>(*available))),
                    {}, "choose a smaller size");
}

const EmbeddedKernels& kernels_of(const Lab& lab, const Variant& variant) {
  if (lab.file) return lab.file->kernels;
  const auto all = embedded_kernels();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& k) { return k.lab == lab.name && k.file == variant.file; });
  if (it == all.end()) throw std::logic_error(fmt::format("labs/{}/{} is not in this build", lab.name, variant.file));
  return *it;
}

const GpuProfile* profile_of(const Device& device) {
  return device.info().profile.empty() ? nullptr : &gpu_profile(device.info().profile);
}

void check_shared(const Launch& launch, const GpuProfile* gpu) {
  const auto bytes = launch.kernel->attributes.static_shared_bytes.value_or(0) + launch.config.dynamic_shared_bytes;
  if (gpu == nullptr || gpu->shared_bytes_per_block_optin == 0 || bytes <= gpu->shared_bytes_per_block_optin) return;
  throw usage_error(fmt::format("a block of {} needs {} of shared memory, {} has {} per block", launch.kernel->cpp_name,
                                bytes_text(static_cast<double>(bytes)), gpu->name,
                                bytes_text(static_cast<double>(gpu->shared_bytes_per_block_optin))),
                    "use a smaller block or tile");
}

/// Takes registers from the architecture nearest to the device's, for reports: an estimate where the toolkit's ptxas
/// does not know the device's own.
void estimate_registers(const Kernel& kernel, std::span<const PtxasRow> rows, const DeviceInfo& device,
                        LaunchFacts& facts) {
  const int wanted = device.compute_major * 10 + device.compute_minor;
  const PtxasRow* nearest = nullptr;
  for (const auto& row : rows) {
    if (row.entry != kernel.entry) continue;
    if (nearest == nullptr || std::abs(row.sm - wanted) < std::abs(nearest->sm - wanted)) nearest = &row;
  }
  if (nearest == nullptr) return;
  facts.estimated_registers = nearest->registers;
  facts.estimated_for = nearest->sm;
}

void describe_launch(const std::vector<const Launch*>& launches, const GpuProfile* gpu, int sm_count, Result& result) {
  const auto& first = *launches.front();
  const auto& attributes = first.kernel->attributes;
  LaunchFacts facts;
  facts.grid = first.config.grid;
  facts.block = first.config.block;
  facts.dynamic_shared_bytes = first.config.dynamic_shared_bytes;
  facts.static_shared_bytes = attributes.static_shared_bytes;
  facts.local_bytes = attributes.local_bytes;
  facts.registers_per_thread = attributes.registers;
  facts.launches = static_cast<int>(launches.size());
  result.launch = facts;
  result.kernel = first.kernel->cpp_name;
  if (gpu != nullptr)
    result.occupancy = occupancy(*gpu, attributes.registers, attributes.static_shared_bytes.value_or(0),
                                 facts.dynamic_shared_bytes, static_cast<int>(facts.block.volume()));
  if (sm_count > 0) result.spread = spread_of(facts.grid.volume(), result.occupancy, sm_count);
}

void verify_outputs(const Problem& problem, const std::function<std::vector<std::byte>(const Expected&)>& read,
                    const std::function<Scalar(const Expected&)>& type, Result& result) {
  result.verification = Verification{};
  auto& verification = *result.verification;
  verification.status = problem.expected.empty() ? VerificationStatus::not_run : VerificationStatus::passed;
  for (const auto& expected : problem.expected) {
    const bool passed_before = verification.status != VerificationStatus::failed;
    verify(expected, type(expected), read(expected), verification);
    if (verification.note.empty()) verification.note = expected.note;
    if (!passed_before || verification.status != VerificationStatus::failed) continue;
    const auto compared =
        expected.real.empty() ? expected.exact.size() / size_of(type(expected)) : expected.real.size();
    result.status = CaseStatus::wrong;
    result.message = mismatch_text(expected.buffer, verification, compared);
  }
}

void take(Commentary commentary, Result& result) {
  result.metrics.insert(result.metrics.end(), commentary.metrics.begin(), commentary.metrics.end());
  result.notes = std::move(commentary.lines);
  result.curve = std::move(commentary.curve);
  result.picture = std::move(commentary.picture);
}

/// What the lab has to say of a case that was right.
void add_commentary(const Lab& lab, const Variant& variant, const Case& point, const ReadBuffer& read, Result& result) {
  if (const auto& commentary = variant.commentary ? variant.commentary : lab.commentary)
    take(commentary(point, read), result);
}

/// A variant that runs on the host: the lab's own C++ code over host memory.
void run_on_host(const Lab& lab, const Variant& variant, const Case& point, const Problem& problem, Result& result) {
  std::map<std::string, std::pair<Scalar, std::vector<std::byte>>, std::less<>> memory;
  HostCall call;
  call.params = &point.params;
  for (const auto& buffer : problem.buffers) {
    auto& [type, bytes] = memory[buffer.name];
    type = buffer.type;
    bytes = buffer.initial;
    if (bytes.empty()) bytes.assign(buffer.count * size_of(buffer.type), poison_of(buffer.type));
    call.buffers[buffer.name] = bytes;
  }
  const auto start = std::chrono::steady_clock::now();
  variant.host(call);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  result.timing = summarize(std::span(&ms, 1), TimeSource::cpu_wall);
  verify_outputs(
      problem, [&](const Expected& e) { return memory.at(e.buffer).second; },
      [&](const Expected& e) { return memory.at(e.buffer).first; }, result);
  if (result.status == CaseStatus::ok)
    add_commentary(
        lab, variant, point, [&](auto name) { return memory.find(name)->second.second; }, result);
}

/// One call of a vendor library: pointers bound and its workspace allocated as it asks.
class VendorWork {
 public:
  VendorWork(Device& device, const Vendor& vendor, const Case& point, const DeviceBuffers& buffers)
      : device_(device), vendor_(vendor) {
    call_.params = &point.params;
    call_.buffers = buffers.pointers();
    if (vendor.workspace_bytes != nullptr) call_.workspace_bytes = vendor.workspace_bytes(call_);
    workspace_ = device.allocate("workspace", call_.workspace_bytes);
    call_.workspace = reinterpret_cast<void*>(workspace_);
  }
  ~VendorWork() {
    try {
      device_.release(workspace_);
    } catch (const std::exception&) {
      // After a fault there is nothing left to release.
    }
  }
  VendorWork(const VendorWork&) = delete;
  VendorWork& operator=(const VendorWork&) = delete;
  void operator()() const { vendor_.run(call_); }

 private:
  Device& device_;
  const Vendor& vendor_;
  VendorCall call_;
  DevicePointer workspace_ = 0;
};

CaseStatus status_of(LaunchFailure failure) {
  switch (failure) {
    case LaunchFailure::fault:
      return CaseStatus::fault;
    case LaunchFailure::hung:
      return CaseStatus::hung;
    case LaunchFailure::out_of_memory:
      break;
  }
  return CaseStatus::error;
}

std::string message_of(const Error& error) {
  std::string text = error.where.empty() ? error.what() : fmt::format("{}: {}", error.where, error.what());
  if (!error.hint.empty()) text += "; " + error.hint;
  return text;
}

/// All buffers but those of the host that are only read.
std::vector<std::pair<std::string, std::vector<std::byte>>> contents_of(const Problem& problem,
                                                                        const DeviceBuffers& buffers) {
  std::vector<std::pair<std::string, std::vector<std::byte>>> all;
  for (const auto& buffer : problem.buffers)
    if (!buffer.on_host || buffer.role != BufferRole::input) all.emplace_back(buffer.name, buffers.read(buffer.name));
  return all;
}

/// Runs, verifies and measures `work`. The verified run comes first and starts from poisoned outputs, so that only
/// right kernels are measured. A device that measures no time (the simulator) runs once: that run is both verified and
/// counted.
/// `check_timed`, of kernels that nobody trusts: looks at what the last sample has left. Samples begin as the verified
/// run does, so that a launch that leaves its work undone is seen.
void run_and_measure(Device& device, DeviceBuffers& buffers, const RunOptions& run, bool writes_input,
                     const std::function<void()>& work, const std::function<void()>& check,
                     const std::function<void(double first_ms)>& check_timed, Result& result) {
  const MeasureOptions& options = run.measure;
  (void)device.take_counters();
  (void)device.take_findings();
  (void)device.take_lines();
  if (!device.capabilities().measures_time) {
    buffers.prepare();
    result.simulation_ms = device.time(work, false);
    result.timing = Timing{};
    device.synchronize();
    result.model = device.take_model(result.model_unavailable);
    add_modelled_time(result);
    result.counters = device.take_counters();
    result.lines = device.take_lines();
    result.steps = device.take_steps();
    check();
    return;
  }
  buffers.prepare();
  const double first_ms = device.time(work, !options.warm);
  device.synchronize();
  device.print_to({});
  result.output = device.take_output();
  check();
  if (result.status != CaseStatus::ok) return;
  if (writes_input) buffers.keep_inputs();
  const bool prints = !result.output.empty();  // it will print again in each measured run
  const auto restore = [&] {
    buffers.restore();
    if (check_timed) buffers.poison_outputs();
    if (prints) (void)device.take_output();
  };
  result.timing = run.measuring ? run.measuring(device, restore, work) : measure(device, options, restore, work);
  result.counters = device.take_counters();
  if (check_timed) check_timed(first_ms);
}

}  // namespace

void CaseRunner::load(const Lab& lab, const Variant& variant) {
  const auto& kernels = kernels_of(lab, variant);
  // The image's views must outlive the device: names are kept here, texts are part of the binary or of the lab.
  const auto [it, fresh] =
      loaded_.emplace(lab.file ? variant.file : fmt::format("{}/{}", lab.name, variant.file),
                      lab.file ? variant.file : fmt::format("{}/{}", lab.name, kernels.source_file));
  if (fresh) device_.load({it->second, kernels.ptx, kernels.source, kernels.resources});
}

void CaseRunner::run_on_device(const Lab& lab, const Variant& variant, const Plan& made, const Problem& problem,
                               const RunOptions& options, Result& result) {
  const auto scratch = variant.scratch ? variant.scratch(made.point) : std::vector<Buffer>{};
  const auto* gpu = profile_of(device_);
  if (launches_kernels(variant)) load(lab, variant);
  // Variables are there from when a kernel of their module is asked for.
  const auto is_variable = [](const Buffer& buffer) { return !buffer.symbol.empty(); };
  if (std::any_of(problem.buffers.begin(), problem.buffers.end(), is_variable) ||
      std::any_of(scratch.begin(), scratch.end(), is_variable))
    (void)device_.kernel(made.steps.front().kernel);
  DeviceBuffers buffers(device_);
  // Updated in place: what is compared afterwards is an input.
  const bool in_place = std::any_of(problem.expected.begin(), problem.expected.end(), [&](const Expected& expected) {
    const auto compared = std::ranges::find(problem.buffers, expected.buffer, &Buffer::name);
    return compared != problem.buffers.end() && compared->role == BufferRole::input;
  });
  const bool keeps_inputs = variant.writes_input || in_place;
  check_room(device_, problem.buffers, scratch, keeps_inputs && device_.capabilities().measures_time);
  for (const auto& buffer : problem.buffers) buffers.add(buffer, variant.pinned);
  for (const auto& buffer : scratch) buffers.add(buffer, variant.pinned);
  const BoundPlan bound(device_, buffers, made.steps);
  const auto launches = bound.launches();
  launch_progress.expect(launches.size());
  if (!launches.empty()) {
    describe_launch(launches, gpu, device_.info().sm_count, result);
    if (!result.launch->registers_per_thread) {
      estimate_registers(*launches.front()->kernel, kernels_of(lab, variant).resources, device_.info(), *result.launch);
    }
    for (const auto* launch : launches) check_shared(*launch, gpu);
  }
  std::optional<VendorWork> vendor;
  if (variant.vendor.run != nullptr) vendor.emplace(device_, variant.vendor, made.point, buffers);
  std::unique_ptr<Recording> graph;
  if (variant.graph) graph = device_.record([&] { bound.issue(); });
  const auto work = [&] {
    if (vendor) return (*vendor)();
    graph ? graph->replay() : bound.issue();
  };
  const auto check = [&] {
    verify_outputs(
        problem, [&](const Expected& e) { return buffers.read(e.buffer); },
        [&](const Expected& e) { return buffers.declared(e.buffer).type; }, result);
    for (const auto& [buffer, file] : options.dumps) dump(file, buffers.read(buffer));
    if (lab.trial) result.contents = contents_of(problem, buffers);
    if (!lab.file || lab.trial) return;
    for (const auto& buffer : problem.buffers)
      result.buffers.push_back(facts_of(buffer, buffers.read(buffer.name), options.shows));
  };
  std::function<void(double)> check_timed;
  if (lab.trial)
    check_timed = [&](double first_ms) {
      add_first_launch(first_ms, result);
      for (auto& [name, bytes] : contents_of(problem, buffers))
        result.contents.emplace_back(std::string(kTimedPrefix) + name, std::move(bytes));
    };
  run_and_measure(device_, buffers, options, keeps_inputs, work, check, check_timed, result);
  result.findings = bound.take_findings();
  if (bound.gpus() > 1 && result.model) {
    result.model.reset();
    result.model_unavailable = "several GPUs and the links between them are not modelled";
    std::erase_if(result.metrics, [](const Metric& metric) { return metric.name == "modelled_time"; });
  }
  add_traffic(bound.traffic(), launches.size(), result);
  if (variant.host_clock && result.status == CaseStatus::ok && device_.capabilities().measures_time) {
    add_host_times(measure_on_host(
                       device_, options.measure, [&] { buffers.restore(); }, work),
                   launches.size(), result);
  }
  // The profile may describe another GPU of the same compute capability, whose peaks are not this one's.
  const bool same_gpu = gpu != nullptr && gpu->name == device_.info().name;
  add_rates(work_of(lab, variant, made.point), same_gpu ? gpu : nullptr, result);
  const auto read = [&](std::string_view name) { return buffers.read(name); };
  if (result.status == CaseStatus::ok) add_commentary(lab, variant, made.point, read, result);
  if (result.status == CaseStatus::wrong && variant.racy && variant.commentary) {
    // The wrong picture is what such a variant is about.
    auto commentary = variant.commentary(made.point, read);
    if (commentary.picture) result.notes = std::move(commentary.lines);
    result.picture = std::move(commentary.picture);
  }
}

namespace {

/// While it lives, what kernels print goes to `sink` as it comes.
class Listening {
 public:
  Listening(Device& device, const PrintSink& sink) : device_(device) { device_.print_to(sink); }
  ~Listening() { device_.print_to({}); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  Device& device_;
};

/// What was printed before a launch failed (the text of an assertion); nothing where the device can no longer tell.
std::string output_after_fault(Device& device) {
  try {
    return device.take_output();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

Result CaseRunner::run(const Lab& lab, const Variant& variant, const Case& point, const RunOptions& options) {
  Result result;
  result.variant = variant.name;
  result.summary = variant.summary;
  result.params = params_of(lab, point);
  const auto fail = [&](CaseStatus status, const std::string& message) {
    result.status = status;
    result.message = message;
    result.timing.reset();
    result.simulation_ms.reset();
    result.verification.reset();
  };
  const Listening printed(device_, options.printed);
  try {
    Case here = point;
    here.gpu = profile_of(device_);
    if (const int wanted = lab.gpus ? lab.gpus(here) : 1; wanted > device_.capabilities().gpus) {
      fail(CaseStatus::skipped,
           fmt::format("it takes {} GPUs, and there {} {}; --device sim has them", wanted,
                       device_.capabilities().gpus == 1 ? "is" : "are", device_.capabilities().gpus));
      return result;
    }
    if (!variant.calculate) check_memory(work_of(lab, variant, here), device_.capabilities());
    const Plan made = plan(lab, variant, here, options.grid);
    if (variant.calculate) {
      take(variant.calculate(made.point), result);
      return result;
    }
    const Problem& problem = problems_.get(lab, variant, made.point);
    if (variant.host) {
      run_on_host(lab, variant, made.point, problem, result);
    } else {
      run_on_device(lab, variant, made, problem, options, result);
    }
    // A GPU runs a kernel many times; what the first run printed has been kept already.
    if (std::string last = device_.take_output(); !device_.capabilities().measures_time) {
      result.output = std::move(last);
      result.output_cut = device_.take_output_cut();
    }
    const auto found = device_.take_findings();
    result.findings.insert(result.findings.end(), found.begin(), found.end());
    result.work = device_.take_work();
    const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
    const auto errors = std::count_if(result.findings.begin(), result.findings.end(), is_error);
    if (result.status == CaseStatus::ok && errors > 0) {
      result.status = CaseStatus::finding;
      result.message = fmt::format("the sanitizer tools name {} fault{}", errors, errors == 1 ? "" : "s");
    }
  } catch (const LaunchError& error) {
    fail(status_of(error.kind), message_of(error));
    result.output = output_after_fault(device_);
    result.output_cut = device_.take_output_cut();
    result.findings = device_.take_findings();
    result.steps = device_.take_steps();
    result.work = device_.take_work();
  } catch (const Error& error) {
    fail(CaseStatus::error, message_of(error));
  } catch (const std::bad_alloc&) {
    fail(CaseStatus::error, "the host has no memory left for this problem; choose a smaller size");
  } catch (const std::exception& error) {
    fail(CaseStatus::error, error.what());
  }
  if (!options.counters) result.counters.reset();
  return result;
}

Result run_case(Device& device, const Lab& lab, const Variant& variant, const Case& point, const RunOptions& options) {
  return CaseRunner(device).run(lab, variant, point, options);
}

}  // namespace gpulab
