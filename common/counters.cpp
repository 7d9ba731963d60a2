#include "common/counters.h"

#include <algorithm>
#include <array>

namespace gpulab {
namespace {

using Field = std::uint64_t Counters::*;
using Ratio = std::optional<double> (*)(const Counters&);

constexpr std::array maxima{&Counters::global_atomic_max_lanes, &Counters::shared_atomic_max_lanes};
constexpr std::array sums{
    &Counters::warps,
    &Counters::warp_instructions,
    &Counters::thread_instructions,
    &Counters::branches,
    &Counters::divergent_branches,
    &Counters::global_load_requests,
    &Counters::global_store_requests,
    &Counters::global_ordered_load_requests,
    &Counters::global_load_sectors,
    &Counters::global_store_sectors,
    &Counters::global_bytes_loaded,
    &Counters::global_bytes_stored,
    &Counters::global_distinct_bytes_loaded,
    &Counters::global_distinct_bytes_stored,
    &Counters::global_read_footprint_bytes,
    &Counters::global_write_footprint_bytes,
    &Counters::shared_load_requests,
    &Counters::shared_store_requests,
    &Counters::shared_load_wavefronts,
    &Counters::shared_store_wavefronts,
    &Counters::shared_load_bank_conflicts,
    &Counters::shared_store_bank_conflicts,
    &Counters::local_load_sectors,
    &Counters::local_store_sectors,
    &Counters::global_atomic_requests,
    &Counters::shared_atomic_requests,
    &Counters::barriers,
};
static_assert(sizeof(Counters) == sizeof(std::uint64_t) * (sums.size() + maxima.size()),
              "a field of Counters is neither summed nor maximised");

constexpr double warp_size = 32;
constexpr double sector_bytes = 32;

std::optional<double> quotient(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}
double real(std::uint64_t count) { return static_cast<double>(count); }

template <Field field>
std::optional<double> count(const Counters& c) {
  return real(c.*field);
}
std::optional<double> warp_execution_efficiency(const Counters& c) {
  return quotient(real(c.thread_instructions), warp_size * real(c.warp_instructions));
}
std::optional<double> instructions_per_warp(const Counters& c) {
  return quotient(real(c.warp_instructions), real(c.warps));
}
std::optional<double> branch_efficiency(const Counters& c) {
  return quotient(real(c.branches - c.divergent_branches), real(c.branches));
}
std::optional<double> global_load_efficiency(const Counters& c) {
  return quotient(real(c.global_distinct_bytes_loaded), sector_bytes * real(c.global_load_sectors));
}
std::optional<double> global_store_efficiency(const Counters& c) {
  return quotient(real(c.global_distinct_bytes_stored), sector_bytes * real(c.global_store_sectors));
}
/// Wavefronts without conflicts are the ideal: one per pass of the request.
std::optional<double> shared_efficiency(const Counters& c) {
  const auto actual = c.shared_load_wavefronts + c.shared_store_wavefronts;
  const auto conflicts = c.shared_load_bank_conflicts + c.shared_store_bank_conflicts;
  return quotient(real(actual - conflicts), real(actual));
}

template <Field field>
constexpr CounterInfo counted(std::string_view name, std::string_view ncu, std::string_view nvprof,
                              std::string_view meaning) {
  return {name, ncu, nvprof, meaning, false, count<field>, field};
}
constexpr CounterInfo ratio(std::string_view name, std::string_view ncu, std::string_view nvprof,
                            std::string_view meaning, Ratio value) {
  return {name, ncu, nvprof, meaning, true, value, nullptr};
}

using C = Counters;
constexpr std::array table{
    counted<&C::warp_instructions>("warp_instructions", "smsp__inst_executed.sum", "inst_executed",
                                   "instructions issued for a warp with at least one active lane"),
    counted<&C::thread_instructions>("thread_instructions", "smsp__thread_inst_executed.sum", "thread_inst_executed",
                                     "active lanes, summed over warp instructions"),
    ratio("warp_execution_efficiency", "smsp__thread_inst_executed_per_inst_executed.ratio / 32",
          "warp_execution_efficiency", "thread instructions / (32 x warp instructions)", warp_execution_efficiency),
    CounterInfo{"instructions_per_warp", "smsp__average_inst_executed_per_warp.ratio", "inst_per_warp",
                "warp instructions / warps launched", false, instructions_per_warp, nullptr},
    counted<&C::branches>("branches", "smsp__sass_branch_targets.sum", "branch",
                          "conditional and indirect branches executed by a warp"),
    counted<&C::divergent_branches>("divergent_branches", "smsp__sass_branch_targets_threads_divergent.sum",
                                    "divergent_branch", "branches whose active lanes take two or more targets"),
    ratio("branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct", "branch_efficiency",
          "(branches - divergent branches) / branches", branch_efficiency),
    counted<&C::global_load_requests>("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                      "gld_request", "global load instructions of a warp with an active lane"),
    counted<&C::global_store_requests>("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                       "gst_request", "global store instructions of a warp with an active lane"),
    // Of the requests above, those whose number is a matter of time where they wait for other threads.
    counted<&C::global_ordered_load_requests>("global_ordered_load_requests", "", "",
                                              "global load requests that are volatile, relaxed or acquire: polls"),
    counted<&C::global_load_sectors>("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                     "gld_transactions", "distinct 32-byte sectors, per load request"),
    counted<&C::global_store_sectors>("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                      "gst_transactions", "distinct 32-byte sectors, per store request"),
    ratio("global_load_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "gld_efficiency",
          "distinct bytes that the lanes load / (32 x sectors)", global_load_efficiency),
    ratio("global_store_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "gst_efficiency",
          "distinct bytes that the lanes store / (32 x sectors)", global_store_efficiency),
    counted<&C::global_bytes_loaded>("global_bytes_loaded", "", "", "bytes that the lanes request by loads"),
    counted<&C::global_bytes_stored>("global_bytes_stored", "", "", "bytes that the lanes request by stores"),
    counted<&C::global_read_footprint_bytes>("global_read_footprint_bytes", "dram__bytes_read.sum", "dram_read_bytes",
                                             "32 x distinct sectors read in the whole launch"),
    counted<&C::global_write_footprint_bytes>("global_write_footprint_bytes", "", "",
                                              "32 x distinct sectors written in the whole launch"),
    counted<&C::shared_load_requests>("shared_load_requests", "", "",
                                      "shared load instructions of a warp with an active lane"),
    counted<&C::shared_store_requests>("shared_store_requests", "", "",
                                       "shared store instructions of a warp with an active lane"),
    counted<&C::shared_load_wavefronts>("shared_load_wavefronts",
                                        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                        "shared_ld_transactions", "passes over the 32 banks that loads take"),
    counted<&C::shared_store_wavefronts>("shared_store_wavefronts",
                                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                         "shared_st_transactions", "passes over the 32 banks that stores take"),
    counted<&C::shared_load_bank_conflicts>("shared_load_bank_conflicts",
                                            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                            "shared_ld_bank_conflict", "load wavefronts beyond the conflict-free ones"),
    counted<&C::shared_store_bank_conflicts>(
        "shared_store_bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "shared_st_bank_conflict", "store wavefronts beyond the conflict-free ones"),
    ratio("shared_efficiency", "", "shared_efficiency", "conflict-free wavefronts / wavefronts", shared_efficiency),
    counted<&C::local_load_sectors>("local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                    "local_load_transactions", "sectors of local memory, per load request"),
    counted<&C::local_store_sectors>("local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                                     "local_store_transactions", "sectors of local memory, per store request"),
    counted<&C::global_atomic_requests>(
        "global_atomic_requests", "smsp__sass_inst_executed_op_global_atom.sum + smsp__inst_executed_op_global_red.sum",
        "atom_count", "global atomic instructions of a warp with an active lane"),
    counted<&C::shared_atomic_requests>("shared_atomic_requests", "smsp__inst_executed_op_shared_atom.sum", "",
                                        "shared atomic instructions of a warp with an active lane"),
    counted<&C::global_atomic_max_lanes>("global_atomic_max_lanes", "", "",
                                         "most lanes of one global atomic request that meet on one address"),
    counted<&C::shared_atomic_max_lanes>("shared_atomic_max_lanes", "", "",
                                         "most lanes of one shared atomic request that meet on one address"),
    counted<&C::barriers>("barriers", "", "", "barrier instructions, summed over warps"),
};

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  for (Field field : sums) this->*field += other.*field;
  for (Field field : maxima) this->*field = std::max(this->*field, other.*field);
  return *this;
}

std::span<const CounterInfo> counter_table() { return table; }

}  // namespace gpulab
