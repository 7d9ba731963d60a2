#include "runner/listing/metric_table.h"

#include <algorithm>
#include <array>

#include "common/counters.h"
#include "runner/report/ladder/time_metrics.h"

namespace gpulab {
namespace {

/// What runner/case adds to a result.
struct Row {
  const char *name, *unit, *definition;
  bool simulated, measured;
};
constexpr std::array rows{
    Row{"sms_used", "", "SMs of the GPU that get a block of the launch", true, true},
    Row{"waves", "", "blocks of the launch / blocks that are resident at once", true, true},
    Row{"tail", "ratio", "share of the last wave's places for blocks that stay empty", true, true},
    Row{"theoretical_occupancy", "ratio", "warps that fit on an SM at once / those that it could hold", true, true},
    Row{"blocks_per_sm", "", "blocks that fit on an SM at once", true, true},
    Row{"instructions_per_element", "", "thread instructions / elements of the problem", true, false},
    Row{"modelled_time", "us",
        "how long the run would take on the profile's GPU with a cold L2 (--model); not measured", true, false},
    Row{"bandwidth", "GB/s", "useful bytes, read and written once each / median time; 10^9 bytes per second", false,
        true},
    Row{"bandwidth_of_peak", "ratio", "bandwidth / the memory's bandwidth by the GPU's data sheet", false, true},
    Row{"gflops", "GFLOP/s", "useful arithmetic operations / median time; 10^9 per second", false, true},
    Row{"gflops_of_peak", "ratio", "gflops / the data sheet's peak of 32-bit arithmetic", false, true},
    Row{"arithmetic_intensity", "FLOP/B", "useful arithmetic operations / useful bytes", false, true},
    Row{"elements_per_second", "1/s", "elements of the problem / median time", false, true},
    Row{"bytes_to_device", "B", "bytes that the copies of one run move from the host to the device", true, true},
    Row{"bytes_to_host", "B", "bytes that the copies of one run move from the device to the host", true, true},
    Row{"bytes_to_peers", "B", "bytes that the copies of one run move from one GPU to another", true, true},
    Row{"copies", "", "copies between host and device, or between GPUs, in one run", true, true},
    Row{"launches", "", "kernel launches in one run", true, true},
    Row{"host_time_unsynchronized", "us", "by the host's clock: until the run's work is queued", false, true},
    Row{"host_time_synchronized", "us", "by the host's clock: until the run's work is done", false, true},
    Row{"time_per_launch", "us", "median time / kernel launches of one run", false, true},
    Row{"speedup", "x", "median time of --baseline's variant / that of this one", false, true},
    Row{"speedup_to_cpu", "x",
        "median time of the variant that runs on the host / that of this one, by the host's clock "
        "where both have it",
        false, true},
    Row{"speedup_to_previous", "x", "median time of the rung that this one is built on / that of this one", false,
        true},
};

std::string unit_of(CounterUnit unit) {
  return unit == CounterUnit::ratio ? "ratio" : unit == CounterUnit::mean ? "mean" : "count";
}

/// "launches_depth_3" where the name is "launches_depth_N".
bool is_named(std::string_view name, std::string_view by) {
  if (name == by) return true;
  if (!by.ends_with("_N") || !name.starts_with(by.substr(0, by.size() - 1))) return false;
  const auto number = name.substr(by.size() - 1);
  return !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<ListedMetric> listed_metrics(std::span<const Lab> labs) {
  std::vector<ListedMetric> all;
  for (const auto& counter : counter_table()) {
    all.push_back({.kind = MetricKind::counter,
                   .name = std::string(counter.name),
                   .unit = unit_of(counter.unit),
                   .definition = std::string(counter.definition),
                   .ncu = std::string(counter.ncu),
                   .nvprof = std::string(counter.nvprof),
                   .simulated = true});
  }
  for (const auto& row : rows)
    all.push_back({.kind = MetricKind::rate,
                   .name = row.name,
                   .unit = row.unit,
                   .definition = row.definition,
                   .simulated = row.simulated,
                   .measured = row.measured});
  for (const auto& metric : time_metrics())
    all.push_back({.kind = MetricKind::modelled,
                   .name = std::string(metric.name),
                   .unit = std::string(metric.unit),
                   .definition = std::string(metric.definition),
                   .ncu = std::string(metric.ncu),
                   .nvprof = std::string(metric.nvprof),
                   .simulated = true});
  for (const auto& lab : labs) {
    for (const auto& metric : lab.metrics)
      all.push_back({.kind = MetricKind::fact,
                     .name = metric.name,
                     .unit = metric.unit,
                     .definition = metric.definition,
                     .lab = lab.name,
                     .simulated = true,
                     .measured = true});
  }
  return all;
}

const ListedMetric* meaning_of(std::span<const ListedMetric> metrics, std::string_view lab, std::string_view name) {
  const ListedMetric* found = nullptr;
  for (const auto& metric : metrics) {
    // A lab's own words go before those of all labs.
    if ((metric.lab.empty() || metric.lab == lab) && is_named(name, metric.name)) found = &metric;
  }
  return found;
}

}  // namespace gpulab
