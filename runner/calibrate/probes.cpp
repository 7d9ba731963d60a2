#include <algorithm>

#include "runner/calibrate/probe.h"

namespace gpulab::calibrate {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// One block: latencies of one warp, and what an SM can do.
void of_one_block(std::vector<Probe>& all) {
  for (const char* name : {"lds_chain", "xor_add", "add_u64", "atomg_own", "reds_f32_same", "atoms_add", "bar_sync",
                           "membar_gl", "fma_f32"}) {
    const auto kernel = std::string("chain_") + name;
    all.push_back({.id = kernel, .name = kernel, .n = 256, .stride = 3, .elements = 65536, .warm = true});
  }
  for (const char* name : {"redg_f32_same", "reds_u32_eight", "fma_f32", "fma_f64", "rsqrt", "bar_sync"}) {
    const auto kernel = std::string("full_") + name;
    all.push_back({.id = kernel, .name = kernel, .block = 1024, .n = 128, .stride = 3, .warm = true});
  }
  all.push_back(
      {.id = "full_bar_sync.few", .name = "full_bar_sync", .block = 128, .n = 128, .stride = 3, .warm = true});
  for (const char* name : {"open_reds_f32_own", "open_reds_f32_one"})
    all.push_back({.id = name, .name = name, .block = 1024, .n = 32, .stride = 3, .warm = true});
  all.push_back({.id = "stg_4_4", .name = "stg_4_4", .block = 1024, .n = 8, .elements = 33792, .warm = true});
  all.push_back({.id = "red_u32_distinct_32",
                 .name = "red_u32_distinct_32",
                 .block = 1024,
                 .n = 64,
                 .elements = 1 << 18,
                 .warm = true});
  all.push_back({.id = "l1_16_16", .name = "l1_16_16", .block = 1024, .n = 64, .elements = 65536, .warm = true});
  all.push_back({.id = "read_16x4.port",
                 .name = "read_16x4",
                 .block = 1024,
                 .n = 64,
                 .stride = 4,
                 .elements = 1311744,
                 .warm = true});
}

void of_latencies_of_memory(std::vector<Probe>& all, const Place& place) {
  all.push_back({.id = "chase_ca.near", .name = "chase_ca", .block = 1, .n = 1000, .warm = true});
  all.push_back(
      {.id = "chase_ca.dram", .name = "chase_ca", .block = 1, .n = 1000, .stride = 4096, .elements = 1 << 24});
  all.push_back({.id = "chase_cg.near", .name = "chase_cg", .block = 1, .n = 1000, .warm = true});
  const bool small = place.l2_bytes < 16.0 * kMebibyte;  // 4 MB are too many
  all.push_back({.id = "chase_cg.far",
                 .name = "chase_cg",
                 .block = 1,
                 .n = 1000,
                 .stride = small ? 512U : 4096U,
                 .elements = 1 << 20,
                 .warm = true});
}

/// All SMs.
void of_the_whole(std::vector<Probe>& all, const Place& place) {
  const std::uint32_t sms = place.sm_count, twice = 2 * sms;
  all.push_back({.id = "full_redg_same",
                 .name = "full_redg_same",
                 .grid = twice,
                 .block = 1024,
                 .n = 128,
                 .stride = 3,
                 .warm = true});
  all.push_back({.id = "stg_4_32",
                 .name = "stg_4_32",
                 .grid = sms,
                 .block = 1024,
                 .elements = std::uint64_t{sms} * 1024 * 32 + 1024,
                 .warm = true});
  all.push_back({.id = "stg_columns",
                 .name = "stg_columns",
                 .grid = twice,
                 .block = 1024,
                 .n = 16,
                 .elements = std::uint64_t{twice} * 1024 * 64 + 1024,
                 .warm = true});
  all.push_back({.id = "red_lines_1",
                 .name = "red_lines_1",
                 .grid = twice,
                 .block = 1024,
                 .n = 16,
                 .elements = 1 << 18,
                 .warm = true});
  // Words that a third of L2 holds; and half a gigabyte, where there is as much.
  std::uint32_t bits = 16;
  while (4.0 * static_cast<double>(std::uint64_t{2} << bits) <= place.l2_bytes / 3 && bits < 24) ++bits;
  all.push_back({.id = "gather_4.l2",
                 .name = "gather_4",
                 .grid = twice,
                 .block = 1024,
                 .n = 4,
                 .stride = bits,
                 .elements = std::uint64_t{1} << bits,
                 .warm = true});
  bits = place.memory_bytes > 3e9 ? 27 : 26;
  all.push_back({.id = "gather_4.dram",
                 .name = "gather_4",
                 .grid = twice,
                 .block = 1024,
                 .n = 4,
                 .stride = bits,
                 .elements = std::uint64_t{1} << bits});
  for (const std::string kind : {"read", "write", "copy"})
    for (const std::uint32_t grid : {8192U, 16384U}) {
      const std::uint64_t span = std::uint64_t{grid} * 256 * 64;
      const auto name = kind + "_16x4";
      all.push_back({.id = name + (grid == 8192U ? ".less" : ".more"),
                     .name = name,
                     .grid = grid,
                     .block = 256,
                     .stride = static_cast<std::uint32_t>(span / kMebibyte),
                     .elements = (span * (kind == "copy" ? 2 : 1) + kMebibyte) / 4 + 1024});
    }
  // As much as a third of L2 holds, and a little.
  const double turn = 4.0 * 1024 * twice;
  const auto many = static_cast<std::uint32_t>(std::clamp(place.l2_bytes / 3 / turn, 4.0, 16.0));
  for (const std::uint32_t n : {many, many / 8 + (many < 16 ? 1U : 0U)}) {
    const std::uint64_t span = std::uint64_t{twice} * 1024 * n * 4;
    const std::uint64_t mega = std::max<std::uint64_t>(1, (span + kMebibyte - 1) / kMebibyte);
    all.push_back({.id = n == many ? "read_4x1.more" : "read_4x1.less",
                   .name = "read_4x1",
                   .grid = twice,
                   .block = 1024,
                   .n = n,
                   .stride = static_cast<std::uint32_t>(mega),
                   .elements = (span + kMebibyte) / 4 + 1024,
                   .warm = true});
  }
}

void of_launches(std::vector<Probe>& all, const Place& place) {
  const std::uint32_t sms = place.sm_count;
  all.push_back({.id = "empty", .name = "empty", .stride = 1});
  all.push_back({.id = "empty.blocks", .name = "empty", .grid = 256 * sms, .stride = 1});
  all.push_back({.id = "empty.more_blocks", .name = "empty", .grid = 2048 * sms, .stride = 1});
  all.push_back({.id = "empty.large_blocks", .name = "empty", .grid = 2048 * sms, .block = 1024, .stride = 1});
  for (const std::uint32_t count : {1U, 64U}) {
    const std::string end = count == 1 ? ".one" : ".many";
    all.push_back({.id = "launches" + end, .name = "spin", .n = 12000, .warm = true, .launches = count});
    all.push_back({.id = "graph" + end, .name = "spin", .n = 4000, .warm = true, .launches = count, .graph = true});
  }
  all.push_back({.id = "host_launch", .name = "empty", .stride = 1, .warm = true, .launches = 256, .host = true});
}

}  // namespace

std::vector<Probe> probes_for(const Place& place) {
  std::vector<Probe> all;
  of_launches(all, place);
  of_one_block(all);
  of_latencies_of_memory(all, place);
  of_the_whole(all, place);
  return all;
}

}  // namespace gpulab::calibrate
