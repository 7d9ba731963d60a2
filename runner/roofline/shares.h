#pragma once
// From the results of a run to rows under a roofline.

#include <vector>

#include "runner/case/result.h"
#include "runner/options/sweep.h"
#include "runner/report/roofline/roofline.h"

namespace gpulab {

/// `cases` are those of the run's results, in their order. `roofline` has its ceilings already; this adds rows, and
/// says of what the operations are: those that the lab declares, where it declares any for every case, else warp
/// instructions.
void add_rows(const Lab& lab, const std::vector<SweepCase>& cases, const Run& run, Roofline& roofline);

}  // namespace gpulab
