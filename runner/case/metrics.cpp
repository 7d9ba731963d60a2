#include "runner/case/metrics.h"

#include <algorithm>

#include "labs/registry.h"

namespace gpulab {
namespace {

bool measured(const Result& result) {
  return result.timing && result.timing->source == TimeSource::cuda_events && result.timing->median_ms > 0;
}

bool on_host(const Result& result) { return result.timing && result.timing->source == TimeSource::cpu_wall; }

bool same_case(const Result& a, const Result& b) {
  const bool same_block = !a.launch || !b.launch || a.launch->block == b.launch->block;
  return a.params == b.params && same_block;
}

void add_speedup(Result& result, const char* name, const Result& reference, double own_ms) {
  result.metrics.push_back({name, reference.timing->median_ms / own_ms, "x"});
}

constexpr const char* host_time = "host_time_synchronized";
constexpr double us_per_ms = 1000;

/// The time that a program sees which waits for the result, by the host's clock where that was measured. Variants that
/// run on the CPU are timed by the same clock, so that the two can be compared.
double host_ms(const Result& result) {
  const auto* seen = find_metric(result, host_time);
  return seen != nullptr ? seen->value / us_per_ms : result.timing->median_ms;
}

const Result* nearest_measured(const Lab& lab, const std::vector<Result>& results, const Result& result) {
  for (const auto* rung : rungs_below(lab, result.variant)) {
    const auto found = std::find_if(results.begin(), results.end(), [&](const Result& other) {
      return other.variant == rung->name && measured(other) && same_case(result, other);
    });
    if (found != results.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

void add_rates(const Work& work, const GpuProfile* peaks, Result& result) {
  if (work.instructions_per_element && work.elements > 0 && result.counters) {
    const auto executed = static_cast<double>((*result.counters)["thread_instructions"]);
    result.metrics.push_back({"instructions_per_element", executed / work.elements, ""});
  }
  if (!measured(result)) return;
  const double seconds = result.timing->median_ms / 1000;
  const auto add = [&](const char* name, double value, const char* unit) {
    result.metrics.push_back({name, value, unit});
  };
  const double gbs = work.bytes / seconds / 1e9, gflops = work.flops / seconds / 1e9;
  if (work.bytes > 0) {
    add("bandwidth", gbs, "GB/s");
    if (peaks != nullptr && peaks->memory_bandwidth_gbs > 0 && !work.over_link) {
      add("bandwidth_of_peak", gbs / peaks->memory_bandwidth_gbs, "ratio");
    }
  }
  if (work.flops > 0) {
    add("gflops", gflops, "GFLOP/s");
    if (peaks != nullptr && peaks->fp32_tflops > 0)
      add("gflops_of_peak", gflops / (peaks->fp32_tflops * 1000), "ratio");
    if (work.bytes > 0) add("arithmetic_intensity", work.flops / work.bytes, "FLOP/B");
  }
  if (work.elements > 0) add("elements_per_second", work.elements / seconds, "1/s");
}

void add_traffic(const Traffic& traffic, std::size_t launches, Result& result) {
  if (traffic.copies == 0) return;
  const auto add = [&](const char* name, std::uint64_t value, const char* unit) {
    result.metrics.push_back({name, static_cast<double>(value), unit});
  };
  add("bytes_to_device", traffic.bytes_to_device, "B");
  add("bytes_to_host", traffic.bytes_to_host, "B");
  if (traffic.bytes_to_peers > 0) add("bytes_to_peers", traffic.bytes_to_peers, "B");
  add("copies", traffic.copies, "");
  add("launches", launches, "");
}

void add_host_times(const HostTimes& times, std::size_t launches, Result& result) {
  result.metrics.push_back({"host_time_unsynchronized", times.queued_ms * us_per_ms, "us"});
  result.metrics.push_back({host_time, times.finished_ms * us_per_ms, "us"});
  if (launches == 0 || !measured(result)) return;
  const double each = result.timing->median_ms * us_per_ms / static_cast<double>(launches);
  result.metrics.push_back({"time_per_launch", each, "us"});
}

void add_speedups(const Lab& lab, std::vector<Result>& results, std::string_view baseline) {
  for (auto& result : results) {
    if (!measured(result)) continue;
    for (const auto& other : results) {
      if (!baseline.empty() && other.variant == baseline && measured(other) && same_case(result, other)) {
        add_speedup(result, "speedup", other, result.timing->median_ms);
      }
      if (on_host(other) && same_case(result, other)) add_speedup(result, "speedup_to_cpu", other, host_ms(result));
    }
    if (const auto* below = nearest_measured(lab, results, result))
      add_speedup(result, "speedup_to_previous", *below, result.timing->median_ms);
  }
}

std::string first_measured(const std::vector<Result>& results) {
  const auto first = std::find_if(results.begin(), results.end(), measured);
  if (first == results.end()) return {};
  const bool others = std::any_of(results.begin(), results.end(),
                                  [&](const Result& r) { return measured(r) && r.variant != first->variant; });
  return others ? first->variant : std::string();
}

const Metric* find_metric(const Result& result, std::string_view name) {
  const auto it =
      std::find_if(result.metrics.begin(), result.metrics.end(), [&](const Metric& m) { return m.name == name; });
  return it == result.metrics.end() ? nullptr : &*it;
}

void add_modelled_time(Result& result) {
  if (result.model) result.metrics.push_back({"modelled_time", result.model->ms * us_per_ms, "us"});
}

}  // namespace gpulab
