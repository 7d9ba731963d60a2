#pragma once
// .sync instructions of a warp (shuffles, votes, bar.warp.sync): lanes that come in several groups wait for each other.

#include "common/simt/machine/stop.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// The running split waits for the members of its mask; where lanes have masks of their own, one split for each.
void wait_for_members(Warp& warp, const CollectiveStop& stop);
/// Executes each instruction whose members have all come, or exited; its lanes go on.
void try_collectives(Warp& warp);

}  // namespace gpulab::simt
