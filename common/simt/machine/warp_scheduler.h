#pragma once
// A warp's turn: which of its splits runs, for how long, and what becomes of it when it stops.

#include <cstdint>

#include "common/simt/machine/block.h"
#include "common/simt/machine/divergence.h"
#include "common/simt/machine/schedule.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// Resets a warp for a new block: all `live` lanes at the kernel's entry.
void start_warp(Warp& warp, std::uint32_t live);
/// Runs ready splits one after another until all wait, or the fuel is used up. True if any ran.
bool run_warp(Warp& warp, std::int64_t fuel);
/// Goes on with a turn that compiled code has begun.
bool resume_warp(Warp& warp, const Hop& hop);
/// The same in an order, and by turns, that `choices` decides.
bool run_warp(Warp& warp, std::int64_t fuel, Schedule& choices);

/// All lanes of a warp that has one split leave the kernel (Warp::stop).
void retire_warp(Warp& warp);

// ---- a turn's ends, also for compiled code that goes on from warp to warp ----

/// A split's lanes are those that run.
[[gnu::always_inline]] inline void take_over(Warp& w, const Split& split, std::size_t index) {
  w.running = static_cast<std::int32_t>(index);
  // Written where it changes alone: who reads it together with `mask` right behind would wait for the store.
  const std::uint32_t stop_block = split.reconvergence >= 0 ? point_of(w, split.reconvergence).block : kNoBlock;
  if (w.stop_block != stop_block) w.stop_block = stop_block;
  w.local_base = split.local_base;
  if (w.mask != split.mask) set_mask(w, split.mask);
}

/// The running split is where it waits for others (Warp::stop_block). Where one split of the warp alone can go on then,
/// at a block's start, that one runs now: its block, not entered yet. Else nothing changes: kNoBlock. For warps that
/// have not polled. The caller sets Warp::lanes.
std::uint32_t go_on_from_meeting(Warp& warp);

}  // namespace gpulab::simt
