#pragma once
// Where lanes of a warp part and where they meet again. A divergent branch makes splits, which meet at the branch's
// immediate post-dominator: each split knows the innermost point (Reconvergence) where others expect it, each point the
// one around it. A call is such a point too: its lanes meet behind it.

#include <cstdint>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

[[nodiscard]] inline Split& running_split(Warp& w) { return w.splits[static_cast<std::size_t>(w.running)]; }
[[nodiscard]] inline Reconvergence& point_of(Warp& w, std::int32_t index) {
  return w.reconvergences[static_cast<std::size_t>(index)];
}

/// The index of an unused point. References to points do not survive it.
std::int32_t new_reconvergence(Warp& w);
/// An unused one again. Its lanes have gone on.
void give_back_point(Warp& w, std::int32_t index);
/// diverge() (warp.h) but for its last steps: the block that the running split enters next. The caller sets
/// Warp::lanes.
std::uint32_t part_lanes(Warp& w, const MicroOp* op, std::uint32_t taken);
/// The running split is over: its lanes are no split's any more.
void remove_running(Warp& w);
/// Lanes have come to a point. When it was the last of those that are expected, they all go on together.
void arrive_at(Warp& w, std::int32_t point, std::uint32_t lanes);
/// Lanes will not come to the points from `from` outwards, up to and without `until` (-1: to none at all).
void withdraw(Warp& w, std::int32_t from, std::int32_t until, std::uint32_t lanes);

/// Lanes that go on from one place after a barrier go on together, as they do on a GPU.
void merge_splits(Warp& w);

// ---- lanes that go on without those that they wait for: as independent thread scheduling has it (Volta and later), no
// ---- lane may keep the others of its warp waiting for ever

/// A split polls, maybe for what lanes will do that wait for it: those of the innermost point go on alone. False: none
/// wait.
bool release_waiting(Warp& w, const Split& polling);
/// The same for all splits that sleep.
bool release_for_sleepers(Warp& w);
/// The same for all points where any lanes wait.
bool release_diverged(Warp& w);

}  // namespace gpulab::simt
