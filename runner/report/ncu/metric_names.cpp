#include "runner/report/ncu/metric_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/counters.h"
#include "common/text.h"

namespace gpulab::ncu {
namespace {

using Number = std::optional<double>;

constexpr std::string_view sass = "it is a count of machine code, of which the simulator runs the PTX",
                           clocks = "clocks are not modelled", caches = "the model keeps no account of it",
                           parts = "static and dynamic bytes are known together alone";

/// A counter's name as an argument of a template.
struct Name {
  std::array<char, 64> text{};
  template <std::size_t length>
  consteval Name(const char (&given)[length]) {  // NOLINT: a literal is one
    std::copy_n(given, length, text.begin());
  }
};
template <Name counter>
Number counted(const LaunchView& launch) {
  return launch.counters == nullptr ? std::nullopt : find_counter(counter.text.data())->value(*launch.counters);
}
/// Where nothing is loaded there is no efficiency.
template <Name counter>
Number percent(const LaunchView& launch) {
  const auto ratio = counted<counter>(launch);
  return ratio ? Number(100 * *ratio) : std::nullopt;
}
template <double ModelledTime::*share>
Number busy(const LaunchView& launch) {
  return launch.model == nullptr ? std::nullopt : Number(100 * (launch.model->*share));
}
template <double WarpTime::*share>
Number stalled(const LaunchView& launch) {
  return launch.model == nullptr ? std::nullopt : Number(100 * (launch.model->warps.*share));
}
template <std::optional<int> BlockLimits::*limit>
Number block_limit(const LaunchView& launch) {
  if (!launch.limits || !(*launch.limits.*limit)) return std::nullopt;
  return *(*launch.limits.*limit);
}
double most_warps(const LaunchView& launch) { return launch.gpu->max_threads_per_sm / 32.0; }

constexpr std::array rows{
    // SpeedOfLight
    MetricRow{"dram__cycles_elapsed.avg.per_second", "DRAM Frequency", "Ghz", Source::none, nullptr, clocks},
    MetricRow{"smsp__cycles_elapsed.avg.per_second", "SM Frequency", "Ghz", Source::none, nullptr, clocks},
    MetricRow{"sm__cycles_elapsed.max", "Elapsed Cycles", "cycle", Source::none, nullptr, clocks},
    MetricRow{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput", "%",
              Source::modelled,
              [](const LaunchView& l) {
                return l.model == nullptr
                           ? std::nullopt
                           : Number(100 * std::max({l.model->l1, l.model->l2, l.model->dram, l.model->shared}));
              }},
    MetricRow{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput", "%", Source::modelled,
              busy<&ModelledTime::dram>},
    MetricRow{"gpu__time_duration.sum",
              "Duration",
              "us",
              Source::modelled,
              [](const LaunchView& l) { return l.model == nullptr ? std::nullopt : Number(1000 * l.model->kernel_ms); },
              {},
              {},
              1000,
              "ns"},
    MetricRow{"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1/TEX Cache Throughput", "%", Source::modelled,
              [](const LaunchView& l) {
                return l.model == nullptr ? std::nullopt : Number(100 * std::max(l.model->l1, l.model->shared));
              }},
    MetricRow{"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput", "%", Source::modelled,
              busy<&ModelledTime::l2>},
    MetricRow{"sm__cycles_active.avg", "SM Active Cycles", "cycle", Source::none, nullptr, clocks},
    MetricRow{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", "%", Source::modelled,
              [](const LaunchView& l) {
                return l.model == nullptr ? std::nullopt : Number(100 * std::max(l.model->issue, l.model->fp32));
              }},
    // MemoryWorkloadAnalysis
    MetricRow{"dram__bytes.sum.per_second", "Memory Throughput", "Gbyte/s", Source::none, nullptr, caches,
              "global_read_footprint_bytes"},
    MetricRow{"gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed", "Mem Busy", "%", Source::none,
              nullptr, caches},
    MetricRow{"l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate", "%", Source::none, nullptr, caches},
    MetricRow{"lts__t_sector_hit_rate.pct", "L2 Hit Rate", "%", Source::none, nullptr, caches},
    MetricRow{"gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed", "Max Bandwidth", "%",
              Source::none, nullptr, caches},
    MetricRow{"sm__memory_throughput.avg.pct_of_peak_sustained_elapsed", "Mem Pipes Busy", "%", Source::none, nullptr,
              caches},
    MetricRow{"dram__bytes_read.sum", "", "byte", Source::none, nullptr, caches, "global_read_footprint_bytes"},
    MetricRow{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", "", Source::counted,
              counted<"global_load_requests">},
    MetricRow{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "", "", Source::counted,
              counted<"global_store_requests">},
    MetricRow{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "", "sector", Source::counted,
              counted<"global_load_sectors">},
    MetricRow{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "", "sector", Source::counted,
              counted<"global_store_sectors">},
    MetricRow{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "", "sector", Source::counted,
              counted<"local_load_sectors">},
    MetricRow{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "", "sector", Source::counted,
              counted<"local_store_sectors">},
    MetricRow{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "", "", Source::counted,
              counted<"shared_load_wavefronts">},
    MetricRow{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "", "", Source::counted,
              counted<"shared_store_wavefronts">},
    MetricRow{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "", "", Source::counted,
              counted<"shared_load_bank_conflicts">},
    MetricRow{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "", "", Source::counted,
              counted<"shared_store_bank_conflicts">},
    MetricRow{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "", "%", Source::counted,
              percent<"global_load_efficiency">},
    MetricRow{"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "", "%", Source::counted,
              percent<"global_store_efficiency">},
    MetricRow{"smsp__inst_executed_op_shared_atom.sum", "", "inst", Source::counted, counted<"shared_atomic_requests">},
    // Occupancy
    MetricRow{"launch__occupancy_limit_blocks", "Block Limit SM", "block", Source::launch,
              block_limit<&BlockLimits::blocks>},
    MetricRow{"launch__occupancy_limit_registers", "Block Limit Registers", "block", Source::launch,
              block_limit<&BlockLimits::registers>},
    MetricRow{"launch__occupancy_limit_shared_mem", "Block Limit Shared Mem", "block", Source::none, nullptr,
              "it follows the carve-out that the driver chooses", "shared_limit"},
    MetricRow{"launch__occupancy_limit_warps", "Block Limit Warps", "block", Source::launch,
              block_limit<&BlockLimits::warps>},
    MetricRow{"sm__maximum_warps_avg_per_active_cycle", "Theoretical Active Warps per SM", "warp", Source::launch,
              [](const LaunchView& l) {
                return l.occupancy ? Number(l.occupancy->theoretical * most_warps(l)) : std::nullopt;
              }},
    MetricRow{"sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy", "%", Source::launch,
              [](const LaunchView& l) { return l.occupancy ? Number(100 * l.occupancy->theoretical) : std::nullopt; }},
    MetricRow{"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy", "%", Source::modelled,
              busy<&ModelledTime::achieved_occupancy>},
    MetricRow{"sm__warps_active.avg.per_cycle_active", "Achieved Active Warps Per SM", "warp", Source::modelled,
              [](const LaunchView& l) {
                return l.model == nullptr ? std::nullopt : Number(l.model->achieved_occupancy * most_warps(l));
              }},
    // LaunchStats
    MetricRow{"launch__block_size", "Block Size", "", Source::launch,
              [](const LaunchView& l) { return Number(static_cast<double>(l.block.volume())); }},
    MetricRow{"launch__func_cache_config", "Function Cache Configuration", "", Source::none, nullptr,
              "the driver chooses it"},
    MetricRow{"launch__grid_size", "Grid Size", "", Source::launch,
              [](const LaunchView& l) { return Number(static_cast<double>(l.grid.volume())); }},
    MetricRow{"launch__registers_per_thread", "Registers Per Thread", "register/thread", Source::launch,
              [](const LaunchView& l) { return l.registers ? Number(*l.registers) : std::nullopt; }},
    MetricRow{"launch__shared_mem_config_size", "Shared Memory Configuration Size", "byte", Source::none, nullptr,
              "the driver chooses it"},
    MetricRow{"launch__shared_mem_per_block_driver", "Driver Shared Memory Per Block", "byte/block", Source::launch,
              [](const LaunchView& l) { return Number(static_cast<double>(l.gpu->reserved_shared_bytes_per_block)); }},
    MetricRow{"launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block", "byte/block", Source::none,
              nullptr, parts, "shared_bytes"},
    MetricRow{"launch__shared_mem_per_block_static", "Static Shared Memory Per Block", "byte/block", Source::none,
              nullptr, parts, "shared_bytes"},
    MetricRow{"launch__sm_count", "# SMs", "SM", Source::launch,
              [](const LaunchView& l) { return Number(l.gpu->sm_count); }},
    MetricRow{"launch__thread_count", "Threads", "thread", Source::launch,
              [](const LaunchView& l) { return Number(static_cast<double>(l.grid.volume() * l.block.volume())); }},
    MetricRow{"launch__waves_per_multiprocessor", "Waves Per SM", "", Source::launch,
              [](const LaunchView& l) { return l.spread ? l.spread->waves : std::nullopt; }},
    // WarpStateStats
    MetricRow{"smsp__average_warp_latency_per_inst_issued.ratio", "Warp Cycles Per Issued Instruction", "cycle",
              Source::none, nullptr, clocks},
    MetricRow{"smsp__average_warps_active_per_inst_executed.ratio", "Warp Cycles Per Executed Instruction", "cycle",
              Source::none, nullptr, clocks},
    MetricRow{"smsp__thread_inst_executed_per_inst_executed.ratio", "Avg. Active Threads Per Warp", "", Source::none,
              nullptr, sass, "active_lanes"},
    MetricRow{"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "Avg. Not Predicated Off Threads Per Warp",
              "", Source::none, nullptr, sass},
    MetricRow{"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "", "%", Source::modelled,
              stalled<&WarpTime::memory>},
    MetricRow{"smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct", "", "%", Source::modelled,
              stalled<&WarpTime::shared>},
    MetricRow{"smsp__warp_issue_stalled_barrier_per_warp_active.pct", "", "%", Source::modelled,
              stalled<&WarpTime::barrier>},
    MetricRow{"smsp__warp_issue_stalled_wait_per_warp_active.pct", "", "%", Source::modelled,
              stalled<&WarpTime::result>},
    // SourceCounters
    MetricRow{"smsp__inst_executed_op_branch_per_inst_executed.ratio", "Branch Instructions Ratio", "%", Source::none,
              nullptr, sass},
    MetricRow{"smsp__inst_executed_op_branch.sum", "Branch Instructions", "inst", Source::none, nullptr, sass,
              "branches"},
    MetricRow{"smsp__sass_average_branch_targets_threads_uniform.pct", "Branch Efficiency", "%", Source::none, nullptr,
              sass, "branch_efficiency"},
    MetricRow{"smsp__sass_branch_targets_threads_divergent.avg", "Avg. Divergent Branches", "", Source::none, nullptr,
              sass, "divergent_branches"},
    // By --metrics alone.
    MetricRow{"smsp__inst_executed.sum", "", "inst", Source::none, nullptr, sass, "warp_instructions"},
    MetricRow{"smsp__thread_inst_executed.sum", "", "inst", Source::none, nullptr, sass, "thread_instructions"},
    MetricRow{"smsp__sass_branch_targets.sum", "", "", Source::none, nullptr, sass, "branches"},
    MetricRow{"smsp__sass_branch_targets_threads_divergent.sum", "", "", Source::none, nullptr, sass,
              "divergent_branches"},
    MetricRow{"smsp__inst_executed_op_global_red.sum", "", "inst", Source::none, nullptr, sass,
              "global_atomic_requests"},
    MetricRow{"smsp__inst_executed_op_shared_ld.sum", "", "inst", Source::none, nullptr, sass, "shared_load_requests"},
    MetricRow{"smsp__inst_executed_op_shared_st.sum", "", "inst", Source::none, nullptr, sass, "shared_store_requests"},
};

/// The rows from one name to another, both of them in it.
std::vector<std::string_view> between(std::string_view first, std::string_view last) {
  std::vector<std::string_view> names;
  bool inside = false;
  for (const auto& row : rows) {
    inside = inside || row.name == first;
    if (inside) names.push_back(row.name);
    if (row.name == last) break;
  }
  return names;
}

const std::vector<Section>& all_sections() {
  static const std::vector<Section> all{
      {"SpeedOfLight", "GPU Speed Of Light Throughput",
       between("dram__cycles_elapsed.avg.per_second", "sm__throughput.avg.pct_of_peak_sustained_elapsed")},
      {"MemoryWorkloadAnalysis", "Memory Workload Analysis",
       between("dram__bytes.sum.per_second", "smsp__inst_executed_op_shared_atom.sum")},
      {"LaunchStats", "Launch Statistics", between("launch__block_size", "launch__waves_per_multiprocessor")},
      {"Occupancy", "Occupancy", between("launch__occupancy_limit_blocks", "sm__warps_active.avg.per_cycle_active")},
      {"WarpStateStats", "Warp State Statistics",
       between("smsp__average_warp_latency_per_inst_issued.ratio",
               "smsp__warp_issue_stalled_wait_per_warp_active.pct")},
      {"SourceCounters", "Source Counters",
       between("smsp__inst_executed_op_branch_per_inst_executed.ratio",
               "smsp__sass_branch_targets_threads_divergent.avg")},
  };
  return all;
}

constexpr std::array<std::string_view, 13> unknown{"C2CLink",
                                                   "ComputeWorkloadAnalysis",
                                                   "InstructionStats",
                                                   "MemoryWorkloadAnalysis_Chart",
                                                   "MemoryWorkloadAnalysis_Tables",
                                                   "NumaAffinity",
                                                   "Nvlink",
                                                   "Nvlink_Tables",
                                                   "Nvlink_Topology",
                                                   "PmSampling",
                                                   "SchedulerStats",
                                                   "SpeedOfLight_RooflineChart",
                                                   "WorkloadDistribution"};

}  // namespace

std::string_view word_of(Source source) {
  constexpr std::array<std::string_view, 4> words{"counted", "launch", "modelled", "n/a"};
  return words[static_cast<std::size_t>(source)];
}

std::span<const MetricRow> metric_rows() { return rows; }
std::span<const Section> sections() { return all_sections(); }
std::span<const std::string_view> unknown_sections() { return unknown; }

const MetricRow* find_metric(std::string_view name) {
  const auto found = std::ranges::find(rows, name, &MetricRow::name);
  return found == rows.end() ? nullptr : &*found;
}

const MetricRow* find_label(std::string_view section_title, std::string_view label) {
  for (const auto& section : all_sections())
    if (section.title == section_title)
      for (const auto name : section.metrics)
        if (const auto* row = find_metric(name); row->label == label || row->name == label) return row;
  return find_metric(label);
}

Value value_of(const MetricRow& row, const LaunchView& launch) {
  if (row.source == Source::none) return {std::nullopt, std::string(row.why)};
  if (const auto number = row.value(launch)) return {number, {}};
  if (row.source == Source::modelled)
    return {std::nullopt, launch.kernel->model_unavailable.empty()
                              ? "of this launch nothing is known by itself: one of the kernel's has failed"
                              : launch.kernel->model_unavailable};
  if (row.source == Source::counted && launch.counters == nullptr)
    return {std::nullopt, "a launch of this kernel failed: it is not known which counts are whose"};
  return {std::nullopt, "the launch has none"};
}

std::string ours_text(const MetricRow& row, const LaunchView& launch) {
  if (row.ours.empty()) return {};
  if (row.ours == "shared_bytes")
    return fmt::format("shared memory, static and dynamic: {} bytes", launch.shared_bytes);
  if (row.ours == "shared_limit") {
    const auto limit = block_limit<&BlockLimits::shared>(launch);
    return limit ? fmt::format("blocks that an SM's shared memory has room for: {}", number_text(*limit))
                 : std::string();
  }
  const auto* counter = find_counter(row.ours);
  const auto value = launch.counters == nullptr || counter == nullptr ? std::nullopt : counter->value(*launch.counters);
  return value ? fmt::format("{} {}", row.ours, number_text(*value)) : std::string();
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return value < 0 ? fmt::format("{}", value) : grouped(static_cast<std::uint64_t>(value));
  const auto whole = std::floor(std::abs(value));
  const auto text = fmt::format("{:.2f}", value);
  if (whole < 1000) return text;
  return grouped(static_cast<std::uint64_t>(whole)) + text.substr(text.find('.'));
}

}  // namespace gpulab::ncu
