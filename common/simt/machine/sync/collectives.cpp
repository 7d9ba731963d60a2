#include "common/simt/machine/sync/collectives.h"

#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/divergence.h"

namespace gpulab::simt {

namespace {

bool is_warp_barrier(const Warp& w, const MicroOp* op) {
  return (w.program->sites[op->site].facts & kWarpBarrier) != 0;
}

}  // namespace

void wait_for_members(Warp& w, const CollectiveStop& stop) {
  Split whole = running_split(w);
  whole.resume = stop.resume;
  whole.state = Split::State::collective;
  whole.members = stop.members;
  const std::uint32_t* masks = stop.masks;
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
  running_split(w) = whole;
}

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
    w.block->launch.tell([&](Observer& observer) { observer.warp_synchronised(w, op, present); });
    if (!barrier) op->run(w, op);
    for (Split& s : w.splits)
      if (joins(s)) {
        s.state = Split::State::ready;
        ++s.resume;
      }
  }
  merge_splits(w);
}

}  // namespace gpulab::simt
