// Sanitizer: barriers and .sync collectives.

#include <algorithm>
#include <bit>
#include <optional>

#include "common/simt/observers/sanitizer_state.h"

namespace gpulab::simt {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The lane that shfl.sync reads: itself where the source is out of range (PTX ISA: shfl.sync).
int shuffle_source(std::string_view opcode, int lane, std::uint32_t b, std::uint32_t c) {
  const int amount = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int most = (lane & segment) | (clamp & ~segment);
  if (has(opcode, ".up")) return lane - amount >= most ? lane - amount : lane;
  const int from = has(opcode, ".down")   ? lane + amount
                   : has(opcode, ".bfly") ? lane ^ amount
                                          : (lane & segment) | (amount & ~segment);
  return from <= most ? from : lane;
}

}  // namespace

namespace {

/// Lanes that the block's last warp may lack were never there.
std::uint32_t lanes_that_have_left(const Warp& w, std::uint32_t threads) {
  const std::uint32_t lanes = std::min<std::uint32_t>(threads - w.index * kLanes, kLanes);
  return ~w.live & (lanes == kLanes ? kFullMask : (1u << lanes) - 1);
}

}  // namespace

void Sanitizer::warp_synchronised(Warp& w, std::uint32_t lanes) {
  if (!tools_.racecheck) return;
  BlockHistory& history = block_of(w).history;
  if (const std::uint32_t left = lanes_that_have_left(w, threads_)) history.leave(w.index, left);
  history.warp_sync(w.index, lanes, w.live);
}

void Sanitizer::went_on_alone(const Warp& w, std::uint32_t lanes) { block_of(w).alone[w.index] |= lanes; }

void Sanitizer::barrier_reached(Warp& w, std::uint32_t number, std::uint32_t lanes, std::uint32_t count) {
  if (!tools_.racecheck || count == 0) return;
  BlockHistory& history = block_of(w).history;
  SyncObject& barrier = syncs_[{static_cast<std::uint32_t>(w.block->linear), kSharedWindow + number}];
  for (std::uint32_t left = lanes; left; left &= left - 1)
    barrier.release(history.release(thread_in_block(w, std::countr_zero(left)), true));
}

namespace {

bool waits_at(const Split& split, std::uint32_t number) {
  return split.state == Split::State::barrier && split.barrier == number;
}

}  // namespace

/// All who wait at a barrier that completes: at one place, and nobody has left.
void Sanitizer::check_barrier(const BlockContext& context, std::uint32_t number) {
  struct Waiter {
    const Warp* warp;
    const Split* split;
    [[nodiscard]] std::uint32_t site() const { return split->resume[-1].site; }
  };
  const auto thread = [&](const Waiter& at) { return who(*at.warp, std::countr_zero(at.split->mask), at.site()); };
  std::vector<Waiter> firsts;  // of each warp
  bool apart = false;
  for (const Warp& w : context.warps) {
    std::optional<Waiter> first;
    for (const Split& split : w.splits) {
      if (!waits_at(split, number)) continue;
      if (!first) {
        first = Waiter{&w, &split};
        continue;
      }
      const Waiter second{&w, &split};
      // Branches would have met before the barrier, had nobody polled.
      const std::uint32_t alone = block_of(w).alone[w.index];
      if (second.site() == first->site() && (alone & (first->split->mask | split.mask))) continue;
      const std::string_view opcode = program_.sites[second.site()].instruction->opcode;
      if (!opcode.starts_with("bar.") && !has(opcode, ".aligned")) continue;
      apart = true;
      accuse(
          "synccheck", thread(*first), thread(second),
          "threads of one warp reach the barrier apart, in divergent code; every thread of the warp has to reach the "
          "same __syncthreads() together",
          {});
    }
    if (first) firsts.push_back(*first);
  }
  // A thread count makes a named barrier, which producers and consumers use at places of their own.
  if (apart || firsts.empty() || context.barriers[number].needed) return;
  const auto elsewhere = std::find_if(firsts.begin(), firsts.end(),
                                      [&](const Waiter& other) { return other.site() != firsts.front().site(); });
  if (elsewhere != firsts.end())
    accuse("synccheck", thread(firsts.front()), thread(*elsewhere),
           "warps of one block wait for each other at different barriers; every thread of the block has to reach the "
           "same __syncthreads(), in a loop equally often",
           {});
  else if (context.live < threads_)
    accuse("synccheck", thread(firsts.front()), {},
           "a barrier does not wait for the threads that have left the kernel (since Volta; before, it hung); let all "
           "threads reach it, with a condition around the work instead of a return",
           {})
        .severity = Severity::note;
}

void Sanitizer::barrier_completed(const BlockContext& context, std::uint32_t number, bool everyone) {
  if (tools_.synccheck) check_barrier(context, number);
  Block& block = *blocks_.at(context.linear);
  for (const Warp& w : context.warps)
    if (context.barriers[number].lanes[w.index]) block.alone[w.index] = 0;
  if (!tools_.racecheck) return;
  // Those who came by bar.arrive have gone on: they learn nothing, and what they have done since is not told.
  std::uint32_t waiting = 0;
  for (const Warp& w : context.warps)
    for (const Split& split : w.splits)
      if (waits_at(split, number)) waiting += static_cast<std::uint32_t>(std::popcount(split.mask));
  everyone = everyone && waiting == context.barriers[number].voters;
  const auto barrier = syncs_.find({static_cast<std::uint32_t>(context.linear), kSharedWindow + number});
  if (everyone) {
    if (context.live < threads_)
      for (const Warp& w : context.warps) block.history.leave(w.index, lanes_that_have_left(w, threads_));
    return block.history.barrier();
  }
  if (barrier == syncs_.end()) return;
  for (const Warp& w : context.warps)
    for (const Split& split : w.splits)
      if (waits_at(split, number))
        for (std::uint32_t left = split.mask; left; left &= left - 1)
          block.history.acquire(thread_in_block(w, std::countr_zero(left)), barrier->second.acquire());
}

void Sanitizer::collective(Warp& w, const MicroOp* op) {
  const Site& site = program_.sites[op->site];
  const auto& operands = site.row->meaning.operands;
  int entry = 0, mask_entry = -1;
  for (const OperandType& operand : operands) {
    if (operand.role == Role::in) mask_entry = entry;
    if (operand.role != Role::none) entry += operand.vector;
  }
  if (mask_entry < 0 || site.row->unit != Unit::warp) return;
  const auto lane_value = [&](int k, int lane) {
    return reinterpret_cast<const std::uint32_t*>(w.regs + op->r[static_cast<std::size_t>(k)])[lane];
  };
  // Lanes that come together with masks of their own are groups of their own (tiles of cooperative groups).
  for (std::uint32_t left = w.mask; left;) {
    const std::uint32_t members = lane_value(mask_entry, std::countr_zero(left));
    std::uint32_t group = 0;
    for (std::uint32_t rest = left; rest; rest &= rest - 1)
      if (lane_value(mask_entry, std::countr_zero(rest)) == members) group |= rest & -rest;
    left &= ~group;
    if ((members & w.live & ~group) == 0) warp_synchronised(w, members & group);
    if (tools_.synccheck) check_group(w, op, group, members);
  }
}

/// `group`: the lanes that name the mask `members`.
void Sanitizer::check_group(const Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members) {
  const std::string_view opcode = program_.sites[op->site].instruction->opcode;
  // Where the whole warp is there and says so, every source lane is, too.
  if (members == kFullMask && group == kFullMask && w.live == kFullMask) return;
  const bool shuffles = opcode.starts_with("shfl");
  const auto operand = [&](int k, int lane) {
    return reinterpret_cast<const std::uint32_t*>(w.regs + op->r[static_cast<std::size_t>(k)])[lane];
  };
  for (std::uint32_t left = group; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto accuse_lane = [&](const std::string& message) {
      accuse("synccheck", who(w, lane, op->site), {}, message, {});
    };
    if (members & w.mask & ~group)
      accuse_lane("lanes of one warp name different member masks; all have to name the same lanes");
    if (!(members >> lane & 1))
      accuse_lane("a thread is not in the member mask that it names; the mask has to name every lane that comes here");
    if (!shuffles) continue;
    const auto from = shuffle_source(opcode, lane, operand(3, lane), operand(4, lane));
    if (from != lane && (!(members >> from & 1) || !(w.live >> from & 1)))
      accuse_lane(w.live >> from & 1 ? "a shuffle reads a lane that is not in the member mask; its value is undefined"
                                     : "a shuffle reads a lane that has exited; its value is undefined");
  }
}

}  // namespace gpulab::simt
