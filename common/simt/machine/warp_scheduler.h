#pragma once
// A warp's turn: which of its splits runs, for how long, and what becomes of it when it stops.

#include <cstdint>

#include "common/simt/machine/schedule.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// Resets a warp for a new block: all `live` lanes at the kernel's entry.
void start_warp(Warp& warp, std::uint32_t live);
/// Runs ready splits one after another until all wait, or the fuel is used up. True if any ran.
bool run_warp(Warp& warp, std::int64_t fuel);
/// The same in an order, and by turns, that `choices` decides.
bool run_warp(Warp& warp, std::int64_t fuel, Schedule& choices);

/// The running split is where it waits for others (Warp::stop_block). Where one split of the warp alone can go on then,
/// at a block's start, that one runs now: its block, not entered yet. Else nothing changes: kNoBlock. For warps that
/// have not polled. The caller sets Warp::lanes.
std::uint32_t go_on_from_meeting(Warp& warp);

}  // namespace gpulab::simt
