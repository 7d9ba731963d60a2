#pragma once
// The counters of a launch, one row each: name, unit, definition, the profilers' names, where reports show it. Sums,
// the table, CSV, JSON, `list --metrics`, `explain` and what workers send follow from the rows, and nothing else names
// a counter but the code that counts it.
//
// A new count is a row of `counted_rows` and the line that counts it, `c["its_name"] += …`, most often in
// simt/counting/statistics.cpp. A new counter that follows from others is a row of counters.cpp.
//
// All are counts of the PTX that was executed. Those of instructions and branches differ from a GPU's by nature: it
// counts its machine code, in which ptxas has turned short branches into predicates, unrolled and fused. Those that
// follow from addresses (requests, sectors, wavefronts, efficiencies) equal a GPU's, but where ptxas merges, removes or
// hoists an access (tests/fidelity/README.md).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gpulab {

/// count: whole numbers; ratio: 0 to 1; mean: of counts, such as instructions per warp.
enum class CounterUnit : std::uint8_t { count, ratio, mean };
/// What several launches (lines, phases, workers) have together.
enum class CounterTotal : std::uint8_t { sum, maximum };

/// A paragraph of one case's page.
struct CounterGroup {
  std::string_view title;
  bool loads_and_stores;  ///< in two columns
  bool zeros;             ///< lines whose counts are all 0 are shown, too
};
inline constexpr CounterGroup instruction_counters{"instructions", false, true},
    global_counters{"global memory", true, true}, shared_counters{"shared memory", true, true},
    local_counters{"local memory", true, true}, atomic_counters{"atomics", false, false};

struct CounterRow {
  std::string_view name{};  ///< in JSON and CSV
  CounterUnit unit = CounterUnit::count;
  std::string_view definition{};
  std::string_view ncu{}, nvprof{};  ///< Nsight Compute's name and nvprof's; empty: it has none
  CounterTotal total = CounterTotal::sum;
  /// Off: others follow from it, or a column shows it, but JSON, CSV and `list --metrics` do not name it.
  bool reported = true;
  /// May say why one kernel is faster than another; others, such as bytes asked for, only go with these.
  bool tells = false;

  /// On the page of one case. Loads and stores of one label share a line.
  struct {
    const CounterGroup* group = nullptr;  ///< null: not there
    std::string_view label{};
    bool stores = false;
    std::string_view per{};     ///< the counter of requests that its cost is also divided by
    std::string_view behind{};  ///< the counter behind whose line it stands; empty: in the order of rows
  } page{};
  /// Column of a ladder of several cases: two lines of heading; where width is short, the highest priority number goes
  /// first.
  struct {
    std::string_view heading{}, second{};  ///< empty: no column
    int priority = 0;
  } ladder{};
  /// Column left of each source line in `explain`.
  struct {
    std::string_view heading{}, second{};  ///< empty: no column
    std::size_t width = 0;
  } line{};
};

/// What is counted.
inline constexpr std::array counted_rows{
    CounterRow{.name = "warps", .definition = "warps launched", .reported = false},
    CounterRow{.name = "warp_instructions",
               .definition = "instructions issued for a warp with at least one active lane",
               .ncu = "smsp__inst_executed.sum",
               .nvprof = "inst_executed",
               .tells = true,
               .page = {&instruction_counters, "warp instructions"},
               .ladder = {"warp", "instr.", 1},
               .line = {"warp", "instr.", 8}},
    CounterRow{.name = "thread_instructions",
               .definition = "active lanes, summed over warp instructions",
               .ncu = "smsp__thread_inst_executed.sum",
               .nvprof = "thread_inst_executed",
               .page = {&instruction_counters, "thread instructions"}},
    CounterRow{.name = "branches",
               .definition = "conditional and indirect branches executed by a warp",
               .ncu = "smsp__sass_branch_targets.sum",
               .nvprof = "branch",
               .page = {&instruction_counters, "branches"}},
    CounterRow{.name = "divergent_branches",
               .definition = "branches whose active lanes take two or more targets",
               .ncu = "smsp__sass_branch_targets_threads_divergent.sum",
               .nvprof = "divergent_branch",
               .page = {&instruction_counters, "divergent branches"}},
    CounterRow{.name = "global_load_requests",
               .definition = "global load instructions of a warp with an active lane",
               .ncu = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
               .nvprof = "gld_request",
               .page = {&global_counters, "requests"}},
    CounterRow{.name = "global_store_requests",
               .definition = "global store instructions of a warp with an active lane",
               .ncu = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
               .nvprof = "gst_request",
               .page = {&global_counters, "requests", true}},
    // Of the load requests, those whose number is a matter of time where they wait for other threads.
    CounterRow{.name = "global_ordered_load_requests",
               .definition = "global load requests that are volatile, relaxed or acquire: polls"},
    CounterRow{.name = "global_load_sectors",
               .definition = "distinct 32-byte sectors, per load request",
               .ncu = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
               .nvprof = "gld_transactions",
               .tells = true,
               .page = {&global_counters, "sectors of 32 B", false, "global_load_requests"}},
    CounterRow{.name = "global_store_sectors",
               .definition = "distinct 32-byte sectors, per store request",
               .ncu = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
               .nvprof = "gst_transactions",
               .tells = true,
               .page = {&global_counters, "sectors of 32 B", true, "global_store_requests"}},
    CounterRow{.name = "global_distinct_bytes_loaded",
               .definition = "bytes that the lanes of a load request ask for, each once",
               .reported = false},
    CounterRow{.name = "global_distinct_bytes_stored",
               .definition = "bytes that the lanes of a store request ask for, each once",
               .reported = false},
    CounterRow{.name = "global_bytes_loaded",
               .definition = "bytes that the lanes request by loads",
               .page = {&global_counters, "bytes asked for"}},
    CounterRow{.name = "global_bytes_stored",
               .definition = "bytes that the lanes request by stores",
               .page = {&global_counters, "bytes asked for", true}},
    CounterRow{.name = "global_read_footprint_bytes",
               .definition = "32 x distinct sectors read in the whole launch",
               .ncu = "dram__bytes_read.sum",
               .nvprof = "dram_read_bytes",
               .page = {&global_counters, "footprint in bytes"}},
    // The hardware keeps most writes in its L2, so that no counter of its DRAM stands for these.
    CounterRow{.name = "global_write_footprint_bytes",
               .definition = "32 x distinct sectors written in the whole launch",
               .page = {&global_counters, "footprint in bytes", true}},
    // The profilers' counts of shared requests include warps whose lanes are all switched off: no name for these.
    CounterRow{.name = "shared_load_requests",
               .definition = "shared load instructions of a warp with an active lane",
               .page = {&shared_counters, "requests"}},
    CounterRow{.name = "shared_store_requests",
               .definition = "shared store instructions of a warp with an active lane",
               .page = {&shared_counters, "requests", true}},
    // How many passes an access takes: simt/counting/access.cpp.
    CounterRow{.name = "shared_load_wavefronts",
               .definition = "passes over the 32 banks that loads take",
               .ncu = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
               .nvprof = "shared_ld_transactions",
               .page = {&shared_counters, "wavefronts", false, "shared_load_requests"}},
    CounterRow{.name = "shared_store_wavefronts",
               .definition = "passes over the 32 banks that stores take",
               .ncu = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
               .nvprof = "shared_st_transactions",
               .page = {&shared_counters, "wavefronts", true, "shared_store_requests"}},
    CounterRow{.name = "shared_load_bank_conflicts",
               .definition = "load wavefronts beyond the conflict-free ones",
               .ncu = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
               .nvprof = "shared_ld_bank_conflict",
               .tells = true,
               .page = {&shared_counters, "bank conflicts", false, "shared_load_requests"}},
    CounterRow{.name = "shared_store_bank_conflicts",
               .definition = "store wavefronts beyond the conflict-free ones",
               .ncu = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
               .nvprof = "shared_st_bank_conflict",
               .tells = true,
               .page = {&shared_counters, "bank conflicts", true, "shared_store_requests"}},
    // Indexed local arrays alone: PTX has no spills, and ptxas tells those. Word w of lane l lies at w * 128 + 4 * l.
    // Generic accesses count where they go, as on an H100: of a warp whose lanes are all in local memory it counts no
    // global request. One whose lanes are in both makes a request to each here; there it is not the same in each run.
    CounterRow{.name = "local_load_sectors",
               .definition = "sectors of local memory, per load request; of generic loads those that reach it",
               .ncu = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
               .nvprof = "local_load_transactions",
               .tells = true,
               .page = {&local_counters, "sectors of 32 B"}},
    CounterRow{.name = "local_store_sectors",
               .definition = "sectors of local memory, per store request; of generic stores those that reach it",
               .ncu = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
               .nvprof = "local_store_transactions",
               .page = {&local_counters, "sectors of 32 B", true}},
    CounterRow{.name = "global_atomic_requests",
               .definition = "global atomic instructions of a warp with an active lane",
               .ncu = "smsp__sass_inst_executed_op_global_atom.sum + smsp__inst_executed_op_global_red.sum",
               .nvprof = "atom_count",
               .tells = true,
               .page = {&atomic_counters, "global requests"}},
    CounterRow{.name = "shared_atomic_requests",
               .definition = "shared atomic instructions of a warp with an active lane",
               .ncu = "smsp__inst_executed_op_shared_atom.sum",
               .tells = true,
               .page = {&atomic_counters, "shared requests"}},
    CounterRow{.name = "global_atomic_max_lanes",
               .definition = "most lanes of one global atomic request that meet on one address",
               .total = CounterTotal::maximum,
               .page = {.group = &atomic_counters,
                        .label = "  most lanes on one address",
                        .behind = "global_atomic_requests"}},
    CounterRow{.name = "shared_atomic_max_lanes",
               .definition = "most lanes of one shared atomic request that meet on one address",
               .total = CounterTotal::maximum,
               .page = {.group = &atomic_counters,
                        .label = "  most lanes on one address",
                        .behind = "shared_atomic_requests"}},
    CounterRow{.name = "barriers",
               .definition = "barrier instructions, summed over warps",
               .tells = true,
               .page = {&instruction_counters, "barrier instructions"},
               .ladder = {"barriers", {}, 5}},
    // Of a launch, as its blocks' clocks have it (BlockContext::executed), not of a line. Several launches: sums, so
    // that block_imbalance is their mean, weighted by what each executed.
    CounterRow{.name = "block_instructions",
               .definition = "instructions that warps issue, also those that a guard switches off",
               .reported = false},
    CounterRow{.name = "busiest_block_instructions",
               .definition = "block_instructions, if all blocks of a launch executed as many as its busiest",
               .reported = false},
};

/// A row of `counted_rows` by its name, found by the compiler: a name that no row has does not compile.
class CountName {
 public:
  consteval CountName(const char* name) {
    while (counted_rows.at(index_).name != name) ++index_;
  }
  [[nodiscard]] constexpr std::size_t index() const { return index_; }

 private:
  std::size_t index_ = 0;
};

struct Counters {
  std::array<std::uint64_t, counted_rows.size()> counts{};  ///< of each row
  constexpr std::uint64_t& operator[](CountName name) { return counts[name.index()]; }
  constexpr std::uint64_t operator[](CountName name) const { return counts[name.index()]; }
  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;
};

/// A row, and how its value is had.
struct CounterInfo : CounterRow {
  std::optional<std::size_t> counted{};                   ///< which of Counters::counts it is
  std::optional<double> (*derive)(const Counters&) = {};  ///< else what it follows by

  [[nodiscard]] std::optional<std::uint64_t> count(const Counters& c) const {
    return counted ? std::optional(c.counts[*counted]) : std::nullopt;
  }
  /// Absent where there is nothing to divide by (no loads: no load efficiency).
  [[nodiscard]] std::optional<double> value(const Counters& c) const {
    return counted ? std::optional(static_cast<double>(c.counts[*counted])) : derive(c);
  }
};

/// The counters that JSON, CSV and `list --metrics` report, in their order.
[[nodiscard]] std::span<const CounterInfo> counter_table();
/// These and those that only columns show.
[[nodiscard]] std::span<const CounterInfo> counters_and_columns();
/// A reported counter, or null.
[[nodiscard]] const CounterInfo* find_counter(std::string_view name);

}  // namespace gpulab
