// Divergence and reconvergence: splits of a warp, and where they wait for each other.

#include "common/simt/machine/warp.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/simt/decode/program.h"
#include "common/simt/machine/async.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/calls.h"

namespace gpulab::simt {

namespace {

/// Fuel of one split's turn while others of its warp are ready too.
constexpr std::int64_t kSplitSlice = 1 << 12;
/// A turn shorter than this does not tell a split that only polls from one that has just done so.
constexpr std::int64_t kPatience = 8 * kPollCost;

std::int32_t new_reconvergence(Warp& w) {
  for (std::size_t i = 0; i < w.reconvergences.size(); ++i)
    if (!w.reconvergences[i].in_use) {
      w.reconvergences[i] = Reconvergence{};
      w.reconvergences[i].in_use = true;
      return static_cast<std::int32_t>(i);
    }
  w.reconvergences.emplace_back().in_use = true;
  return static_cast<std::int32_t>(w.reconvergences.size() - 1);
}

void remove_running(Warp& w) {
  w.splits[static_cast<std::size_t>(w.running)] = w.splits.back();
  w.splits.pop_back();
  w.running = -1;
}

/// All expected lanes have come (or exited): they go on together.
void complete_if_ready(Warp& w, std::int32_t index) {
  Reconvergence& r = w.reconvergences[static_cast<std::size_t>(index)];
  if (r.arrived != r.expected) return;
  if (r.arrived) {
    Split split;
    split.mask = r.arrived;
    split.reconvergence = r.parent;
    split.local_base = r.local_base;
    split.block = r.block;
    if (r.call >= 0) split.block = finish_call(w, r);
    w.splits.push_back(split);
  }
  r.in_use = false;
}

/// Lanes leave the split's reconvergence points up to, and without, `until`.
void withdraw(Warp& w, std::int32_t from, std::int32_t until, std::uint32_t lanes) {
  while (from != until && from >= 0) {
    Reconvergence& r = w.reconvergences[static_cast<std::size_t>(from)];
    const std::int32_t parent = r.parent;
    r.expected &= ~lanes;
    complete_if_ready(w, from);
    from = parent;
  }
}

void arrive(Warp& w, std::int32_t index, std::uint32_t lanes) {
  w.reconvergences[static_cast<std::size_t>(index)].arrived |= lanes;
  complete_if_ready(w, index);
}

bool is_warp_barrier(const Warp& w, const MicroOp* op) {
  return (w.program->sites[op->site].facts & kWarpBarrier) != 0;
}

/// Lets waiting splits execute a .sync instruction once all its members have come.
void try_collectives(Warp& w) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    const Split& first = w.splits[i];
    if (first.state != Split::State::collective) continue;
    const MicroOp* op = first.resume;
    const std::uint32_t members = first.members;
    const bool barrier = is_warp_barrier(w, op);
    const auto joins = [&](const Split& s) {
      return s.state == Split::State::collective && s.members == members &&
             (s.resume == op || (barrier && is_warp_barrier(w, s.resume)));
    };
    std::uint32_t present = 0;
    for (const Split& s : w.splits)
      if (joins(s)) present |= s.mask;
    if (members & w.live & ~present) continue;
    set_mask(w, present);
    w.block->launch.tell([&](Observer& observer) { observer.warp_synchronised(w, present); });
    if (!barrier) op->run(w, op);
    for (Split& s : w.splits)
      if (joins(s)) {
        s.state = Split::State::ready;
        ++s.resume;
      }
  }
  merge_splits(w);
}

void retire(Warp& w) {
  const std::uint32_t lanes = w.mask;
  const std::int32_t inner = w.splits[static_cast<std::size_t>(w.running)].reconvergence;
  remove_running(w);
  w.live &= ~lanes;
  finish_at_exit(w, lanes);
  withdraw(w, inner, -1, lanes);
  try_collectives(w);
  w.block->exited(active_count(lanes));
}

void return_from_call(Warp& w) {
  const std::uint32_t lanes = w.mask;
  const std::int32_t inner = w.splits[static_cast<std::size_t>(w.running)].reconvergence;
  std::int32_t call = inner;
  while (call >= 0 && w.reconvergences[static_cast<std::size_t>(call)].call < 0)
    call = w.reconvergences[static_cast<std::size_t>(call)].parent;
  if (call < 0) return retire(w);
  remove_running(w);
  withdraw(w, inner, call, lanes);
  arrive(w, call, lanes);
}

/// The lanes that have come to a point go on without those that have not.
void release(Warp& w, Reconvergence& r) {
  Split split;
  split.mask = r.arrived;
  split.block = r.block;
  split.reconvergence = r.parent;
  split.local_base = r.local_base;
  r.expected &= ~r.arrived;
  r.arrived = 0;
  w.splits.push_back(split);
}

/// A split spins while lanes of its warp wait for it at a reconvergence point: it may be spinning for them. They go
/// on alone, as Volta's scheduler guarantees (independent thread scheduling).
bool release_waiting(Warp& w, const Split& spinning) {
  for (std::int32_t i = spinning.reconvergence; i >= 0; i = w.reconvergences[static_cast<std::size_t>(i)].parent) {
    Reconvergence& r = w.reconvergences[static_cast<std::size_t>(i)];
    if (!r.arrived || r.call >= 0) continue;
    w.block->launch.tell([&](Observer& observer) { observer.went_on_alone(w, r.arrived); });
    release(w, r);
    return true;
  }
  return false;
}

void stop_at_barrier(Warp& w) {
  Split& split = w.splits[static_cast<std::size_t>(w.running)];
  split.resume = w.resume;
  split.barrier = w.stop_value;
  w.block->launch.tell([&](Observer& observer) { observer.barrier_reached(w, w.stop_value, w.mask, w.stop_count); },
                       w.stop_count ? 0 : kWatchBarriers);
  split.state = w.stop_waits ? Split::State::barrier : Split::State::ready;
  w.block->arrive(w, split, active_count(w.stop_votes), w.stop_count);
}

/// The running split waits for the members of its mask; where lanes have masks of their own, one split for each.
void wait_for_members(Warp& w) {
  Split whole = w.splits[static_cast<std::size_t>(w.running)];
  whole.resume = w.resume;
  whole.state = Split::State::collective;
  whole.members = w.stop_value;
  const std::uint32_t* masks = std::exchange(w.stop_masks, nullptr);
  std::uint32_t left = whole.mask;
  while (masks && left) {
    Split group = whole;
    group.members = masks[__builtin_ctz(left)];
    group.mask = 0;
    for (std::uint32_t rest = left; rest; rest &= rest - 1)
      if (masks[__builtin_ctz(rest)] == group.members) group.mask |= rest & (0u - rest);
    left &= ~group.mask;
    if (left) w.splits.push_back(group);
    whole.mask = group.mask;
    whole.members = group.members;
  }
  w.splits[static_cast<std::size_t>(w.running)] = whole;
}

/// `spun`: most of the split's turn went into polling.
void handle_stop(Warp& w, bool spun) {
  Split& split = w.splits[static_cast<std::size_t>(w.running)];
  split.mask = w.mask;
  switch (w.stop) {
    case Stop::reconverged: {
      const std::int32_t at = split.reconvergence;
      remove_running(w);
      arrive(w, at, w.mask);
      break;
    }
    case Stop::slice_ended:
      split.block = w.resume_block;
      split.resume = nullptr;
      if (spun) release_waiting(w, Split(split));
      break;
    case Stop::barrier:
      stop_at_barrier(w);
      break;
    case Stop::collective:
      wait_for_members(w);
      try_collectives(w);
      break;
    case Stop::asleep:
      split.resume = w.resume;
      split.may_give_up = !w.stop_waits;
      split.state = Split::State::asleep;
      break;
    case Stop::returned:
      return_from_call(w);
      break;
    case Stop::exited:
      retire(w);
      break;
    case Stop::none:
      break;
  }
}

/// `patient`: whatever the split does, it does not count as polling.
void run_split(Warp& w, std::size_t index, bool patient = false) {
  Split& split = w.splits[index];
  w.running = static_cast<std::int32_t>(index);
  w.stop_block =
      split.reconvergence >= 0 ? w.reconvergences[static_cast<std::size_t>(split.reconvergence)].block : kNoBlock;
  w.local_base = split.local_base;
  if (w.mask != split.mask) set_mask(w, split.mask);
  const MicroOp* op = split.resume;
  split.resume = nullptr;
  const std::int64_t fuel = w.fuel, debt = w.poll_debt;
  if (!op) op = enter(w, split.block);
  while (op) op = op->run(w, op);
  handle_stop(w, !patient && 2 * (w.poll_debt - debt) > fuel - w.fuel);
}

std::uint32_t fall_through(const MicroOp* op) { return op->r[2] | static_cast<std::uint32_t>(op->r[3]) << 16; }
std::uint32_t post_dominator(const MicroOp* op) { return op->r[4] | static_cast<std::uint32_t>(op->r[5]) << 16; }

/// The point where the lanes of a divergent branch meet: the enclosing one if it is the same, else a new one.
std::int32_t meeting_point(Warp& w, std::uint32_t block) {
  Split& split = w.splits[static_cast<std::size_t>(w.running)];
  if (block == kNoBlock || block == w.stop_block) return split.reconvergence;
  const std::int32_t index = new_reconvergence(w);
  Reconvergence& r = w.reconvergences[static_cast<std::size_t>(index)];
  r.block = block;
  r.expected = w.mask;
  r.parent = split.reconvergence;
  r.local_base = w.local_base;
  return index;
}

/// The running split goes on with `lanes` towards `block`.
const MicroOp* go_on(Warp& w, std::int32_t meeting, std::uint32_t lanes, std::uint32_t block) {
  Split& split = w.splits[static_cast<std::size_t>(w.running)];
  split.mask = lanes;
  split.reconvergence = meeting;
  w.stop_block = meeting >= 0 ? w.reconvergences[static_cast<std::size_t>(meeting)].block : kNoBlock;
  set_mask(w, lanes);
  return enter(w, block);
}

}  // namespace

void merge_splits(Warp& w) {
  for (std::size_t i = 0; i + 1 < w.splits.size(); ++i)
    for (std::size_t k = w.splits.size() - 1; k > i; --k) {
      Split& a = w.splits[i];
      const Split& b = w.splits[k];
      if (a.state != Split::State::ready || b.state != Split::State::ready || !a.resume || a.resume != b.resume ||
          a.reconvergence != b.reconvergence || a.local_base != b.local_base)
        continue;
      a.mask |= b.mask;
      w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

bool release_diverged(Warp& w) {
  bool any = false;
  for (Reconvergence& r : w.reconvergences) {
    if (!r.in_use || !r.arrived || r.call >= 0) continue;
    release(w, r);
    any = true;
  }
  return any;
}

void start_warp(Warp& w, std::uint32_t live) {
  w.live = live;
  w.splits.clear();
  w.reconvergences.clear();
  w.running = -1;
  w.mask = 0;
  Split& split = w.splits.emplace_back();
  split.mask = live;
  split.block = w.program->functions[0].entry_block;
}

bool release_for_sleepers(Warp& w) {
  bool any = false;
  for (std::size_t i = 0; i < w.splits.size(); ++i)
    if (w.splits[i].state == Split::State::asleep) any = release_waiting(w, Split(w.splits[i])) || any;
  return any;
}

bool has_ready_split(const Warp& w) {
  return std::any_of(w.splits.begin(), w.splits.end(), [](const Split& s) { return s.state == Split::State::ready; });
}

namespace {

/// One of several splits has a turn of `turn`, of what the warp may still run.
void run_in_turn(Warp& w, std::size_t index, std::int64_t turn, bool patient) {
  const std::int64_t rest = std::max<std::int64_t>(w.fuel - turn, 0);
  const std::int64_t debt = w.poll_debt;
  w.poll_debt = 0;
  w.fuel -= rest;
  w.block->slice -= rest;  // the clock (simulated_clock) goes on evenly
  run_split(w, index, patient);
  w.block->slice += rest;
  w.fuel += rest;
  w.poll_debt += debt;
}

}  // namespace

bool run_warp(Warp& w, std::int64_t fuel) {
  w.fuel = fuel;
  w.poll_debt = 0;
  bool ran = false;
  while (w.fuel >= 0) {
    if (w.splits.size() == 1) {
      if (w.splits.front().state != Split::State::ready) return ran;
      run_split(w, 0);
      ran = true;
      continue;
    }
    std::size_t next = 0;
    while (next < w.splits.size() && w.splits[next].state != Split::State::ready) ++next;
    if (next == w.splits.size()) return ran;
    ran = true;
    // Several splits: turns, so that one that spins does not keep the others from what it waits for.
    run_in_turn(w, next, kSplitSlice, false);
    if (w.stop == Stop::slice_ended) std::rotate(w.splits.begin(), w.splits.begin() + 1, w.splits.end());
  }
  return ran;
}

bool run_warp(Warp& w, std::int64_t fuel, Schedule& choices) {
  w.fuel = fuel;
  w.poll_debt = 0;
  bool ran = false;
  while (w.fuel >= 0) {
    const auto is_ready = [](const Split& s) { return s.state == Split::State::ready; };
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

const MicroOp* diverge(Warp& w, const MicroOp* op, std::uint32_t taken) {
  ++w.sites[op->site].divergent;
  const std::uint32_t stay = w.mask & ~taken;
  const auto target = static_cast<std::uint32_t>(op->imm);
  const std::uint32_t next = fall_through(op), meet = post_dominator(op);
  const std::int32_t meeting = meeting_point(w, meet);
  if (meeting >= 0) {
    // One side is there already: no split of its own.
    Reconvergence& r = w.reconvergences[static_cast<std::size_t>(meeting)];
    if (target == r.block) {
      r.arrived |= taken;
      return go_on(w, meeting, stay, next);
    }
    if (next == r.block) {
      r.arrived |= stay;
      return go_on(w, meeting, taken, target);
    }
  }
  Split other;
  other.mask = taken;
  other.block = target;
  other.reconvergence = meeting;
  other.local_base = w.local_base;
  w.splits.push_back(other);
  return go_on(w, meeting, stay, next);
}

const MicroOp* diverge_many(Warp& w, const MicroOp* op, const std::uint32_t* index) {
  const auto& table = w.program->branch_tables[static_cast<std::size_t>(op->imm)];
  const auto target = [&](int lane) {
    if (index[lane] >= table.size()) fault_message(w, op, "branch table index out of range");
    return table[index[lane]];
  };
  const int first = __builtin_ctz(w.mask);
  std::uint32_t same = 0;
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    same |= static_cast<std::uint32_t>(target(lane) == target(first)) << lane;
  }
  if (same == w.mask) return enter(w, target(first));
  ++w.sites[op->site].divergent;
  const std::uint32_t here = w.program->sites[op->site].block;
  const std::int32_t meeting = meeting_point(w, w.blocks[here].post_dominator);
  for (std::uint32_t left = w.mask & ~same; left;) {
    const std::uint32_t block = target(__builtin_ctz(left));
    Split other;
    for (std::uint32_t rest = left; rest; rest &= rest - 1)
      if (target(__builtin_ctz(rest)) == block) other.mask |= rest & (0u - rest);
    other.block = block;
    other.reconvergence = meeting;
    other.local_base = w.local_base;
    left &= ~other.mask;
    w.splits.push_back(other);
  }
  return go_on(w, meeting, same, target(first));
}

const MicroOp* call_function(Warp& w, const MicroOp* op) {
  const CallInfo& call = w.program->calls[static_cast<std::size_t>(op->imm)];
  if (call.callee < 0) {
    call_builtin(w, op, call);
    return enter(w, call.return_block);
  }
  const std::int32_t point = begin_call(w, op, call, new_reconvergence(w));
  enter_function(w, op, call, static_cast<std::uint32_t>(call.callee), point, w.mask);
  Split& split = w.splits[static_cast<std::size_t>(w.running)];
  split.reconvergence = point;
  split.local_base = w.local_base = callee_frame(w, call);
  w.stop_block = kNoBlock;
  return enter(w, w.program->functions[static_cast<std::size_t>(call.callee)].entry_block);
}

const MicroOp* call_indirect(Warp& w, const MicroOp* op, const std::uint64_t* addresses) {
  const CallInfo& call = w.program->calls[static_cast<std::size_t>(op->imm)];
  const std::int32_t point = begin_call(w, op, call, new_reconvergence(w));
  std::uint32_t left = w.mask, first_lanes = 0, first_callee = 0;
  const std::uint32_t frame = callee_frame(w, call);
  while (left) {
    const std::uint64_t address = addresses[__builtin_ctz(left)];
    const std::uint32_t callee = function_at(w, op, address);
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = left; rest; rest &= rest - 1)
      if (addresses[__builtin_ctz(rest)] == address) lanes |= rest & (0u - rest);
    left &= ~lanes;
    enter_function(w, op, call, callee, point, lanes);
    if (!first_lanes) {
      first_lanes = lanes;
      first_callee = callee;
      continue;
    }
    Split other;
    other.mask = lanes;
    other.block = w.program->functions[callee].entry_block;
    other.reconvergence = point;
    other.local_base = frame;
    w.splits.push_back(other);
  }
  Split& split = w.splits[static_cast<std::size_t>(w.running)];
  split.mask = first_lanes;
  split.reconvergence = point;
  split.local_base = w.local_base = frame;
  w.stop_block = kNoBlock;
  set_mask(w, first_lanes);
  return enter(w, w.program->functions[first_callee].entry_block);
}

}  // namespace gpulab::simt
