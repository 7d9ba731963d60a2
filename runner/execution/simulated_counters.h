#pragma once
// Counters for a case that ran on a GPU: the same case simulated beside it, smaller where it must be.

#include "runner/execution/executor.h"

namespace gpulab {

/// Fills result.counters by simulating `point` at the largest sizes (halved alike until they fit) that take about
/// `seconds`; result.counters_params then names them. Counted at its own size, it has
/// its modelled time, too. A case that the simulator cannot run keeps its result and says
/// why in its message.
void add_simulated_counters(Executor& simulator, const Lab& lab, const Variant& variant, const Case& point,
                            const RunOptions& options, double seconds, Result& result);

}  // namespace gpulab
