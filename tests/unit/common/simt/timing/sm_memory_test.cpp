#include "common/simt/timing/sm_memory.h"

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
  for (int i = 0; i < stores; ++i) memory.store(0, access, at);
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

}  // namespace
}  // namespace gpulab::simt
