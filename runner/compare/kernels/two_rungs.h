#pragma once
// Two rungs of one lab.

#include "runner/case/measuring/measure.h"
#include "runner/compare/kernels/ran_pairs.h"
#include "runner/options/machine_options.h"
#include "runner/options/sweep_options.h"
#include "runner/report/comparison.h"

namespace gpulab {

/// Runs both variants of the sweep, in turn, on the same inputs. Throws usage_error where there are not two; Error
/// (interrupted) where somebody stops it.
[[nodiscard]] RanPairs run_two_rungs(const SweepOptions& sweep, const MachineOptions& machine,
                                     const MeasureOptions& measure);

/// Where nobody names a size: the lab's own `n`, an eighth and a 64th of it. Other sizes stay as they are.
[[nodiscard]] Given with_a_sweep(const Lab& lab, Given given);

/// Results of cases that stand in pairs: of the first kernel, of the second. Throws Error (interrupted).
[[nodiscard]] std::vector<RanPair> in_pairs(std::vector<Result> results);

}  // namespace gpulab
