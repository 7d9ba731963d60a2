#include "runner/report/ladder/time_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/counters.h"
#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/ladder/ladder.h"

namespace gpulab {
namespace {

using Value = std::optional<double>;

constexpr double sector_bytes = 32, wavefront_bytes = 128;

/// GB/s in the time that kernels run.
Value rate(const Result& r, double bytes) {
  if (!r.model || r.model->kernel_ms <= 0) return std::nullopt;
  return bytes / r.model->kernel_ms / 1e6;
}

/// Of a count of the same case.
Value counted(const Result& r, std::string_view counter, double bytes) {
  if (!r.counters || !r.counters_params.empty()) return std::nullopt;
  const auto count = find_counter(counter)->value(*r.counters);
  return count ? rate(r, *count * bytes) : std::nullopt;
}

template <typename Part>
Value of_model(const Result& r, Part part) {
  return r.model ? Value(part(*r.model)) : std::nullopt;
}

constexpr std::array rows{
    TimeMetric{"sm_efficiency", "ratio",
               "share of the GPU's SMs that work, while the launch that takes the most time runs",
               "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed", "sm_efficiency",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.sm_efficiency; }); }},
    TimeMetric{"achieved_occupancy", "ratio",
               "resident warps of an SM that works, on average / those that it could hold",
               "sm__warps_active.avg.pct_of_peak_sustained_active", "achieved_occupancy",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.achieved_occupancy; }); }},
    TimeMetric{"ipc", "",
               "machine instructions that an SM issues per cycle, as the model has ptxas make them of the PTX",
               "sm__inst_executed.avg.per_cycle_active", "ipc",
               [](const Result& r) { return of_model(r, [](const auto& m) { return 4 * m.issue; }); }},
    TimeMetric{"issue_slot_utilization", "ratio", "share of the cycles in which a partition of an SM issues",
               "smsp__issue_active.avg.pct_of_peak_sustained_active", "issue_slot_utilization",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.issue; }); }},
    TimeMetric{"stall_memory_dependency", "ratio",
               "share of the time of resident warps in which they wait for what global or local memory brings",
               "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "stall_memory_dependency",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.warps.memory; }); }},
    TimeMetric{"stall_short_scoreboard", "ratio", "share of resident warps' time spent waiting for shared memory",
               "smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct", "",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.warps.shared; }); }},
    TimeMetric{"stall_barrier", "ratio",
               "share of resident warps' time spent waiting at a barrier for other warps of their block",
               "smsp__warp_issue_stalled_barrier_per_warp_active.pct", "stall_sync",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.warps.barrier; }); }},
    TimeMetric{"stall_exec_dependency", "ratio",
               "share of resident warps' time spent waiting for a result of arithmetic, a branch, a fence",
               "smsp__warp_issue_stalled_wait_per_warp_active.pct", "stall_exec_dependency",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.warps.result; }); }},
    TimeMetric{"gld_throughput", "GB/s", "32 bytes x global load sectors / time in kernels",
               "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second", "gld_throughput",
               [](const Result& r) { return counted(r, "global_load_sectors", sector_bytes); }},
    TimeMetric{"gst_throughput", "GB/s", "32 bytes x global store sectors / time in kernels",
               "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second", "gst_throughput",
               [](const Result& r) { return counted(r, "global_store_sectors", sector_bytes); }},
    TimeMetric{"gld_requested_throughput", "GB/s", "bytes that lanes ask for by global loads / time in kernels",
               "smsp__sass_data_bytes_mem_global_op_ld.sum.per_second", "gld_requested_throughput",
               [](const Result& r) { return counted(r, "global_bytes_loaded", 1); }},
    TimeMetric{"gst_requested_throughput", "GB/s", "bytes that lanes ask for by global stores / time in kernels",
               "smsp__sass_data_bytes_mem_global_op_st.sum.per_second", "gst_requested_throughput",
               [](const Result& r) { return counted(r, "global_bytes_stored", 1); }},
    TimeMetric{"dram_read_throughput", "GB/s",
               "sectors that the launch reads, each once: what a cold L2 has to fetch / time in kernels; of one launch",
               "dram__bytes_read.sum.per_second", "dram_read_throughput",
               [](const Result& r) -> Value {
                 // A second launch finds in L2 what the first has brought.
                 if (!r.launch || r.launch->launches != 1) return std::nullopt;
                 return counted(r, "global_read_footprint_bytes", 1);
               }},
    TimeMetric{"shared_load_throughput", "GB/s", "128 bytes x shared load wavefronts / time in kernels", "",
               "shared_load_throughput",
               [](const Result& r) { return counted(r, "shared_load_wavefronts", wavefront_bytes); }},
    TimeMetric{"shared_store_throughput", "GB/s", "128 bytes x shared store wavefronts / time in kernels", "",
               "shared_store_throughput",
               [](const Result& r) { return counted(r, "shared_store_wavefronts", wavefront_bytes); }},
    TimeMetric{"dram_busy", "ratio", "share of the time in kernels in which DRAM moves bytes, what it writes back, too",
               "dram__throughput.avg.pct_of_peak_sustained_elapsed", "",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.dram; }); }},
    TimeMetric{"l2_busy", "ratio", "share of the time in kernels in which the ways to L2 move bytes",
               "lts__throughput.avg.pct_of_peak_sustained_elapsed", "",
               [](const Result& r) { return of_model(r, [](const auto& m) { return m.l2; }); }},
};

constexpr std::array refused{
    UnmodelledMetric{
        "dram_write_throughput", "dram__bytes_write.sum.per_second",
        "it depends on when L2 writes back what it holds, mostly after the launch: the model keeps no account of "
        "it (dram_busy has what is written back during the launch)"},
    UnmodelledMetric{
        "l2_*", "lts__t_*",
        "the model simulates the caches of some blocks, and keeps no account of L2's requests (l2_busy says how "
        "busy the ways to L2 are)"},
    UnmodelledMetric{
        "stall_*", "smsp__warp_issue_stalled_*",
        "the model tells four reasons apart: stall_memory_dependency, stall_short_scoreboard, stall_barrier, "
        "stall_exec_dependency ('gpulab explain' says which lines warps spend their time on, and what they wait for)"},
    UnmodelledMetric{
        "eligible_warps_per_cycle", "smsp__warps_eligible.avg.per_cycle_active",
        "the model issues a warp when its operands are there, and does not count those that could issue beside "
        "it (issue_slot_utilization says how busy the slots are)"},
    UnmodelledMetric{
        "warp_nonpred_execution_efficiency", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
        "it follows from the machine code's predicates, which PTX does not show (warp_execution_efficiency has "
        "what it does)"},
};

Value spread(const Result& r, std::string_view name) {
  if (!r.spread) return std::nullopt;
  if (name == "sms_used") return r.spread->sms_used;
  return name == "waves" ? r.spread->waves : r.spread->tail;
}

}  // namespace

std::span<const TimeMetric> time_metrics() { return rows; }
std::span<const UnmodelledMetric> unmodelled_metrics() { return refused; }

bool is_modelled(std::string_view name) {
  return name == "modelled_time" ||
         std::any_of(rows.begin(), rows.end(), [&](const auto& m) { return m.name == name; });
}

std::optional<MetricValue> metric_value(const Result& r, std::string_view name) {
  for (const auto& metric : rows)
    if (metric.name == name) {
      const auto value = metric.value(r);
      return value ? std::optional(MetricValue{*value, std::string(metric.unit), true}) : std::nullopt;
    }
  if (const auto* info = find_counter(name)) {
    const auto value = r.counters ? info->value(*r.counters) : std::nullopt;
    if (!value) return std::nullopt;
    return MetricValue{*value, info->unit == CounterUnit::ratio ? "ratio" : "", false};
  }
  if (const auto* metric = find_metric(r, name)) return MetricValue{metric->value, metric->unit, is_modelled(name)};
  if (name == "theoretical_occupancy" && r.occupancy) return MetricValue{r.occupancy->theoretical, "ratio", false};
  if (name == "blocks_per_sm" && r.occupancy)
    return MetricValue{static_cast<double>(r.occupancy->blocks_per_sm), "", false};
  if (name == "sms_used" || name == "waves" || name == "tail")
    if (const auto value = spread(r, name)) return MetricValue{*value, name == "tail" ? "ratio" : "", false};
  return std::nullopt;
}

std::string metric_text(const MetricValue& v) {
  if (v.unit == "ratio") return percent_text(v.value);
  if (v.unit == "B") return bytes_text(v.value);
  if (v.unit == "us") return duration_text(v.value / 1000);
  const bool whole = v.value == static_cast<double>(static_cast<std::int64_t>(v.value)) && v.value < 1e15;
  const auto number = v.unit.empty() && whole ? short_count(v.value) : fmt::format("{:.4g}", v.value);
  return v.unit.empty() ? number : number + " " + v.unit;
}

}  // namespace gpulab
