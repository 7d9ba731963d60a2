#include "runner/calibrate/timing_values.h"

#include <algorithm>
#include <cmath>

namespace gpulab::calibrate {
namespace {

using M = Measured;

constexpr double kWarps = 32;   // of a block of 1024 threads
constexpr double kSector = 32;  // bytes
constexpr double kMsPerUs = 1e-3;

/// What an H100 shows where the number itself does not follow from one probe: the model's there (configs/timing), and
/// these readings. Another GPU's is as much longer or wider as its readings are (tests/data/timing_probes_h100.csv).
namespace of_h100 {
constexpr double l2_near = 300, l2_far = 382.6;                    // cycles of a load of the chase
constexpr double l2_latency = 295;                                 //
constexpr double lines_at_one_address = 39894, slice_round = 1.3;  // cycles of all, an atomic a turn
constexpr double double_multiply_add = 256, root = 1026;           // cycles of a turn of 16, of 32 warps
}  // namespace of_h100

double bytes(const Probe& probe, double of_a_turn) {
  return static_cast<double>(probe.grid) * probe.block * probe.n * of_a_turn;
}

/// GB/s of what the larger of two streams took longer.
double slope(const M& m, std::string_view less, std::string_view more, double of_a_turn) {
  return (bytes(m.probe(more), of_a_turn) - bytes(m.probe(less), of_a_turn)) / (m.ms(more) - m.ms(less)) / 1e6;
}

double dram(const M& m) {
  return (slope(m, "read_16x4.less", "read_16x4.more", 64) + slope(m, "write_16x4.less", "write_16x4.more", 64)) / 2;
}

/// Bytes a cycle: GB/s by GHz. A thread of the probe has one load under way; threads that have four read more. By how
/// much is known of an H100 alone, and roughly: 3500 to 3800 beside 2600 to 2800 (tests/timing/README.md).
double l2(const M& m) {
  constexpr double of_more = 1.25;
  return of_more * slope(m, "read_4x1.less", "read_4x1.more", 4) / m.clock_ghz;
}

/// Sectors a cycle of all SMs.
double sectors(const M& m, std::string_view id, double of_a_turn) {
  return bytes(m.probe(id), of_a_turn) / m.all_cycles(id);
}

double more_launches(const M& m, const char* one, const char* many) {
  const Probe& probe = m.probe(many);
  return (m.ms(many) - m.ms(one)) / (probe.launches - 1) / kMsPerUs - probe.n / m.clock_ghz / 1e3;
}

const std::vector<TimingRule> kRules{
    {"clock",
     {"chain_reds_f32_same", "empty"},
     "cycles of %clock64 beside the events' time, of a chain of milliseconds",
     [](const M& m) { return m.clock_ghz; }},
    {"launch", {"empty"}, "an empty kernel of one block", [](const M& m) { return m.launch_ms / kMsPerUs; }},
    {"next_launch",
     {"launches.one", "launches.many"},
     "kernels that spin 12000 cycles, less these",
     [](const M& m) { return more_launches(m, "launches.one", "launches.many"); }},
    {"next_in_graph",
     {"graph.one", "graph.many"},
     "a graph of kernels that spin 4000 cycles, less these",
     [](const M& m) { return more_launches(m, "graph.one", "graph.many"); }},
    {"host_launch",
     {"host_launch"},
     "256 empty kernels queued; of this machine's processor",
     [](const M& m) { return m.ms("host_launch") / m.probe("host_launch").launches / kMsPerUs; }},
    {"block",
     {"empty.blocks", "empty.more_blocks"},
     "empty kernels of small blocks",
     [](const M& m) {
       return (m.all_cycles("empty.more_blocks") - m.all_cycles("empty.blocks")) /
              (m.probe("empty.more_blocks").grid - m.probe("empty.blocks").grid);
     }},
    {"block_gap",
     {"empty.large_blocks"},
     "an empty kernel of blocks of 1024 threads, less 110 cycles that such a block lives",
     [](const M& m) {
       const auto blocks = static_cast<double>(m.probe("empty.large_blocks").grid);
       const double waves = blocks / (m.place.sm_count * m.place.large_blocks_per_sm);
       return m.all_cycles("empty.large_blocks") / waves - 110;
     }},
    {"shared_latency",
     {"chain_lds_chain", "chain_xor_add"},
     "a chain of loads, less its arithmetic",
     [](const M& m) { return (m.cycles("chain_lds_chain") - m.cycles("chain_xor_add") / 2) / 16; }},
    {"l1_latency",
     {"chase_ca.near", "chain_add_u64"},
     "a chase of one line, less its arithmetic",
     [](const M& m) { return m.cycles("chase_ca.near") - m.cycles("chain_add_u64") / 16; }},
    {"l2_latency",
     {"chase_cg.near", "chase_cg.far"},
     "chases of one line and of many, by an H100's",
     [](const M& m) {
       return of_h100::l2_latency * (m.cycles("chase_cg.near") + m.cycles("chase_cg.far")) /
              (of_h100::l2_near + of_h100::l2_far);
     }},
    {"dram_latency",
     {"chase_ca.dram", "chain_add_u64"},
     "a cold chase by 4096 bytes, less its arithmetic",
     [](const M& m) { return m.cycles("chase_ca.dram") - m.cycles("chain_add_u64") / 16; }},
    {"atomic_latency", {"chain_atomg_own"}, "a chain", [](const M& m) { return m.cycles("chain_atomg_own") / 4; }},
    {"same_address",
     {"full_redg_same"},
     "all warps of all SMs",
     [](const M& m) { return m.all_cycles("full_redg_same") / (4 * kWarps * m.probe("full_redg_same").grid * 128); }},
    {"same_address_float",
     {"full_redg_f32_same"},
     "1024 lanes",
     [](const M& m) { return m.all_cycles("full_redg_f32_same") / (4.0 * 1024 * 128); }},
    {"shared_float_latency",
     {"chain_reds_f32_same"},
     "a chain, by 32 lanes",
     [](const M& m) { return m.cycles("chain_reds_f32_same") / 16 / 32; }},
    {"shared_float",
     {"open_reds_f32_own"},
     "1024 threads, a word for each warp, by the lanes of all",
     [](const M& m) { return m.cycles("open_reds_f32_own") / 2 / 1024; }},
    {"shared_float_contended",
     {"open_reds_f32_one"},
     "1024 threads at one word, by the lanes of all",
     [](const M& m) { return m.cycles("open_reds_f32_one") / 2 / 1024; }},
    {"shared_atomic",
     {"full_reds_u32_eight"},
     "1024 threads at eight words, by the four lanes at each",
     [](const M& m) { return m.cycles("full_reds_u32_eight") / 16 / (kWarps * 4); }},
    {"shared_atomic_latency",
     {"chain_atoms_add", "chain_lds_chain", "chain_xor_add"},
     "a chain less a load's latency, by 31 lanes",
     [](const M& m) {
       const double load = (m.cycles("chain_lds_chain") - m.cycles("chain_xor_add") / 2) / 16;
       return (m.cycles("chain_atoms_add") / 4 - load) / 31;
     }},
    {"store_port", {"stg_4_4"}, "one block", [](const M& m) { return 4 * 1024 * 4 / m.cycles("stg_4_4"); }},
    {"l2_partial", {"stg_4_32"}, "a block on each SM", [](const M& m) { return sectors(m, "stg_4_32", 4); }},
    {"l2_partial_alone", {"stg_columns"}, "columns of rows", [](const M& m) { return sectors(m, "stg_columns", 4); }},
    {"atomic_round",
     {"red_u32_distinct_32"},
     "one block, 32 words of a line",
     [](const M& m) { return m.cycles("red_u32_distinct_32") / 4 / (kWarps * 4); }},
    {"slice_round",
     {"red_lines_1"},
     "all blocks at one line, by an H100's",
     [](const M& m) {
       const double turn = m.all_cycles("red_lines_1") / (4.0 * m.probe("red_lines_1").grid) / 16;
       return of_h100::slice_round * turn / (of_h100::lines_at_one_address / 264);
     }},
    {"l2_scattered",
     {"gather_4.l2", "read_4x1.less", "read_4x1.more"},
     "random words of a third of L2, by its bandwidth",
     [](const M& m) { return std::min(1.0, sectors(m, "gather_4.l2", 4) * kSector / l2(m)); }},
    {"dram_mixed",
     {"copy_16x4.less", "copy_16x4.more", "read_16x4.less", "read_16x4.more", "write_16x4.less", "write_16x4.more"},
     "what 134 MB more take to be copied, by DRAM's bandwidth",
     [](const M& m) { return std::min(1.0, slope(m, "copy_16x4.less", "copy_16x4.more", 128) / dram(m)); }},
    {"dram_scattered",
     {"gather_4.dram", "read_16x4.less", "read_16x4.more", "write_16x4.less", "write_16x4.more"},
     "random words of half a gigabyte, by 64 bytes a load",
     [](const M& m) {
       const double ms = m.ms("gather_4.dram") - m.launch_ms;
       return std::min(1.0, bytes(m.probe("gather_4.dram"), 4 * 64) / ms / 1e6 / dram(m));
     }},
    {"l1_bandwidth", {"l1_16_16"}, "one block", [](const M& m) { return 8 * 16 * 1024 / m.cycles("l1_16_16"); }},
    {"l2_port", {"read_16x4.port"}, "one block", [](const M& m) { return 64 * 1024 / m.cycles("read_16x4.port"); }},
    {"l2_bandwidth", {"read_4x1.less", "read_4x1.more"}, "what more turns of all SMs take", l2},
    {"dram_bandwidth",
     {"read_16x4.less", "read_16x4.more", "write_16x4.less", "write_16x4.more"},
     "what 134 MB more take to be read, and to be written: the mean",
     dram},
    {"dirty_l2",
     {"read_16x4.less", "read_16x4.more", "write_16x4.less", "write_16x4.more"},
     "what a cold read of 134 MB takes longer than its bytes",
     [](const M& m) {
       const double would = (m.ms("read_16x4.less") - m.launch_ms) * dram(m) * 1e6;
       return std::max(0.0, would - bytes(m.probe("read_16x4.less"), 64));
     }},
    {"barrier_latency",
     {"chain_bar_sync", "full_bar_sync", "full_bar_sync.few"},
     "a chain, less its warp's part",
     [](const M& m) {
       return m.cycles("chain_bar_sync") / 16 - (m.cycles("full_bar_sync") - m.cycles("full_bar_sync.few")) / 16 / 28;
     }},
    {"barrier_warp",
     {"full_bar_sync", "full_bar_sync.few"},
     "32 warps and 4",
     [](const M& m) { return (m.cycles("full_bar_sync") - m.cycles("full_bar_sync.few")) / 16 / 28; }},
    {"fence_latency", {"chain_membar_gl"}, "a chain", [](const M& m) { return m.cycles("chain_membar_gl") / 4; }},
    {"fp32_slower",
     {"full_fma_f32"},
     "multiply-adds of 32 warps: 64 lanes or 128",
     [](const M& m) {
       const double lanes = kWarps * 32 * 16 / (m.all_cycles("full_fma_f32") / 128);
       return lanes > 80 ? 1.0 : 2.0;
     }},
    {"fp64_slower",
     {"full_fma_f64"},
     "multiply-adds of 32 warps, by an H100's",
     [](const M& m) { return m.cycles("full_fma_f64") / of_h100::double_multiply_add; }},
    {"special_slower",
     {"full_rsqrt"},
     "reciprocal roots of 32 warps, by an H100's",
     [](const M& m) { return m.cycles("full_rsqrt") / of_h100::root; }},
};

}  // namespace

const std::vector<TimingRule>& timing_rules() { return kRules; }

bool Measured::has(std::span<const std::string_view> ids) const {
  return std::ranges::all_of(ids, [&](std::string_view id) { return readings.contains(id); });
}
const Probe& Measured::probe(std::string_view id) const { return probes.find(id)->second; }
double Measured::ms(std::string_view id) const { return readings.find(id)->second.ms; }
double Measured::cycles(std::string_view id) const { return readings.find(id)->second.cycles / probe(id).n; }
double Measured::all_cycles(std::string_view id) const { return (ms(id) - launch_ms) * clock_ghz * 1e6; }

Measured measured(const Place& place, const std::vector<Probe>& probes, const Readings& readings) {
  Measured m{place, {}, readings};
  for (const Probe& probe : probes) m.probes.emplace(probe.id, probe);
  m.launch_ms = readings.at("empty").ms;
  const Reading& chain = readings.at("chain_reds_f32_same");
  m.clock_ghz = chain.cycles / (chain.ms - m.launch_ms) / 1e6;
  return m;
}

}  // namespace gpulab::calibrate
