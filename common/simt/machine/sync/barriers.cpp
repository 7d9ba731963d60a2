// Barriers of a block (PTX ISA: bar, barrier): what happens when the last one comes.

#include <algorithm>
#include <bit>
#include <utility>

#include "common/simt/machine/block.h"
#include "common/simt/machine/divergence.h"

namespace gpulab::simt {

namespace {

/// bar.red: the block's verdict into the destination of the lanes that waited.
void deliver(Warp& w, const Split& split, const Barrier& barrier) {
  const MicroOp* op = split.resume - 1;
  const BarrierReduction reduction = barrier_reduction(op);
  if (reduction == BarrierReduction::count) {
    auto* d = reinterpret_cast<std::uint32_t*>(w.regs + op->r[0]);
    for (std::uint32_t left = split.mask; left; left &= left - 1) d[__builtin_ctz(left)] = barrier.votes;
    return;
  }
  const bool holds = reduction == BarrierReduction::all ? barrier.votes == barrier.voters : barrier.votes != 0;
  w.preds[op->r[0]] = (w.preds[op->r[0]] & ~split.mask) | (holds ? split.mask : 0);
}

}  // namespace

void BlockContext::exited(std::uint32_t threads) {
  live -= threads;
  for (std::uint32_t left = barriers_in_use_; left; left &= left - 1)
    complete(static_cast<std::uint32_t>(std::countr_zero(left)));
  cluster->complete();
}

void BlockContext::settle_convoy(const Warp* running) {
  if (convoy.come == 0 && !convoy.at) return;
  const Convoy of = std::exchange(convoy, {});
  const auto count = static_cast<std::uint32_t>(warps.size());
  for (Warp& w : warps) {
    if (&w == running || w.splits.empty()) continue;
    Split& split = w.splits.front();
    if ((w.index + count - of.first) % count >= of.come) {
      if (of.at) split.resume = of.at;
      continue;
    }
    split.resume = of.behind;
    split.barrier = of.barrier;
    split.state = Split::State::barrier;
    barriers[of.barrier].lanes[w.index] = kFullMask;
  }
  if (of.come == 0) return;
  barriers_in_use_ |= 1u << of.barrier;
  barriers[of.barrier].arrived = barriers[of.barrier].voters = of.come * kLanes;
}

bool BlockContext::end_whole(Warp& w) {
  const Split& split = w.splits.front();
  if (barriers_in_use_ != 0 || convoy.come != 0 || cluster->arrived != 0 || split.reconvergence >= 0 ||
      async[w.index].used)
    return false;
  w.splits.clear();
  w.running = -1;
  w.live = 0;
  live -= kLanes;
  return true;
}

void BlockContext::complete(std::uint32_t number) {
  Barrier& barrier = barriers[number];
  if (!barrier.needed && barrier.arrived < live) return;
  std::uint32_t threads = 0;
  bool all_came = true;
  for (const Warp& w : warps) {
    const std::uint32_t lanes = barrier.lanes[w.index];
    if (w.live & ~lanes) {
      if (!barrier.needed) return;
      all_came = false;
    } else if (lanes) {
      threads += kLanes;
    }
  }
  if (threads < barrier.needed) return;
  const bool everyone = !barrier.needed || all_came;
  launch.tell([&](Observer& observer) { observer.barrier_completed(*this, number, everyone); }, kWatchCompleted);
  if (everyone && barrier.voters) enter_phase(phase_ + 1);
  for (Warp& w : warps) {
    barrier.lanes[w.index] = 0;
    for (Split& split : w.splits)
      if (split.state == Split::State::barrier && split.barrier == number) {
        split.state = Split::State::ready;
        if (barrier_reduction(split.resume - 1) != BarrierReduction::none) deliver(w, split, barrier);
      }
    if (w.splits.size() > 1) merge_splits(w);
  }
  barrier.needed = barrier.votes = barrier.voters = barrier.arrived = 0;
  barriers_in_use_ &= ~(1u << number);
}

}  // namespace gpulab::simt
