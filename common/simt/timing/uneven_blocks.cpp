// Grids whose blocks are not alike, or wait for each other: blocks with next to nothing to do, and chains.

#include <algorithm>
#include <vector>

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
