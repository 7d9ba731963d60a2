// Barriers of a block (PTX ISA: bar, barrier): what happens when the last one comes.

#include <algorithm>
#include <bit>

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
