#include "common/simt/machine/divergence.h"

#include <algorithm>
#include <functional>

#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/calls.h"

namespace gpulab::simt {

namespace {

/// All expected lanes have come (or exited): they go on together.
void complete_if_ready(Warp& w, std::int32_t index) {
  Reconvergence& r = point_of(w, index);
  if (r.arrived != r.expected) return;
  if (r.arrived) {
    Split split;
    split.mask = r.arrived;
    split.reconvergence = r.parent;
    split.local_base = r.local_base;
    split.block = r.call >= 0 ? finish_call(w, r) : r.block;
    w.splits.push_back(split);
  }
  give_back_point(w, index);
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

/// The point where the lanes of a divergent branch meet: the enclosing one if it is the same, else a new one.
std::int32_t meeting_point(Warp& w, std::uint32_t block) {
  if (block == kNoBlock || block == w.stop_block) return running_split(w).reconvergence;
  const std::int32_t index = new_reconvergence(w);
  Reconvergence& r = point_of(w, index);
  r.block = block;
  r.expected = w.mask;
  r.parent = running_split(w).reconvergence;
  r.local_base = w.local_base;
  return index;
}

/// Lanes of the running split become one of their own, which goes to `block`.
void part(Warp& w, std::int32_t meeting, std::uint32_t lanes, std::uint32_t block) {
  Split other;
  other.mask = lanes;
  other.block = block;
  other.reconvergence = meeting;
  other.local_base = w.local_base;
  w.splits.push_back(other);
}

/// The running split goes on with `lanes` (Warp::mask, not Warp::lanes) towards `block`, which is returned.
std::uint32_t go_on(Warp& w, std::int32_t meeting, std::uint32_t lanes, std::uint32_t block) {
  Split& split = running_split(w);
  split.mask = lanes;
  split.reconvergence = meeting;
  w.stop_block = meeting >= 0 ? point_of(w, meeting).block : kNoBlock;
  w.mask = lanes;
  return block;
}

}  // namespace

std::int32_t new_reconvergence(Warp& w) {
  if (!w.free_points.empty()) {
    std::pop_heap(w.free_points.begin(), w.free_points.end(), std::greater<>());
    const std::int32_t index = w.free_points.back();
    w.free_points.pop_back();
    point_of(w, index).in_use = true;  // the rest is as give_back_point() has left it
    return index;
  }
  w.reconvergences.emplace_back().in_use = true;
  return static_cast<std::int32_t>(w.reconvergences.size() - 1);
}

void give_back_point(Warp& w, std::int32_t index) {
  Reconvergence& r = point_of(w, index);
  release_saved(w, r);
  r.block = kNoBlock;
  r.resume = nullptr;
  r.arrived = r.expected = r.local_base = r.callee = 0;
  r.parent = r.call = -1;
  r.in_use = false;
  w.free_points.push_back(index);
  std::push_heap(w.free_points.begin(), w.free_points.end(), std::greater<>());
}

void remove_running(Warp& w) {
  // What was stored in parts just now is not loaded as a whole where that changes nothing.
  if (&running_split(w) != &w.splits.back()) running_split(w) = w.splits.back();
  w.splits.pop_back();
  w.running = -1;
}

void arrive_at(Warp& w, std::int32_t index, std::uint32_t lanes) {
  point_of(w, index).arrived |= lanes;
  complete_if_ready(w, index);
}

void withdraw(Warp& w, std::int32_t from, std::int32_t until, std::uint32_t lanes) {
  while (from != until && from >= 0) {
    Reconvergence& r = point_of(w, from);
    const std::int32_t parent = r.parent;
    r.expected &= ~lanes;
    complete_if_ready(w, from);
    from = parent;
  }
}

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

bool release_waiting(Warp& w, const Split& polling) {
  for (std::int32_t i = polling.reconvergence; i >= 0; i = point_of(w, i).parent) {
    Reconvergence& r = point_of(w, i);
    if (!r.arrived || r.call >= 0) continue;
    w.block->launch.tell([&](Observer& observer) { observer.went_on_alone(w, r.arrived); });
    release(w, r);
    return true;
  }
  return false;
}

bool release_for_sleepers(Warp& w) {
  bool any = false;
  for (std::size_t i = 0; i < w.splits.size(); ++i)
    if (w.splits[i].state == Split::State::asleep) any = release_waiting(w, Split(w.splits[i])) || any;
  return any;
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

const MicroOp* diverge(Warp& w, const MicroOp* op, std::uint32_t taken) {
  const std::uint32_t block = part_lanes(w, op, taken);
  set_mask(w, w.mask);
  return enter(w, block);
}

std::uint32_t part_lanes(Warp& w, const MicroOp* op, std::uint32_t taken) {
  ++w.sites[op->site].divergent;
  const std::uint32_t stay = w.mask & ~taken;
  const std::uint32_t target = taken_block(op), next = fall_through_block(op);
  const std::int32_t meeting = meeting_point(w, post_dominator_block(op));
  if (meeting >= 0) {
    // One side is there already: no split of its own.
    Reconvergence& r = point_of(w, meeting);
    if (target == r.block) {
      r.arrived |= taken;
      return go_on(w, meeting, stay, next);
    }
    if (next == r.block) {
      r.arrived |= stay;
      return go_on(w, meeting, taken, target);
    }
  }
  part(w, meeting, taken, target);
  return go_on(w, meeting, stay, next);
}

namespace {
std::uint32_t block_in_table(Warp& w, const MicroOp* op, std::uint32_t index) {
  const auto& table = w.program->branch_tables[static_cast<std::size_t>(op->imm)];
  if (index >= table.size()) fault_message(w, op, "branch table index out of range");
  return table[index];
}
}  // namespace

const MicroOp* branch_together(Warp& w, const MicroOp* op, std::uint32_t index) {
  return enter(w, block_in_table(w, op, index));
}

const MicroOp* diverge_many(Warp& w, const MicroOp* op, const std::uint32_t* index) {
  const auto target = [&](int lane) { return block_in_table(w, op, index[lane]); };
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
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = left; rest; rest &= rest - 1)
      if (target(__builtin_ctz(rest)) == block) lanes |= rest & (0u - rest);
    left &= ~lanes;
    part(w, meeting, lanes, block);
  }
  const std::uint32_t block = go_on(w, meeting, same, target(first));
  set_mask(w, same);
  return enter(w, block);
}

}  // namespace gpulab::simt
