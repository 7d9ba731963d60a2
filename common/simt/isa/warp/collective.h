#pragma once
// Instructions that lanes of a warp execute together (.sync): a handler that finds some missing stops its split until
// they have come. Only for isa/*/*.cpp (see lanes.h).

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// True if all members that have not exited are here; else the warp is set to wait for them.
inline bool all_here(Warp& w, const MicroOp* op, u32 members) {
  if ((members & w.live & ~w.mask) == 0) return true;
  stop(w, CollectiveStop{op, members, nullptr});
  return false;
}
/// Groups of a warp may execute one instruction together, each with its own member mask (tiles of cooperative groups).
/// Runs `body(members)` for each group, or once for all if it does not depend on who takes part; if some group is not
/// complete, each waits for its own.
template <bool per_group, typename F>
[[gnu::noinline]] inline const MicroOp* in_groups(Warp& w, const MicroOp* op, const u32* masks, F body) {
  const u32 all = w.mask;
  const auto same_as = [&](u32 members) {
    u32 same = 0;
    for (int i = 0; i < kLanes; ++i) same |= static_cast<u32>(masks[i] == members) << i;
    return same & all;
  };
  for (u32 left = all; left;) {
    const u32 members = masks[__builtin_ctz(left)], group = same_as(members);
    left &= ~group;
    if (members & w.live & ~group) return stop(w, CollectiveStop{op, members, masks});
  }
  if constexpr (!per_group) {
    body(kFullMask);
    return op + 1;
  }
  for (u32 left = all; left;) {
    const u32 members = masks[__builtin_ctz(left)], group = same_as(members);
    left &= ~group;
    set_mask(w, group);
    body(members);
  }
  set_mask(w, all);
  return op + 1;
}
/// Executes `body(members)` when all of the member mask in operand k are here.
template <bool per_group = true, typename F>
inline const MicroOp* together(Warp& w, const MicroOp* op, int k, F body) {
  const u32* masks = values<u32>(w, op, k);
  const u32 members = masks[__builtin_ctz(w.mask)];
  u32 different = 0;
  for (int i = 0; i < kLanes; ++i) different |= (masks[i] ^ members) & static_cast<u32>(w.lanes[i]);
  if (different) [[unlikely]]
    return in_groups<per_group>(w, op, masks, body);
  if (!all_here(w, op, members)) return nullptr;
  body(members);
  return op + 1;
}

/// `.sync.aligned` instructions on matrices take a whole warp: they have no meaning for less.
inline bool whole_warp_here(Warp& w, const MicroOp* op) {
  if (w.live != kFullMask)
    fault_message(w, op, "matrix instruction in a warp of which some of the 32 threads have exited or never were");
  return all_here(w, op, kFullMask);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
