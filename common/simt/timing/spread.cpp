#include "common/simt/timing/spread.h"

#include <algorithm>

namespace gpulab::simt {

namespace {

/// Of GPUs that nobody has compared it with: a guess, wide enough for what other generations do otherwise.
constexpr double kGuessed = 2;
/// Of what has no ground.
constexpr double kUnknown = 4;

/// By what bounds a launch, and whether its requests are of few sectors or of many (kGathers): of 905 kernels that
/// nobody here wrote, and that these were chosen by (all draws of tests/data/programs_….json), 90 % lie within them; of
/// a draw that nobody had seen 75 to 96 % did by the intervals before (tests/timing/README.md). What DRAM bounds by
/// whole lines is known best (98 % inside 1.25 down and 1.45 up), what waits for sectors here and there worst (69 %
/// inside 1.3 and 1.53): where these lie in L1, L2 and DRAM is what a few traced blocks say least of. Rows with fewer
/// than 15 such kernels (shared memory, atomics, launch, issue by gathers) are by our own labs, too.
struct BoundSpread {
  const char* bound;
  double down, up;                  ///< requests of few sectors
  double gathers_down, gathers_up;  ///< of many
};
constexpr BoundSpread by_bound[] = {
    {"issue", 1.32, 1.48, 1.4, 1.8},
    {"fp32", 1.32, 1.48, 1.4, 1.8},
    {"dram_bandwidth", 1.17, 1.3, 1.25, 1.55},
    {"l2_bandwidth", 1.45, 1.65, 2.0, 1.85},
    {"l1_bandwidth", 1.28, 1.5, 1.25, 1.57},
    {"shared_bandwidth", 1.35, 1.45, 1.35, 1.45},
    {"atomics", 1.4, 1.9, 1.6, 2.0},
    {"latency", 1.34, 1.49, 1.9, 2.4},
    {"launch", 1.4, 1.4, 1.4, 1.4},
};
/// Sectors of a request of global memory on the average, loads and stores: lanes side by side have four of words.
constexpr double kGathers = 5;
/// Of what has local memory, or adds floats in shared memory, at least: where its arrays lie is ptxas' to decide.
constexpr double kLocalDown = 1.35, kLocalUp = 1.8;
/// Of what prints: from card to card the host's memory is as far as its board has it.
constexpr double kPrints = 1.45;

}  // namespace

LaunchKinds kinds_of(const GridTrace& trace, bool spills) {
  LaunchKinds kinds;
  kinds.polls = trace.polls;
  kinds.managed = trace.managed;
  kinds.clock = trace.clock;
  double local = 0, all = 0, requests = 0, sectors = 0;
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses) {
      if (a.space == TracedAccess::Space::none) continue;
      all += a.times;
      local += a.space == TracedAccess::Space::local ? 1 : 0;
      if (a.space == TracedAccess::Space::global && !a.atomic) {
        requests += 1;
        sectors += a.sectors;
      }
      kinds.of_host |= a.of_host;
      kinds.loops |= a.atomic && a.real && a.space == TracedAccess::Space::shared;
    }
  kinds.local = std::max(all > 0 ? local / all : 0, spills ? 0.1 : 0.0);
  kinds.gathers = sectors > kGathers * requests;
  return kinds;
}

Spread spread_of(const LaunchKinds& kinds, const std::string& bound, const GpuTiming& gpu) {
  Spread spread{kGuessed, kGuessed, {}};
  if (gpu.validated)
    for (const BoundSpread& row : by_bound)
      if (bound == row.bound)
        spread = kinds.gathers ? Spread{row.gathers_down, row.gathers_up, {}} : Spread{row.down, row.up, {}};
  constexpr double much = 0.05;
  if (kinds.local > much || kinds.loops)
    spread = {std::max(spread.down, kLocalDown), std::max(spread.up, kLocalUp), {}};
  if (kinds.prints) spread = {std::max(spread.down, kPrints), std::max(spread.up, kPrints), {}};
  if (kinds.polls)
    spread.no_ground = "its threads wait for what others do, and how long depends on who runs when";
  else if (kinds.swaps)
    spread.no_ground = "its threads swap at one address until they succeed, and how often depends on who runs when";
  else if (kinds.queue)
    spread.no_ground = "its threads take work from a counter, and how much each gets depends on who runs when";
  else if (kinds.heap)
    spread.no_ground = "its threads call malloc or free, whose time on a GPU depends on sizes and on who calls when";
  else if (kinds.tensors)
    spread.no_ground = "it copies by tensor maps, and what such copies take has not been measured";
  else if (kinds.clock)
    spread.no_ground = "its threads wait until a clock says that it is time, and the simulator's clock is its own";
  else if (kinds.managed)
    spread.no_ground = "it uses managed memory, whose pages may have to come from the host first";
  else if (kinds.of_host)
    spread.no_ground = "it uses the host's memory over a link whose speed is assumed";
  if (!spread.no_ground.empty()) spread.down = spread.up = kUnknown;
  return spread;
}

}  // namespace gpulab::simt
