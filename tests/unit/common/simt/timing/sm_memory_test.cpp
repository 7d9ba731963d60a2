#include "common/simt/timing/sm_memory.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/simt/timing/gpu_timing.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// Cycles of an SM that L2 takes for each sector of many stores of 32 words, so many sectors of so many lines each.
double of_sector(std::uint32_t sectors, std::uint8_t lines, bool filled = true) {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  MemoryShare share;
  share.part = 1.0 / 132;
  share.dram_bytes_per_cycle = 1e9;  // not what is asked for here
  share.l2_written_bytes_per_cycle = gpu->l2_written_bytes_per_cycle * share.part;
  share.l2_room = gpu->l2_bytes * share.part;
  share.filled = filled;
  SmResult result;
  SmMemory memory(*gpu, share, result);
  TracedAccess access;
  access.lines = lines;
  access.partial = true;
  access.stored_bytes = 128;
  access.sectors = sectors;
  std::vector<std::uint64_t> at(sectors);
  for (std::uint32_t i = 0; i < sectors; ++i) at[i] = i;
  constexpr int stores = 1000;
  for (int i = 0; i < stores; ++i) memory.store(0, access, at, {});
  return memory.drained() / stores / sectors;
}

TEST_CASE("the more bytes of a sector a store brings, the more of such sectors L2 takes, where these are filled") {
  const double four = of_sector(32, 8), eight = of_sector(16, 4), sixteen = of_sector(8, 2);
  CHECK(four == Catch::Detail::Approx(132 / 45.6).epsilon(0.02));
  CHECK(eight == Catch::Detail::Approx(132 / 55.2).epsilon(0.05));
  CHECK(sixteen == Catch::Detail::Approx(132 / 113.).epsilon(0.05));  // no less: the port
  CHECK(of_sector(32, 32) == Catch::Detail::Approx(132 / 26.6).epsilon(0.02));
  CHECK(of_sector(16, 16) == Catch::Detail::Approx(132 / 26.6).epsilon(0.02));  // each in a line of its own
  CHECK(of_sector(8, 2, false) == Catch::Detail::Approx(four).epsilon(0.02));   // they stay so
}

/// 32 lanes, a line each.
struct Lanes {
  TracedAccess access;
  std::vector<std::uint64_t> at;
  explicit Lanes(std::uint64_t first) {
    access.lines = access.passes = 32;
    access.sectors = 32;
    access.stored_bytes = 128;
    access.partial = true;
    for (std::uint64_t lane = 0; lane < 32; ++lane) at.push_back(first + 4 * lane);
  }
};

/// How long the third of three loads takes, where something is stored `behind` the second one's start.
double third_load(double behind, std::uint64_t stored) {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  MemoryShare share;
  share.part = 1;
  share.dram_bytes_per_cycle = share.l2_bytes_per_cycle = share.l2_scattered_bytes_per_cycle =
      share.l2_written_bytes_per_cycle = 1e9;  // latencies alone
  share.l1_bytes = 128 << 10;
  share.l2_room = 1e9;
  SmResult result;
  SmMemory memory(*gpu, share, result);
  const Lanes loaded(0), there(stored);
  (void)memory.load(0, loaded.access, loaded.at, true);
  constexpr double second = 5000, third = 10000;
  (void)memory.load(second, loaded.access, loaded.at, true);
  memory.store(second + behind, there.access, there.at, {});
  return memory.load(third, loaded.access, loaded.at, true) - third;
}

TEST_CASE("a store takes a line out of L1 to which a load is under way, and leaves it there behind the load") {
  constexpr std::uint64_t sector = 0, of_line = 2, elsewhere = 4096;
  const double hit = third_load(200, elsewhere);
  CHECK(hit == Catch::Detail::Approx(35 + 31 * 1.9).epsilon(0.01));
  CHECK(third_load(200, sector) == hit);
  CHECK(third_load(200, of_line) == hit);
  CHECK(third_load(2, elsewhere) == hit);
  CHECK(third_load(2, sector) > hit + 150);
  CHECK(third_load(2, of_line) > hit + 150);
}

TEST_CASE("L2 serves loads and stores by turns: who copies takes as long as who reads and who writes") {
  const auto cycles = [](bool loads, bool stores) {
    const GpuTiming* gpu = gpu_timing("h100");
    REQUIRE(gpu);
    MemoryShare share;
    share.part = 1.0 / 132;
    share.dram_bytes_per_cycle = 1e9;
    share.l2_bytes_per_cycle = share.l2_scattered_bytes_per_cycle = 20;
    share.l2_written_bytes_per_cycle = 16;
    share.l1_bytes = 128 << 10;
    share.l2_room = 1e9;
    SmResult result;
    SmMemory memory(*gpu, share, result);
    TracedAccess access;
    access.sectors = 4;
    access.in_l2 = true;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const std::vector<std::uint64_t> from{4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
      const std::vector<std::uint64_t> to{1 << 20 | 4 * i, 1 << 20 | (4 * i + 1), 1 << 20 | (4 * i + 2),
                                          1 << 20 | (4 * i + 3)};
      if (loads) (void)memory.load(0, access, from, true);
      if (stores) memory.store(0, access, to, {});
    }
    return memory.drained();
  };
  CHECK(cycles(true, true) == Catch::Detail::Approx(cycles(true, false) + cycles(false, true)).epsilon(0.05));
}

/// Cycles of an SM for each lane, where so many warps of each of so many blocks add floats at their block's word.
double of_shared_addition(std::uint64_t blocks, std::uint64_t warps) {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  MemoryShare share;
  SmResult result;
  SmMemory memory(*gpu, share, result);
  std::vector<double> free(blocks * warps);
  constexpr int turns = 50, lanes = 32;
  for (std::size_t i = 0; i < turns * free.size(); ++i) {
    const auto next = std::ranges::min_element(free);
    const auto warp = static_cast<std::uint64_t>(next - free.begin());
    *next = memory.shared_loop(*next, warp % blocks, lanes);
  }
  return *std::ranges::max_element(free) / (turns * lanes * static_cast<double>(free.size()));
}

TEST_CASE("warps that add floats at one shared word keep shared memory busy by how many they are") {
  CHECK(of_shared_addition(1, 32) == Catch::Detail::Approx(42.6).epsilon(0.03));
  CHECK(of_shared_addition(2, 32) == Catch::Detail::Approx(84.5 / 2).epsilon(0.03));
  CHECK(of_shared_addition(8, 8) == Catch::Detail::Approx(11.8).epsilon(0.15));  // an H100; as for 32 each: 42.6
}

/// Cycles from one success to the next at a block's word, where so many lanes of each of so many warps of each of so
/// many blocks add to it by a loop of a compare-and-swap, whose warps have a lane less each turn.
double of_shared_swap(std::uint64_t blocks, std::uint64_t warps, int lanes) {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  SmResult result;
  SmMemory memory(*gpu, MemoryShare{}, result);
  std::vector<double> free(blocks * warps);
  std::vector<int> turn(free.size());
  constexpr int times = 8;
  const int turns = times * lanes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(turns) * free.size(); ++i) {
    const auto warp = static_cast<std::size_t>(std::ranges::min_element(free) - free.begin());
    const int left = lanes - turn[warp] % lanes;
    free[warp] = memory.shared_swap(free[warp], warp % blocks, left, 1);
    if (++turn[warp] == turns) free[warp] += 1e9;  // it has no more to do
  }
  return (*std::ranges::max_element(free) - 1e9) / (turns * static_cast<double>(warps));
}

TEST_CASE("of warps that swap at one shared word again and again one succeeds in a turn, and all of them try") {
  using Catch::Detail::Approx;
  CHECK(of_shared_swap(1, 8, 1) == Approx(178).epsilon(0.05));  // an H100, as all of these
  CHECK(of_shared_swap(1, 4, 8) == Approx(193).epsilon(0.05));
  CHECK(of_shared_swap(1, 32, 1) == Approx(266).epsilon(0.1));
  CHECK(of_shared_swap(1, 32, 8) == Approx(434).epsilon(0.1));
  CHECK(of_shared_swap(1, 32, 32) == Approx(1290).epsilon(0.1));
  CHECK(of_shared_swap(4, 8, 32) == Approx(1182).epsilon(0.1));
}

TEST_CASE("swaps that fail delay nobody's loads of shared memory, and are delayed by these") {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  const auto end_of = [&](int loads, double& of_load) {
    SmResult result;
    SmMemory memory(*gpu, MemoryShare{}, result);
    for (int warp = 0; warp < 31; ++warp) (void)memory.shared_swap(0, 0, 32, 1);
    of_load = memory.shared(10'000, 1);
    for (int i = 1; i < loads; ++i) (void)memory.shared(10'000, 1);
    return memory.shared_swap(12'000, 0, 32, 1);
  };
  double alone = 0, among = 0;
  CHECK(end_of(5000, among) >= end_of(1, alone) + 4900);
  CHECK(alone == 10'000 + gpu->shared_latency);
}

/// Cycles of a step of a chain through so many KB of constant memory, a line of 64 bytes each, as one warp goes round
/// it.
double constant_step(std::uint64_t kb, int rounds) {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  SmResult result;
  SmMemory memory(*gpu, MemoryShare{}, result);
  const std::uint64_t lines = kb * 16;
  double now = 0, last = 0;
  for (int round = 0; round < rounds; ++round) {
    const double begun = now;
    for (std::uint64_t line = 0; line < lines; ++line) now = memory.constant(now, 1, false, std::array{line * 2});
    last = (now - begun) / static_cast<double>(lines);
  }
  return last;
}

TEST_CASE("constant memory comes 256 bytes at a time, 2 KB of it stay in the nearest cache, the rest in the next one") {
  constexpr double around = 25;  // cycles of a step of the probe beside its load: c_chain_1_16 goes round in 46
  CHECK(constant_step(64, 1) + around == Catch::Detail::Approx(265).epsilon(0.05));
  CHECK(constant_step(64, 2) + around == Catch::Detail::Approx(99).epsilon(0.05));
  CHECK(constant_step(4, 2) + around == Catch::Detail::Approx(101).epsilon(0.05));
  CHECK(constant_step(2, 2) + around == Catch::Detail::Approx(48).epsilon(0.05));
}

TEST_CASE("two small tables of constant memory stay in the nearest cache together, wherever they begin") {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  int apart = 0;
  constexpr std::uint64_t tables = 64, lines_of_64_kb = 1024;
  for (std::uint64_t k = 1; k <= tables; ++k) {
    SmResult result;
    SmMemory memory(*gpu, MemoryShare{}, result);
    double now = 0, begun = 0;
    for (int turn = 0; turn < 2; ++turn) {
      begun = now;
      for (const std::uint64_t line : {std::uint64_t{0}, k * lines_of_64_kb})
        now = memory.constant(now, 1, false, std::array{line * 2});
    }
    apart += now - begun < 2 * 30;  // cycles; of the next cache each takes 54 and more
  }
  CHECK(apart > 56);  // one in 32 may meet
}

/// Bytes that DRAM moves for each sector that is asked for again, of so many, `apart` sectors apart; L2 has 1 MiB.
double brought_again(std::uint64_t sectors, std::uint64_t apart, TracedAccess::Space space) {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  MemoryShare share;
  share.part = share.misses = share.dram_bytes_per_cycle = 1;
  share.l2_bytes_per_cycle = share.l2_scattered_bytes_per_cycle = share.l2_written_bytes_per_cycle = 1e9;
  share.fetched = apart == 1 ? 1 : 2;
  share.l2_room = 1 << 20;
  SmResult result;
  SmMemory memory(*gpu, share, result);
  const auto pass = [&] {
    for (std::uint64_t i = 0; i < sectors; i += 4) {
      TracedAccess access;
      access.space = space;
      access.sectors = 4;
      access.lines = apart == 1 ? 1 : 4;
      const std::array<std::uint64_t, 4> at{i * apart, (i + 1) * apart, (i + 2) * apart, (i + 3) * apart};
      (void)memory.load(0, access, at, false);
    }
  };
  pass();
  const double first = result.dram;
  pass();
  return (result.dram - first) / static_cast<double>(sectors);
}

TEST_CASE("of each line that L2 has taken all four sectors have their room, whether DRAM has brought them or not") {
  using Space = TracedAccess::Space;
  constexpr std::uint64_t half = 16384, twice = 65536;  // of 1 MiB, by sectors
  CHECK(brought_again(half, 1, Space::global) == 0);
  CHECK(brought_again(twice, 1, Space::global) == Catch::Detail::Approx(32).epsilon(0.05));
  CHECK(brought_again(half / 4, 4, Space::global) == 0);
  CHECK(brought_again(half, 4, Space::global) == Catch::Detail::Approx(64).epsilon(0.05));
  CHECK(brought_again(half / 4, 4, Space::local) == 0);
  CHECK(brought_again(half, 4, Space::local) == Catch::Detail::Approx(64).epsilon(0.05));
}

}  // namespace
}  // namespace gpulab::simt
