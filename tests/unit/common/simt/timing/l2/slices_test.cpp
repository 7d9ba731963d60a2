#include "common/simt/timing/l2/slices.h"

#include <array>

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

const GpuTiming& h100() {
  const GpuTiming* gpu = gpu_timing("h100");
  REQUIRE(gpu);
  return *gpu;
}

/// A block's warps, each of which adds a float of all of its lanes to one word of these sectors after another.
GridTrace trace_of(const std::vector<std::vector<std::uint64_t>>& warps) {
  GridTrace trace;
  BlockTrace& block = trace.blocks.emplace_back();
  for (const auto& sectors : warps) {
    auto& events = block.warps.emplace_back();
    for (const std::uint64_t sector : sectors) {
      TracedAccess access;
      access.atomic = access.real = true;
      access.same_address = access.conflicts = 32;
      access.hot_sector = sector;
      access.sectors = 1;
      access.first_sector = static_cast<std::uint32_t>(block.sectors.size());
      block.sectors.push_back(sector);
      events.push_back({TraceEvent::kAccess | static_cast<std::uint32_t>(block.accesses.size())});
      block.accesses.push_back(access);
    }
  }
  return trace;
}

TEST_CASE("small allocations lie 512 bytes and more apart, as a GPU has them; those of a MiB and more elsewhere") {
  GlobalMemory memory;
  constexpr std::uint64_t sector = 32, step = 512;
  const auto a = memory.allocate("a", 4), b = memory.allocate("b", 4), large = memory.allocate("large", 4 << 20),
             c = memory.allocate("c", 1000), d = memory.allocate("d", 4);
  const PlacesOnGpu placed(&memory);
  CHECK(placed(b / sector) - placed(a / sector) == step / sector);
  CHECK(placed(c / sector) - placed(b / sector) == step / sector);
  CHECK(placed(d / sector) - placed(c / sector) == 2 * step / sector);
  CHECK(placed(c / sector + 31) - placed(c / sector) == 31);
  CHECK(placed(large / sector + 7) == large / sector + 7);
  CHECK(placed(b / sector + step) == b / sector + step);  // behind its end nobody's
}

TEST_CASE("atomics at two counters of which each is an allocation meet in one slice of L2, at three in two") {
  GlobalMemory memory;
  constexpr std::uint64_t sector = 32;
  const std::array places{memory.allocate("a", 4) / sector, memory.allocate("b", 4) / sector,
                          memory.allocate("c", 4) / sector};
  const auto cycles = [&](std::vector<std::vector<std::uint64_t>> warps) {
    const GridTrace trace = trace_of(warps);
    return SlicesOfL2(trace, &memory, h100(), {.blocks = 1}).hottest(false);
  };
  const double one = cycles({{places[0]}, {places[0]}});
  CHECK(one > 60 * h100().same_address_float_cycles);
  CHECK(cycles({{places[0]}, {places[1]}}) == one);
  CHECK(cycles({{places[0]}, {places[2]}}) == one / 2);
}

TEST_CASE("where all warps of a block go to one slice and then to the next, each has its turn") {
  constexpr std::uint64_t kb = 32;  // sectors: another slice
  std::vector<std::vector<std::uint64_t>> same(4), apart(4);
  for (std::uint64_t warp = 0; warp < 4; ++warp)
    for (std::uint64_t i = 0; i < 32; ++i) {
      same[warp].push_back(i / 8 * kb);                // eight at one place
      apart[warp].push_back((i / 8 + warp) % 4 * kb);  // of the same four places another one each
    }
  const auto cycles = [&](const auto& warps, double blocks, double work) {
    const GridTrace trace = trace_of(warps);
    const SlicesOfL2 slices(trace, nullptr, h100(), {.blocks = blocks, .work = work, .sms = 132});
    return std::pair(slices.one_after_another(), slices.hottest(false));
  };
  const auto [turns, total] = cycles(same, 1, 1);
  const auto [of_apart, total_of_apart] = cycles(apart, 1, 1);
  CHECK(total == total_of_apart);
  CHECK(turns == Catch::Detail::Approx(4 * total));
  CHECK(of_apart == Catch::Detail::Approx(total_of_apart));
  CHECK(cycles(same, 132, 1).first == turns);      // other blocks are elsewhere
  CHECK(cycles(same, 133, 1).first == 2 * turns);  // the next one waits for a place
  CHECK(cycles(same, 1, 3).first == 3 * turns);    // a third of it was traced
}

}  // namespace
}  // namespace gpulab::simt
