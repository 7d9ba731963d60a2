#include "common/simt/machine/warp_scheduler.h"

#include <algorithm>

#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/calls.h"
#include "common/simt/machine/divergence.h"
#include "common/simt/machine/sync/async.h"
#include "common/simt/machine/sync/collectives.h"

namespace gpulab::simt {

namespace {

/// Fuel of one split's turn while others of its warp are ready too.
constexpr std::int64_t kSplitSlice = 1 << 12;
/// A turn shorter than this does not tell a split that only polls from one that has just done so.
constexpr std::int64_t kPatience = 8 * kPollCost;

/// The running split's lanes leave the kernel.
void retire(Warp& w) {
  const std::uint32_t lanes = w.mask;
  const std::int32_t inner = running_split(w).reconvergence;
  remove_running(w);
  w.live &= ~lanes;
  finish_at_exit(w, lanes);
  withdraw(w, inner, -1, lanes);
  try_collectives(w);
  w.block->exited(active_count(lanes));
}

void reconverge(Warp& w) {
  const std::int32_t point = running_split(w).reconvergence;
  remove_running(w);
  arrive_at(w, point, w.mask);
}

/// `split`: the running one, which has Warp::mask.
[[gnu::always_inline]] inline void stop_at_barrier(Warp& w, Split& split, const BarrierStop& stop) {
  split.resume = stop.resume;
  split.barrier = stop.number;
  const LaunchState& launch = w.block->launch;
  if (launch.is_watched(kWatchBarriers | kWatchCompleted)) [[unlikely]] {
    w.block->charged += 8;  // in warp instructions
    launch.tell([&](Observer& observer) { observer.barrier_reached(w, stop.number, w.mask, stop.threads); },
                stop.threads ? kWatchCompleted : kWatchBarriers);
  }
  split.state = stop.waits ? Split::State::barrier : Split::State::ready;
  w.block->arrive(w, stop, w.mask);
}

void fall_asleep(Split& split, const SleepStop& stop) {
  split.resume = stop.resume;
  split.may_give_up = stop.may_give_up;
  split.awaited = stop.awaited;
  split.state = Split::State::asleep;
}

/// `polled`: most of the split's turn went into polling.
void end_slice(Warp& w, const SliceStop& stop, bool polled) {
  Split& split = running_split(w);
  split.block = stop.block;
  split.resume = nullptr;
  if (polled) release_waiting(w, Split(split));
}

void handle_stop(Warp& w, bool polled) {
  running_split(w).mask = w.mask;
  switch (w.stop.kind) {
    case Stop::Kind::reconverged:
      return reconverge(w);
    case Stop::Kind::slice_ended:
      return end_slice(w, w.stop.slice, polled);
    case Stop::Kind::barrier:
      return stop_at_barrier(w, running_split(w), w.stop.barrier);
    case Stop::Kind::collective:
      wait_for_members(w, w.stop.collective);
      return try_collectives(w);
    case Stop::Kind::asleep:
      return fall_asleep(running_split(w), w.stop.sleep);
    case Stop::Kind::returned:
      if (!return_from_call(w)) retire(w);
      return;
    case Stop::Kind::exited:
      return retire(w);
    case Stop::Kind::none:
      return;
  }
}

/// Runs a split until its turn ends.
[[gnu::always_inline]] inline void execute(Warp& w, std::size_t index) {
  Split& split = w.splits[index];
  take_over(w, split, index);
  const MicroOp* op = split.resume;
  split.resume = nullptr;
  if (!op) op = enter(w, split.block);
  while (op) op = op->run(w, op);
}

/// `patient`: whatever the split does, it does not count as polling.
[[gnu::noinline]] void run_split(Warp& w, std::size_t index, bool patient = false) {
  const std::int64_t fuel = w.fuel, debt = w.poll_debt;
  execute(w, index);
  handle_stop(w, !patient && 2 * (w.poll_debt - debt) > fuel - w.fuel);
}

/// The same for the only split of a warp. Most turns end at a barrier.
[[gnu::always_inline]] inline void run_only_split(Warp& w) {
  const std::int64_t fuel = w.fuel, debt = w.poll_debt;
  execute(w, 0);
  if (w.block->hop.hopped) return;
  if (w.stop.kind != Stop::Kind::barrier) return handle_stop(w, 2 * (w.poll_debt - debt) > fuel - w.fuel);
  Split& split = running_split(w);
  split.mask = w.mask;
  stop_at_barrier(w, split, w.stop.barrier);
}

/// One of several splits has a turn of `turn`, of what the warp may still run.
void run_in_turn(Warp& w, std::size_t index, std::int64_t turn, bool patient) {
  const std::int64_t rest = std::max<std::int64_t>(w.fuel - turn, 0);
  const std::int64_t debt = w.poll_debt;
  w.poll_debt = 0;
  w.fuel -= rest;
  w.block->slice -= rest;  // the clock (simulated_clock) goes on evenly
  w.block->in_turn = true;
  run_split(w, index, patient);
  w.block->in_turn = false;
  w.block->slice += rest;
  w.fuel += rest;
  w.poll_debt += debt;
}

bool is_ready(const Split& split) { return split.state == Split::State::ready; }

/// `ran`: it has run in this turn.
bool run_on(Warp& w, bool ran) {
  while (w.fuel >= 0) {
    if (w.splits.size() == 1) {
      if (!is_ready(w.splits.front())) return ran;
      run_only_split(w);
      ran = true;
      if (w.block->hop.hopped) return true;
      continue;
    }
    std::size_t next = 0;
    while (next < w.splits.size() && !is_ready(w.splits[next])) ++next;
    if (next == w.splits.size()) return ran;
    ran = true;
    // Several splits: turns, so that one that spins does not keep the others from what it waits for.
    run_in_turn(w, next, kSplitSlice, false);
    if (w.stop.kind == Stop::Kind::slice_ended) std::rotate(w.splits.begin(), w.splits.begin() + 1, w.splits.end());
  }
  return ran;
}

}  // namespace

void start_warp(Warp& w, std::uint32_t live) {
  w.live = live;
  w.splits.clear();
  for (Reconvergence& r : w.reconvergences) release_saved(w, r);
  w.reconvergences.clear();
  w.free_points.clear();
  w.running = -1;
  if (w.mask != live) set_mask(w, live);  // most end as they begin
  Split& split = w.splits.emplace_back();
  split.mask = live;
  split.block = w.program->functions[0].entry_block;
}

bool run_warp(Warp& w, std::int64_t fuel) {
  w.fuel = fuel;
  w.poll_debt = 0;
  return run_on(w, false);
}

bool resume_warp(Warp& w, const Hop& hop) {
  const std::int64_t fuel = hop.fuel, debt = hop.debt;
  const MicroOp* op = hop.next;
  while (op) op = op->run(w, op);
  if (w.block->hop.hopped) return true;
  handle_stop(w, 2 * (w.poll_debt - debt) > fuel - w.fuel);
  return run_on(w, true);
}

void retire_warp(Warp& w) { handle_stop(w, false); }

std::uint32_t go_on_from_meeting(Warp& w) {
  if (w.fuel < 0 || w.splits.size() > 2 || w.block->in_turn) return kNoBlock;
  Split& running = running_split(w);
  const std::int32_t index = running.reconvergence;
  Reconvergence& point = point_of(w, index);
  const std::uint32_t arrived = point.arrived | w.mask;
  const bool all_there = arrived == point.expected;
  if (point.call >= 0 || all_there != (w.splits.size() == 1)) return kNoBlock;
  if (all_there && point.expected == kFullMask && point.parent < 0) return kNoBlock;  // code for whole warps is quicker
  // What reconverge() and take_over() do, where a split is left alone: field by field, for what was stored so a moment
  // ago is waited for by who loads it otherwise.
  Split& left = w.splits.front();
  if (all_there) {
    left.mask = arrived;
    left.block = point.block;
    left.reconvergence = point.parent;
    left.local_base = point.local_base;
    give_back_point(w, index);
  } else {
    const Split& other = w.splits[w.running == 0 ? 1 : 0];
    if (!is_ready(other) || other.resume) return kNoBlock;
    point.arrived = arrived;
    if (w.running == 0) {
      left.mask = other.mask;
      left.block = other.block;
      left.reconvergence = other.reconvergence;
      left.local_base = other.local_base;
    }
    w.splits.pop_back();
  }
  left.resume = nullptr;
  left.state = Split::State::ready;
  w.running = 0;
  w.mask = left.mask;
  w.stop_block = left.reconvergence >= 0 ? point_of(w, left.reconvergence).block : kNoBlock;
  w.local_base = left.local_base;
  return left.block;
}

bool run_warp(Warp& w, std::int64_t fuel, Schedule& choices) {
  w.fuel = fuel;
  w.poll_debt = 0;
  bool ran = false;
  while (w.fuel >= 0) {
    const auto ready = std::count_if(w.splits.begin(), w.splits.end(), is_ready);
    if (ready == 0) return ran;
    ran = true;
    auto skip = choices.below(static_cast<std::uint64_t>(ready));
    std::size_t next = 0;
    while (!is_ready(w.splits[next]) || skip-- > 0) ++next;
    const std::int64_t turn = std::min(choices.turn(kSplitSlice), w.fuel);
    run_in_turn(w, next, turn, turn < kPatience);
  }
  return ran;
}

}  // namespace gpulab::simt
