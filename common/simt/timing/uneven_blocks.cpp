// Grids whose blocks are not alike, or wait for each other: blocks with next to nothing to do, blocks most of whose
// warps end at once, and chains.

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/occupancy.h"
#include "common/simt/timing/model.h"

namespace gpulab::simt {

namespace {

/// Of blocks of which some do next to nothing: two waves of those that do the least, as the traced ones of them are.
std::vector<BlockTrace> idle_blocks(const GridTrace& trace, std::uint32_t per_sm) {
  std::vector<const BlockTrace*> least;
  for (const BlockTrace& block : trace.blocks) least.push_back(&block);
  std::stable_sort(least.begin(), least.end(), [](auto* a, auto* b) { return a->instructions < b->instructions; });
  const auto of_least = [&](const BlockTrace* block) { return block->instructions == least.front()->instructions; };
  const auto kinds = static_cast<std::size_t>(std::ranges::count_if(least, of_least));
  std::vector<BlockTrace> idle;
  for (std::size_t i = 0; i < 2 * std::size_t{per_sm}; ++i) idle.push_back(*least[i % kinds]);
  return idle;
}

/// Of several: the one in the middle; 0 of none.
double middle_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

/// Warps that have ended leave their places, and their registers, to the next blocks, however long the others of their
/// block go on: where one thread of 256 works, as many blocks run at once as of 32 threads (a scan of 10 million
/// integers by a thread of each block, 256 integers each: 179 us, 170 by blocks of 32; an H200). Shared memory is a
/// block's until it ends.
double TimingModel::places_of(const LaunchState& launch, const SmResult& sm, std::uint32_t per_sm) const {
  constexpr int threads = 128, warps = threads / 32, fit = 32;  // registers with which all threads have room
  if (sm.warp_cycles <= 0) return per_sm;
  const int registers = of_thread_.used ? static_cast<int>(of_thread_.used) : fit;
  const auto limits =
      block_limits(profile_, registers, launch.program->static_shared_bytes, launch.dynamic_shared_bytes, threads);
  if (!limits || !limits->registers || !limits->warps || !limits->blocks) return per_sm;
  const double places = std::min(*limits->registers, *limits->warps) * warps;
  const double most = std::min(*limits->blocks, limits->shared.value_or(*limits->blocks));
  const double of_block = static_cast<double>((launch.block.volume() + 31) / 32);
  if (std::min(std::floor(places / of_block), most) > per_sm) return per_sm;  // something else says how many
  return std::max<double>(per_sm, std::min(most, places * sm.block_cycles / sm.warp_cycles));
}

/// Where some blocks do next to nothing, instructions and not blocks say how much is left: those beside what each block
/// executes, which takes no such time (of 16 384 blocks 128 work; 174 us, as without the others).
double TimingModel::uneven_cycles(const GridTrace& trace, const TimedCode& code, double of_sm, const Room& room) const {
  const auto& [share, per_sm, blocks, used] = room;
  const auto traced = static_cast<double>(trace.blocks.size());
  const auto least =
      static_cast<double>(std::ranges::min_element(trace.blocks, {}, &BlockTrace::instructions)->instructions);
  const double all = std::max(0.0, static_cast<double>(trace.executed) - blocks * least);
  double cycles = of_sm * all / used / std::max(1.0, std::max(1.0, traced_instructions(trace)) - traced * least);
  // The others still come and go: 65 536 blocks of 256 threads, of which 2048 read and store 524 288 sectors, 59 us.
  if (const std::vector<BlockTrace> idle = idle_blocks(trace, per_sm); idle.front().accesses.empty()) {
    MemoryShare warm = share;
    warm.cold_code = false;
    const SmResult alone = run_sm(gpu_, code, idle, per_sm, gpu_.block_cycles * used, warm, 0, false);
    cycles += alone.cycles / static_cast<double>(idle.size()) * (blocks / used - traced);
  }
  return std::max(cycles, blocks / used * least / 4);
}

/// A link: what the block before has stored goes to L2 and a look at it comes back, which waits for half a round trip
/// of the look before on the average, and as long for its own. Then comes what a block does between its poll and the
/// store that lets the next one go, as the SM has it: loads of what was handed over, a fence. Ahead of the first link
/// is what a block does before it polls. An H100 takes 0.34 us where there is nothing between (StreamCompaction), and
/// 0.85 where a load of L2 and a __threadfence() are.
double TimingModel::chain_cycles(const GridTrace& trace, const TimedCode& code, const std::vector<Met>& met,
                                 const Room& room) const {
  std::vector<Met> apart;
  if (trace.of_witnesses) apart = run_sm(gpu_, code, trace.witnesses, room.per_sm, 0, room.share).met;
  std::vector<double> ahead, between;
  for (const Link& link : trace.chain.links) {
    const Met *poll = nullptr, *pass = nullptr;
    for (const Met& m : trace.of_witnesses ? apart : met) {
      if (m.block != link.block) continue;
      if (m.meeting == link.poll) poll = &m;
      if (m.meeting == link.pass) pass = &m;
    }
    if (!poll || !pass) continue;
    ahead.push_back(poll->since_start);
    between.push_back(std::max(0.0, pass->at - poll->there));
  }
  return middle_of(ahead) + trace.chain.part * room.blocks * (2 * gpu_.atomic_latency + middle_of(between));
}

}  // namespace gpulab::simt
