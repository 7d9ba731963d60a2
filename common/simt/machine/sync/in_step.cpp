// Blocks whose warps are whole and go from barrier to barrier together, which most kernels' do: nobody has to look who
// has arrived where. What comes of it is what run_turn() and arrive() would make of the same turns.

#include <algorithm>

#include "common/simt/machine/block.h"
#include "common/simt/machine/warp_scheduler.h"

namespace gpulab::simt {

namespace {

bool is_whole(const Warp& w) {
  return w.splits.size() == 1 && w.splits.front().mask == kFullMask && w.splits.front().reconvergence < 0;
}

/// At a barrier of the whole block that has no result.
bool at_plain_barrier(const Warp& w) {
  const BarrierStop& stop = w.stop.barrier;
  return w.stop.kind == Stop::Kind::barrier && is_whole(w) && w.mask == kFullMask && stop.waits && stop.threads == 0 &&
         barrier_reduction(stop.resume - 1) == BarrierReduction::none;
}

bool has_ended(Stop::Kind kind) { return kind == Stop::Kind::returned || kind == Stop::Kind::exited; }

}  // namespace

/// All warps are whole and ready, and nobody watches barriers.
bool BlockContext::is_in_step() const {
  if (choices || barriers_in_use_ || live != warps.size() * kLanes ||
      launch.is_watched(kWatchBarriers | kWatchCompleted))
    return false;
  return std::ranges::all_of(
      warps, [](const Warp& w) { return is_whole(w) && w.splits.front().state == Split::State::ready; });
}

/// The first warps wait at the barrier that they have come to.
void BlockContext::register_arrivals(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Split& split = warps[i].splits.front();
    split.state = Split::State::barrier;
    arrive(warps[i], split, 0, 0);
  }
}

/// Runs rounds while all warps come to the same barrier; how many warps have had their turns in the round that ends
/// otherwise. 0: `round.left` is used up between two rounds.
std::size_t BlockContext::run_in_step(std::int64_t budget, Round& round) {
  for (; round.left > 0; round = {round.left}) {
    bool ending = false;
    for (std::size_t i = 0; i < warps.size(); ++i) {
      Warp& w = warps[i];
      slice = budget;
      const Stop::Kind kind = run_until_stop(w, budget);
      if (!ending && at_plain_barrier(w) && (i == 0 || w.stop.barrier.number == warps[0].stop.barrier.number)) {
        Split& split = w.splits.front();
        split.resume = w.stop.barrier.resume;
        split.barrier = w.stop.barrier.number;
        end_turn(w, round);
        continue;
      }
      if (!ending) register_arrivals(i);
      go_on_from_stop(w, budget);
      end_turn(w, round);
      ending = has_ended(kind) && w.splits.empty();
      if (!ending) return i + 1;
    }
    if (ending) return warps.size();
    enter_phase(phase_ + 1);
    end_round(round);
  }
  return 0;
}

}  // namespace gpulab::simt
