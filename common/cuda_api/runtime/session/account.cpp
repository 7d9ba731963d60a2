// What launches and copies took: counters, clocks, findings of kernels, the trace.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/host/clock/host_work.h"
#include "common/cuda_api/runtime/host/clock/readings.h"
#include "common/cuda_api/runtime/host/habits.h"
#include "common/cuda_api/runtime/host/host_pointers.h"
#include "common/cuda_api/runtime/host/remedies.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"
#include "common/simt/timing/gpu_timing.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostActivities = 100'000, kMostPrinted = std::size_t{16} << 20, kMostEach = 10'000;
/// Of a launch that nothing is modelled of: no GPU starts a kernel in less.
constexpr double kLeastLaunchMs = 0.002;

const simt::GpuTiming& timing_of(const GpuProfile& profile) {
  static const simt::GpuTiming timing = [&] {
    const auto* known = simt::gpu_timing(profile.id);
    return known != nullptr ? *known : simt::estimated_timing(profile);
  }();
  return timing;
}

}  // namespace

/// `always`: a kernel's first launch, of which there are as many as kernels, whatever came before it.
void Session::keep(Activity activity, bool always) {
  if (!options.trace) return;
  if (always || record.activities.size() < kMostActivities)
    record.activities.push_back(std::move(activity));
  else
    ++record.activities_cut;
}

double Session::account_copy(const std::string& what, std::uint64_t bytes, cudaStream_t stream, double gbs) {
  constexpr double start_ms = 0.0015;  // what a copy takes beside its bytes
  const double ms = start_ms + static_cast<double>(bytes) / (gbs * 1e6);
  const auto engine = what.find("HtoD") != std::string::npos   ? Timeline::Engine::to_device
                      : what.find("DtoH") != std::string::npos ? Timeline::Engine::to_host
                                                               : Timeline::Engine::device_copies;
  const auto number = stream_number(stream);
  if (!graph_kernels) timeline.host_calls(timing_of(profile_).profiled_copy_us * 1e-3);
  const double start = timeline.queue(number, {.engine = engine, .ms = ms});
  CopyRecord& copies = record.copies[what];
  copies.least_ms = copies.calls == 0 ? ms : std::min(copies.least_ms, ms);
  copies.most_ms = std::max(copies.most_ms, ms);
  copies.ms += ms;
  copies.bytes += bytes;
  ++copies.calls;
  keep({.what = what,
        .start_ms = start,
        .ms = ms,
        .bytes = bytes,
        .registers = {},
        .stream = static_cast<std::uint32_t>(number_on_gpu(number)),
        .gpu = gpu_of_stream(number)});
  return ms;
}

void Session::timeline_goes_on() {
  const auto gap = host_work::before_call();
  if (gap.is_work)
    timeline.host_works(gap.ms);
  else
    timeline.host_spends(gap.ms);
}

void Session::host_waits_for(std::string_view function) {
  if (captured != nullptr) return;
  if (function.starts_with("cudaMemcpy")) host_waits(timeline.ready(default_stream_of(current_gpu())));
  if (function.starts_with("cudaFree") || function == "cudaHostUnregister")
    host_waits(timeline.everything(current_gpu()));
}

void Session::host_launches() {
  const double ms = timing_of(profile_).host_launch_us * 1e-3;
  timeline.host_spends(ms);
  timeline.host_calls(timing_of(profile_).profiled_launch_us * 1e-3);
  host_clock::add(ms);
}

void Session::host_waits(const Moment& when) { timeline.host_waits(when, timing_of(profile_).profiled_wait_us * 1e-3); }

void Session::host_goes_on() {
  host_clock::add(timeline.take_waited());
  host_work::after_call();
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

void Session::take_what_it_printed(const LoadedFunction& kernel, const LaunchRequest& request) {
  const bool first = printed_.empty();
  printed_ += device().take_output();
  if (first && !printed_.empty())
    printed_by_ = fmt::format("{}, launched at {}", kernel.kernel.cpp_name, place_in_program(request.caller));
  if (printed_.size() > kMostPrinted) print();
  if (const std::uint64_t cut = device().take_output_cut())
    find(fmt::format(
             "{} prints more than printf's buffer holds, by {} bytes: on a GPU the first lines are lost; wait for "
             "the kernel more often, or have more by cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes)",
             kernel.kernel.cpp_name, cut),
         Severity::warning, request.caller);
}

void Session::tell_what_is_unprinted() {
  const auto lines = std::ranges::count(printed_, '\n');
  if (printed_.empty()) return;
  find(fmt::format("{} that kernels printed {} never shown: the program ends without waiting for them; call "
                   "cudaDeviceSynchronize() behind {}",
                   lines == 1 ? "a line" : fmt::format("{} lines", lines), lines == 1 ? "is" : "are", printed_by_),
       Severity::warning, nullptr);
}

/// A kernel's place on the timeline. The first one of a program waits for its code: the host loads it, and what its
/// stream still does ends before the GPU has it.
Timeline::Work Session::work_of(const KernelRecord& mine, const std::optional<ModelledTime>& model, double ms,
                                bool follows) {
  const simt::GpuTiming& timing = timing_of(profile_);
  const bool first = mine.launches == 1 && record.kernels.size() == 1;
  if (mine.launches == 1) timeline.host_calls((first ? timing.profiled_load_us : timing.profiled_next_load_us) * 1e-3);
  const double sms = model && model->sms_used > 0 ? model->sms_used : profile_.sm_count;
  const double behind_us = first ? timing.profiled_load_behind_us : follows ? timing.profiled_in_graph_us : 0;
  return {.ms = ms, .share = std::min(1.0, sms / std::max(profile_.sm_count, 1)), .behind_ms = behind_us * 1e-3};
}

void Session::take_what_it_left(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& mine) {
  take_what_it_printed(kernel, request);
  mine.repeats += device().take_repeats();
  mine.uncounted += device().take_uncounted();
  const auto counters = device().take_counters();
  if (counters) mine.counters += *counters;
  mine.counted |= counters.has_value();  // of launches that fail nothing is counted
  std::string why;
  const auto model = options.model && options.counters ? device().take_model(why) : std::nullopt;
  const double ms = model ? std::max(model->ms, 1e-4) : kLeastLaunchMs;
  mine.modelled = model && (mine.launches == 1 || mine.modelled);
  if (auto lines = device().take_lines(); !lines.empty() && (!mine.lines || ms > mine.most_ms))
    mine.lines = std::move(lines.front());  // those behind it are of launches by the kernel
  if (!model && mine.model_unavailable.empty()) mine.model_unavailable = why;
  if (counters && options.each && mine.each.size() < kMostEach) {
    mine.each.push_back(*counters);
    mine.each_model.push_back(model);
  }
  if (model && (!mine.model || model->ms > mine.model->ms)) mine.model = model;
  mine.least_ms = mine.launches == 1 ? ms : std::min(mine.least_ms, ms);
  mine.most_ms = std::max(mine.most_ms, ms);
  mine.ms += ms;
  habits::launched();
  clocks::launched(mine.name, request.caller, ms);
  const auto number = stream_number(request.stream);
  // In a graph a kernel begins right behind the one before.
  const bool follows = graph_kernels && (*graph_kernels)++ > 0 && model;
  const double taken = follows ? std::min(ms, model->kernel_ms + timing_of(profile_).next_in_graph_us * 1e-3) : ms;
  const double start = timeline.queue(number, work_of(mine, model, taken, follows));
  take_findings(kernel, request, mine);
  if (!options.trace) return;  // to look for the caller takes time
  keep({.what = mine.name,
        .number = launches_,
        .start_ms = start,
        .ms = taken,
        .grid = request.grid,
        .block = request.block,
        .shared_bytes = kernel.kernel.attributes.static_shared_bytes.value_or(0) + request.shared_bytes,
        .registers = kernel.kernel.attributes.registers,
        .stream = static_cast<std::uint32_t>(number_on_gpu(number)),
        .caller = place_in_program(request.caller),
        .gpu = gpu_of_stream(number)},
       mine.launches == 1);
}

void Session::take_findings(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& mine) {
  auto found = device().take_findings();
  if (steps_wanted()) write_steps(request, found);
  for (auto& finding : found) {
    // What a launch was told for ends with memcheck's: what fail() says of it, too.
    if (finding.tool == "memcheck")
      finding.message = with_owner(finding.message, host_pointer(*this, address_in(finding.message), request, kernel));
    finding.message += remedy_for(*this, finding);
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
}

}  // namespace gpulab::cuda_api
