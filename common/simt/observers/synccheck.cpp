// Sanitizer: barriers and .sync collectives.

#include <algorithm>
#include <bit>

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

void Sanitizer::warp_synchronised(Warp& w, std::uint32_t lanes) {
  if (tools_.racecheck) block_of(w).history.warp_sync(w.index, lanes, w.live);
}

void Sanitizer::barrier_reached(Warp& w, std::uint32_t number, std::uint32_t lanes) {
  if (!tools_.racecheck) return;
  BlockHistory& history = block_of(w).history;
  SyncObject& barrier = syncs_[{static_cast<std::uint32_t>(w.block->linear), kSharedWindow + number}];
  for (std::uint32_t left = lanes; left; left &= left - 1)
    barrier.release(history.release(thread_in_block(w, std::countr_zero(left)), true));
}

void Sanitizer::barrier_completed(const BlockContext& context, std::uint32_t number, bool everyone) {
  Block& block = *blocks_.at(context.linear);
  const auto waits = [&](const Split& s) { return s.state == Split::State::barrier && s.barrier == number; };
  // Those who came by bar.arrive have gone on: they learn nothing, and what they have done since is not told.
  std::uint32_t waiting = 0;
  for (const Warp& w : context.warps)
    for (const Split& split : w.splits)
      if (waits(split)) waiting += static_cast<std::uint32_t>(std::popcount(split.mask));
  everyone = everyone && waiting == context.barriers[number].voters;
  const auto barrier = syncs_.find({static_cast<std::uint32_t>(context.linear), kSharedWindow + number});
  for (const Warp& w : context.warps) {
    const Split* first = nullptr;
    for (const Split& split : w.splits) {
      if (!waits(split)) continue;
      if (!everyone && barrier != syncs_.end())
        for (std::uint32_t left = split.mask; left; left &= left - 1)
          block.history.acquire(thread_in_block(w, std::countr_zero(left)), barrier->second.acquire());
      if (!first) {
        first = &split;
        continue;
      }
      const std::string_view opcode = program_.sites[split.resume[-1].site].instruction->opcode;
      if (!tools_.synccheck || (!opcode.starts_with("bar.") && !has(opcode, ".aligned"))) continue;
      accuse(
          "synccheck", who(w, std::countr_zero(first->mask), first->resume[-1].site),
          who(w, std::countr_zero(split.mask), split.resume[-1].site),
          "threads of one warp reach the barrier apart, in divergent code; every thread of the warp has to reach the "
          "same __syncthreads() together",
          {});
    }
  }
  if (everyone && tools_.racecheck) block.history.barrier();
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
