#pragma once
// barrier.cluster for a cluster of one block, which is what a launch without a cluster size has: arrival and wait are
// apart, and threads that have exited count as arrived.

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// The active lanes arrive.
void arrive_at_cluster(Warp& warp);
/// Whether the barrier that each active lane has arrived at is over.
[[nodiscard]] bool cluster_has_arrived(const Warp& warp);

}  // namespace gpulab::simt
