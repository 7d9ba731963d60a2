#include "labs/occupancy/calculator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/demangle.h"
#include "common/embedded.h"
#include "common/occupancy.h"
#include "common/text.h"

namespace gpulab::labs::occupancy {
namespace {

constexpr int warp_size = 32;
constexpr int max_registers = 255;  // per thread, since compute capability 3.5

/// What a kernel asks of an SM.
struct Demand {
  int registers = 0;
  std::size_t shared = 0;
  int threads = 0;  ///< per block
};

/// The answer on one GPU.
class Sm {
 public:
  Sm(const GpuProfile& gpu, const Demand& demand) : gpu_(gpu), demand_(demand), now_(of(demand)) {}

  [[nodiscard]] const Occupancy& now() const { return now_; }
  [[nodiscard]] Occupancy of(const Demand& d) const {
    return gpulab::occupancy(gpu_, d.registers, 0, d.shared, d.threads).value_or(Occupancy{});
  }
  [[nodiscard]] Occupancy with_registers(int registers) const {
    return of({registers, demand_.shared, demand_.threads});
  }
  [[nodiscard]] Occupancy with_shared(std::size_t shared) const {
    return of({demand_.registers, shared, demand_.threads});
  }
  [[nodiscard]] Occupancy with_threads(int threads) const { return of({demand_.registers, demand_.shared, threads}); }
  [[nodiscard]] BlockLimits limits() const {
    return block_limits(gpu_, demand_.registers, 0, demand_.shared, demand_.threads).value_or(BlockLimits{});
  }
  [[nodiscard]] const GpuProfile& gpu() const { return gpu_; }
  [[nodiscard]] const Demand& demand() const { return demand_; }
  [[nodiscard]] int max_warps() const { return gpu_.max_threads_per_sm / warp_size; }
  [[nodiscard]] int warps_per_block() const { return (demand_.threads + warp_size - 1) / warp_size; }
  [[nodiscard]] int resident_warps() const { return now_.blocks_per_sm * warps_per_block(); }

 private:
  const GpuProfile& gpu_;
  Demand demand_;
  Occupancy now_;
};

std::string percent(double ratio) { return fmt::format("{:.4g}%", ratio * 100); }
std::string blocks(int count) { return plural(static_cast<std::uint64_t>(count), "block"); }
std::string threads(int count) { return plural(static_cast<std::uint64_t>(count), "thread"); }
std::string registers(int count) { return plural(static_cast<std::uint64_t>(count), "register"); }
std::string shared(std::size_t bytes) { return grouped(bytes) + " bytes"; }

const GpuProfile& gpu_of(const Case& c) {
  if (c.gpu == nullptr)
    throw usage_error(
        "occupancy needs the data sheet of a GPU, and there is none for this one",
        "'--device sim --profile h200' calculates for a GPU that is not there; 'gpulab devices' lists them");
  return *c.gpu;
}

Curve curve_of(const Sm& sm) {
  Curve curve;
  curve.name = "occupancy";
  curve.x_label = "threads per block";
  curve.y_label = "theoretical occupancy";
  for (int threads = warp_size; threads <= sm.gpu().max_threads_per_block; threads += warp_size) {
    curve.x.push_back(threads);
    curve.y.push_back(sm.with_threads(threads).theoretical);
  }
  curve.y_max = 1;
  curve.marked = sm.demand().threads;
  return curve;
}

std::vector<Metric> metrics_of(const Sm& sm) {
  std::vector<Metric> metrics{{"threads_per_block", static_cast<double>(sm.demand().threads), ""},
                              {"resident_warps", static_cast<double>(sm.resident_warps()), "warps"},
                              {"max_warps", static_cast<double>(sm.max_warps()), "warps"},
                              {"blocks_per_sm", static_cast<double>(sm.now().blocks_per_sm), "blocks"},
                              {"theoretical_occupancy", sm.now().theoretical, "ratio"}};
  const auto limits = sm.limits();
  const auto limit = [&](const std::string& by, const std::optional<int>& count) {
    if (count) metrics.push_back({"occupancy_limit_" + by, static_cast<double>(*count), "blocks"});
  };
  limit("warps", limits.warps);
  limit("registers", limits.registers);
  limit("shared", limits.shared);
  limit("blocks", limits.blocks);
  return metrics;
}

/// A block that does not start at all, not even alone, and what would.
std::string impossible(const Sm& sm) {
  const auto& d = sm.demand();
  std::string text =
      fmt::format("No block of {} starts: {} each are {} of the {} that a block may have", threads(d.threads),
                  registers(d.registers),
                  grouped(std::uint64_t{1} * static_cast<unsigned>(d.threads) * static_cast<unsigned>(d.registers)),
                  grouped(static_cast<std::uint64_t>(sm.gpu().registers_per_block)));
  int fewer = d.registers, smaller = sm.gpu().max_threads_per_block;
  while (fewer > 1 && sm.with_registers(fewer).blocks_per_sm == 0) --fewer;
  while (smaller > warp_size && sm.with_threads(smaller).blocks_per_sm == 0) smaller -= warp_size;
  return text + fmt::format(". With this block a thread may have at most {}, with these registers a block at most {}.",
                            registers(fewer), threads(smaller));
}

std::string limits_text(const Occupancy& occupancy) {
  std::vector<std::string> names;
  for (const auto& name : occupancy.limited_by) {
    names.push_back(name == "shared" ? "shared memory" : name == "blocks" ? "slots for blocks" : name);
  }
  return join(names, " and ");
}

std::string verdict(const Sm& sm) {
  return fmt::format("{}: {} of {} ({} warps) fit on an SM: {} of {} warps, {}, limited by {}.", sm.gpu().name,
                     blocks(sm.now().blocks_per_sm), threads(sm.demand().threads), sm.warps_per_block(),
                     sm.resident_warps(), sm.max_warps(), percent(sm.now().theoretical), limits_text(sm.now()));
}

/// "at most 40 registers per thread (12 blocks, 75%)", or nothing where registers alone change nothing.
std::string lift_by_registers(const Sm& sm) {
  for (int fewer = sm.demand().registers - 1; fewer > 0; --fewer) {
    const auto then = sm.with_registers(fewer);
    if (then.theoretical > sm.now().theoretical) {
      return fmt::format("at most {} per thread ({}, {})", registers(fewer), blocks(then.blocks_per_sm),
                         percent(then.theoretical));
    }
  }
  return {};
}

/// The largest number of bytes up to `most` for which `holds`, which holds up to some number and no further.
template <typename Holds>
std::size_t last_that(std::size_t most, Holds holds) {
  std::size_t low = 0, high = most;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (holds(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::string lift_by_shared(const Sm& sm) {
  const auto more = [&](std::size_t bytes) { return sm.with_shared(bytes).theoretical > sm.now().theoretical; };
  if (!more(0)) return {};
  const auto bytes = last_that(sm.demand().shared, more);
  const auto then = sm.with_shared(bytes);
  return fmt::format("at most {} of shared memory per block ({}, {})", shared(bytes), blocks(then.blocks_per_sm),
                     percent(then.theoretical));
}

/// The smallest block with the highest occupancy: small blocks wait for fewer warps at a barrier, and give their place
/// back earlier.
std::pair<int, Occupancy> best_block(const Sm& sm) {
  std::pair<int, Occupancy> best{warp_size, sm.with_threads(warp_size)};
  for (int threads = warp_size; threads <= sm.gpu().max_threads_per_block; threads += warp_size) {
    auto then = sm.with_threads(threads);
    if (then.theoretical > best.second.theoretical) best = {threads, std::move(then)};
  }
  return best;
}

std::string lift(const Sm& sm) {
  if (sm.now().theoretical == 1) return "All warps that the SM can hold are resident: there is nothing to lift.";
  std::vector<std::string> ways;
  for (auto way : {lift_by_registers(sm), lift_by_shared(sm)}) {
    if (!way.empty()) ways.push_back(std::move(way));
  }
  const auto [threads, best] = best_block(sm);
  const bool block_helps = best.theoretical > sm.now().theoretical;
  if (block_helps) {
    ways.push_back(
        fmt::format("blocks of {} threads ({}, {})", threads, blocks(best.blocks_per_sm), percent(best.theoretical)));
  }
  if (ways.empty()) return "Neither fewer registers, nor less shared memory, nor another block alone lifts it.";
  return "What would lift it: " + join(ways, ", or ") + (block_helps ? "." : "; no other block size does.");
}

std::string suggestion(const Sm& sm) {
  const auto [threads, best] = best_block(sm);
  if (best.theoretical == sm.now().theoretical) {
    return fmt::format("Suggested block: {} threads, as it is. No other holds more warps{}.", sm.demand().threads,
                       threads < sm.demand().threads
                           ? fmt::format("; from {} threads on there are blocks that hold as many", threads)
                           : "");
  }
  return fmt::format("Suggested block: {} threads, the smallest of those that hold the most warps ({}).", threads,
                     percent(best.theoretical));
}

/// The next register that costs a block, and the bytes of shared memory that are free.
std::string edge(const Sm& sm) {
  std::vector<std::string> edges;
  for (int more = sm.demand().registers + 1; more <= max_registers; ++more) {
    const auto then = sm.with_registers(more);
    if (then.theoretical == sm.now().theoretical) continue;
    edges.push_back(fmt::format("at {} per thread it falls to {}", registers(more), percent(then.theoretical)));
    break;
  }
  const auto most = sm.gpu().shared_bytes_per_block_optin;
  const auto held =
      last_that(most, [&](std::size_t b) { return sm.with_shared(b).theoretical >= sm.now().theoretical; });
  edges.push_back(held == most ? "shared memory may grow to all that a block can have"
                               : fmt::format("beyond {} of shared memory per block to {}", shared(held),
                                             percent(sm.with_shared(held + 1).theoretical)));
  return "How near the edge is: " + join(edges, ", ") + ".";
}

/// The largest fall between two neighbours of the curve.
std::string cliff(const Curve& curve) {
  const auto fall = [&](std::size_t i) { return curve.y[i - 1] - curve.y[i]; };
  std::size_t at = 1;
  for (std::size_t i = 2; i < curve.y.size(); ++i) {
    if (fall(i) > fall(at)) at = i;
  }
  if (fall(at) <= 0) return "Over block sizes it never falls.";
  return fmt::format("The cliff over block sizes: {} with {} threads, {} with {}.", percent(curve.y[at - 1]),
                     curve.x[at - 1], percent(curve.y[at]), curve.x[at]);
}

constexpr const char* not_always =
    "More occupancy is not always faster: it takes enough warps to hide latency, and more than enough gains nothing. "
    "A thread with several independent operations needs fewer (ilp_8), and registers saved by spilling cost memory "
    "traffic (spill): measure on a GPU.";

Commentary commentary_of(const Sm& sm) {
  Commentary commentary;
  commentary.metrics = metrics_of(sm);
  commentary.curve = curve_of(sm);
  if (sm.now().blocks_per_sm == 0) {
    commentary.lines = {impossible(sm)};
  } else {
    commentary.lines = {verdict(sm), lift(sm), suggestion(sm)};
  }
  commentary.lines.push_back(cliff(*commentary.curve));
  return commentary;
}

// --- Kernels --------------------------------------------------------------------------------------

/// ptxas' rows of a kernel, one per architecture.
std::vector<PtxasRow> rows_of(std::string_view kernel) {
  std::vector<PtxasRow> rows;
  for (const auto& file : embedded_kernels()) {
    if (file.lab != "occupancy") continue;
    for (const auto& row : file.resources) {
      if (same_kernel_name(kernel_name(row.entry), kernel)) rows.push_back(row);
    }
  }
  std::ranges::sort(rows, {}, &PtxasRow::sm);
  return rows;
}

std::vector<std::string> table_of(const std::vector<PtxasRow>& rows) {
  std::vector<std::string> lines{"  ptxas        registers  static shared  stack  spill stores  spill loads"};
  for (const auto& row : rows) {
    lines.push_back(fmt::format("  sm_{:<2} {:>15} {:>12} B {:>4} B {:>11} B {:>10} B", row.sm, row.registers,
                                row.static_shared_bytes, row.stack_bytes, row.spill_store_bytes, row.spill_load_bytes));
  }
  return lines;
}

/// How often the grid fills the GPU. Below 1 places stay empty from start to end, whatever the occupancy could be.
void add_waves(const Case& c, const Sm& sm, Commentary& commentary) {
  const int places = sm.now().blocks_per_sm * sm.gpu().sm_count;
  if (places == 0) return;
  const double waves = static_cast<double>(c.grid.volume()) / places;
  commentary.metrics.push_back({"waves", waves, "waves"});
  if (waves >= 1) return;
  commentary.lines.push_back(
      fmt::format("This grid has {}, {} has places for {}: it is not even filled once. A larger --n fills it.",
                  plural(c.grid.volume(), "block"), sm.gpu().name, grouped(static_cast<std::uint64_t>(places))));
}

}  // namespace

std::uint32_t shared_bytes(const Case& c) {
  const auto bytes = c.params.integer("shared");
  if (c.gpu == nullptr) return static_cast<std::uint32_t>(bytes);
  const auto most = static_cast<std::int64_t>(c.gpu->shared_bytes_per_block_optin);
  if (bytes <= most) return static_cast<std::uint32_t>(bytes);
  throw usage_error(
      fmt::format("--shared: {} bytes are more than a block can have on {}: at most {}", bytes, c.gpu->name, most),
      fmt::format("--shared takes 0 to {} bytes per block", most));
}

Commentary calculated(const Case& c) {
  const int registers = static_cast<int>(c.params.integer("registers"));
  const Sm sm(gpu_of(c), {registers, shared_bytes(c), static_cast<int>(c.block.volume())});
  Commentary commentary = commentary_of(sm);
  if (sm.now().blocks_per_sm > 0) commentary.lines.push_back(edge(sm));
  commentary.lines.emplace_back(not_always);
  return commentary;
}

std::function<Commentary(const Case&, const ReadBuffer&)> commentary_of(std::string kernel) {
  return [kernel = std::move(kernel)](const Case& c, const ReadBuffer&) {
    const auto rows = rows_of(kernel);
    Commentary commentary;
    const int wanted = c.gpu == nullptr ? 0 : c.gpu->compute_major * 10 + c.gpu->compute_minor;
    const auto row = std::ranges::find(rows, wanted, &PtxasRow::sm);
    if (row == rows.end()) {
      commentary.lines = {
          "ptxas of this build does not know this GPU's architecture: its registers, and with them the "
          "occupancy, are unknown."};
    } else {
      const Sm sm(*c.gpu, {row->registers, shared_bytes(c), static_cast<int>(c.block.volume())});
      commentary = commentary_of(sm);
      commentary.metrics.push_back({"registers_per_thread", static_cast<double>(row->registers), ""});
      commentary.metrics.push_back({"local_bytes_per_thread", static_cast<double>(row->stack_bytes), "bytes"});
      add_waves(c, sm, commentary);
    }
    const auto table = table_of(rows);
    commentary.lines.insert(commentary.lines.end(), table.begin(), table.end());
    return commentary;
  };
}

}  // namespace gpulab::labs::occupancy
