#include "common/counters.h"

#include <algorithm>
#include <functional>

namespace gpulab {
namespace {

constexpr double warp_size = 32;
constexpr double sector_bytes = 32;

using Value = std::optional<double>;

Value quotient(double part, double whole) { return whole == 0 ? std::nullopt : Value(part / whole); }
double real(std::uint64_t count) { return static_cast<double>(count); }
/// A column says nothing where there is nothing.
Value unless_none(std::uint64_t count) { return count == 0 ? std::nullopt : Value(real(count)); }

std::uint64_t global_requests(const Counters& c) { return c["global_load_requests"] + c["global_store_requests"]; }
std::uint64_t global_sectors(const Counters& c) { return c["global_load_sectors"] + c["global_store_sectors"]; }
std::uint64_t wavefronts(const Counters& c) { return c["shared_load_wavefronts"] + c["shared_store_wavefronts"]; }
std::uint64_t bank_conflicts(const Counters& c) {
  return c["shared_load_bank_conflicts"] + c["shared_store_bank_conflicts"];
}

/// The cost of a request: that of loads or that of stores, whichever is larger. A mean over both would hide the worse
/// one.
Value of_the_worse(std::uint64_t loads, std::uint64_t load_requests, std::uint64_t stores,
                   std::uint64_t store_requests) {
  if (load_requests + store_requests == 0) return std::nullopt;
  return std::max(quotient(real(loads), real(load_requests)).value_or(0),
                  quotient(real(stores), real(store_requests)).value_or(0));
}

/// What follows from counts. It stands behind the row that `after` names.
struct DerivedRow {
  std::string_view after;
  CounterRow row;
  Value (*value)(const Counters&);
};

constexpr std::array derived_rows{
    DerivedRow{
        "thread_instructions",
        {.name = "active_lanes",
         .unit = CounterUnit::mean,
         .definition = "thread instructions / warp instructions",
         .reported = false,
         .line = {"active", "lanes", 7}},
        [](const Counters& c) { return quotient(real(c["thread_instructions"]), real(c["warp_instructions"])); }},
    DerivedRow{"active_lanes",
               {.name = "warp_execution_efficiency",
                .unit = CounterUnit::ratio,
                .definition = "thread instructions / (32 x warp instructions)",
                .ncu = "smsp__thread_inst_executed_per_inst_executed.ratio / 32",
                .nvprof = "warp_execution_efficiency",
                .tells = true,
                .page = {&instruction_counters, "warp execution efficiency"},
                .ladder = {"warp", "eff.", 2}},
               [](const Counters& c) {
                 return quotient(real(c["thread_instructions"]), warp_size * real(c["warp_instructions"]));
               }},
    DerivedRow{
        "warp_execution_efficiency",
        {.name = "instructions_per_warp",
         .unit = CounterUnit::mean,
         .definition = "warp instructions / warps launched",
         .ncu = "smsp__average_inst_executed_per_warp.ratio",
         .nvprof = "inst_per_warp",
         .page = {.group = &instruction_counters, .label = "instructions per warp", .behind = "thread_instructions"}},
        [](const Counters& c) { return quotient(real(c["warp_instructions"]), real(c["warps"])); }},
    // The lecture's formula: 200 branches of which 50 diverge are 75 % efficient.
    DerivedRow{
        "divergent_branches",
        {.name = "branch_efficiency",
         .unit = CounterUnit::ratio,
         .definition = "(branches - divergent branches) / branches",
         .ncu = "smsp__sass_average_branch_targets_threads_uniform.pct",
         .nvprof = "branch_efficiency",
         .tells = true,
         .page = {&instruction_counters, "branch efficiency"},
         .ladder = {"branch", "eff.", 3}},
        [](const Counters& c) { return quotient(real(c["branches"] - c["divergent_branches"]), real(c["branches"])); }},
    DerivedRow{"branch_efficiency",
               {.name = "branches_that_diverge",
                .unit = CounterUnit::ratio,
                .definition = "divergent branches / branches",
                .reported = false,
                .line = {"branches", "diverge", 9}},
               [](const Counters& c) { return quotient(real(c["divergent_branches"]), real(c["branches"])); }},
    DerivedRow{"global_store_sectors",
               {.name = "global_load_efficiency",
                .unit = CounterUnit::ratio,
                .definition = "distinct bytes that the lanes load / (32 x sectors)",
                .ncu = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                .nvprof = "gld_efficiency",
                .tells = true,
                .page = {&global_counters, "efficiency"},
                .ladder = {"load", "eff.", 1}},
               [](const Counters& c) {
                 return quotient(real(c["global_distinct_bytes_loaded"]),
                                 sector_bytes * real(c["global_load_sectors"]));
               }},
    DerivedRow{"global_load_efficiency",
               {.name = "global_store_efficiency",
                .unit = CounterUnit::ratio,
                .definition = "distinct bytes that the lanes store / (32 x sectors)",
                .ncu = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
                .nvprof = "gst_efficiency",
                .tells = true,
                .page = {&global_counters, "efficiency", true},
                .ladder = {"store", "eff.", 1}},
               [](const Counters& c) {
                 return quotient(real(c["global_distinct_bytes_stored"]),
                                 sector_bytes * real(c["global_store_sectors"]));
               }},
    DerivedRow{"global_store_efficiency",
               {.name = "global_requests",
                .definition = "global load and store requests",
                .reported = false,
                .line = {"global", "requests", 9}},
               [](const Counters& c) { return unless_none(global_requests(c)); }},
    // Apart: the mean of a load of 4 and a store of 32 is 18, which is neither's.
    DerivedRow{
        "global_requests",
        {.name = "sectors_per_global_load",
         .unit = CounterUnit::mean,
         .definition = "global load sectors / global load requests",
         .reported = false,
         .line = {"sectors", "/load", 8}},
        [](const Counters& c) { return quotient(real(c["global_load_sectors"]), real(c["global_load_requests"])); }},
    DerivedRow{
        "sectors_per_global_load",
        {.name = "sectors_per_global_store",
         .unit = CounterUnit::mean,
         .definition = "global store sectors / global store requests",
         .reported = false,
         .line = {"sectors", "/store", 8}},
        [](const Counters& c) { return quotient(real(c["global_store_sectors"]), real(c["global_store_requests"])); }},
    DerivedRow{"sectors_per_global_store",
               {.name = "global_bytes_used",
                .unit = CounterUnit::ratio,
                .definition = "distinct bytes that the lanes load and store / (32 x sectors)",
                .reported = false,
                .line = {"bytes", "used", 6}},
               [](const Counters& c) {
                 return quotient(real(c["global_distinct_bytes_loaded"] + c["global_distinct_bytes_stored"]),
                                 sector_bytes * real(global_sectors(c)));
               }},
    // 4 for words side by side, 32 for words far apart.
    DerivedRow{"global_bytes_used",
               {.name = "sectors_per_worse_global_request",
                .unit = CounterUnit::mean,
                .definition = "global sectors per request, of loads or stores, whichever takes more",
                .reported = false,
                .ladder = {"sectors/", "request", 5}},
               [](const Counters& c) {
                 return of_the_worse(c["global_load_sectors"], c["global_load_requests"], c["global_store_sectors"],
                                     c["global_store_requests"]);
               }},
    // Wavefronts without conflicts are the ideal: one per pass of the request.
    DerivedRow{
        "shared_store_bank_conflicts",
        {.name = "shared_efficiency",
         .unit = CounterUnit::ratio,
         .definition = "conflict-free wavefronts / wavefronts",
         .nvprof = "shared_efficiency",
         .page = {&shared_counters, "efficiency, both"}},
        [](const Counters& c) { return quotient(real(wavefronts(c) - bank_conflicts(c)), real(wavefronts(c))); }},
    DerivedRow{"shared_efficiency",
               {.name = "shared_wavefronts",
                .definition = "wavefronts of shared loads and stores",
                .reported = false,
                .line = {"shared", "wavefr.", 8}},
               [](const Counters& c) { return unless_none(wavefronts(c)); }},
    DerivedRow{"shared_wavefronts",
               {.name = "bank_conflicts",
                .definition = "wavefronts of shared loads and stores beyond the conflict-free ones",
                .reported = false,
                .line = {"bank", "conflicts", 10}},
               [](const Counters& c) { return wavefronts(c) == 0 ? std::nullopt : Value(real(bank_conflicts(c))); }},
    // 0 is clean, 31 the worst.
    DerivedRow{"bank_conflicts",
               {.name = "bank_conflicts_per_worse_shared_request",
                .unit = CounterUnit::mean,
                .definition = "bank conflicts per shared request, of loads or stores, whichever has more",
                .reported = false,
                .ladder = {"bank confl.", "/request", 1}},
               [](const Counters& c) {
                 return of_the_worse(c["shared_load_bank_conflicts"], c["shared_load_requests"],
                                     c["shared_store_bank_conflicts"], c["shared_store_requests"]);
               }},
    DerivedRow{"barriers",
               {.name = "barrier_instructions",
                .definition = "barriers, of a line",
                .reported = false,
                .line = {"barrier", "instr.", 8}},
               [](const Counters& c) { return unless_none(c["barriers"]); }},
    DerivedRow{"busiest_block_instructions",
               {.name = "block_imbalance",
                .unit = CounterUnit::mean,
                .definition = "instructions of the busiest block / those of a block on average; 1: all work alike",
                .tells = true,
                .page = {&instruction_counters, "busiest block / mean"},
                .ladder = {"busiest", "/mean", 3}},
               [](const Counters& c) {
                 return quotient(real(c["busiest_block_instructions"]), real(c["block_instructions"]));
               }},
    DerivedRow{
        "shared_atomic_max_lanes",
        {.name = "atomic_requests",
         .definition = "global and shared atomic requests",
         .reported = false,
         .ladder = {"atomics", {}, 4},
         .line = {"atomic", "requests", 9}},
        [](const Counters& c) { return unless_none(c["global_atomic_requests"] + c["shared_atomic_requests"]); }},
};

/// All rows in the order of reports. A name in `after` that no row has ends the compilation.
constexpr auto ordered_rows = [] {
  std::array<CounterInfo, counted_rows.size() + derived_rows.size()> rows{};
  std::size_t size = counted_rows.size();
  for (std::size_t i = 0; i < size; ++i) rows[i] = {counted_rows[i], i, {}};
  for (const DerivedRow& derived : derived_rows) {
    std::size_t at = 0;
    while (rows.at(at++).name != derived.after) continue;
    std::shift_right(rows.begin() + at, rows.begin() + ++size, 1);
    rows[at] = {derived.row, {}, derived.value};
  }
  return rows;
}();

constexpr std::size_t reported_count = static_cast<std::size_t>(
    std::count_if(ordered_rows.begin(), ordered_rows.end(), std::mem_fn(&CounterRow::reported)));
constexpr auto reported_rows = [] {
  std::array<CounterInfo, reported_count> rows{};
  std::copy_if(ordered_rows.begin(), ordered_rows.end(), rows.begin(), std::mem_fn(&CounterRow::reported));
  return rows;
}();

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool sum = counted_rows[i].total == CounterTotal::sum;
    counts[i] = sum ? counts[i] + other.counts[i] : std::max(counts[i], other.counts[i]);
  }
  return *this;
}

std::span<const CounterInfo> counter_table() { return reported_rows; }
std::span<const CounterInfo> counters_and_columns() { return ordered_rows; }

const CounterInfo* find_counter(std::string_view name) {
  const auto it = std::find_if(reported_rows.begin(), reported_rows.end(),
                               [&](const CounterInfo& info) { return info.name == name; });
  return it == reported_rows.end() ? nullptr : &*it;
}

}  // namespace gpulab
