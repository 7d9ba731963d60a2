#pragma once
// From pairs of results to verdicts: right first, then times of one kind, then counters.

#include "runner/compare/odds.h"
#include "runner/report/comparison.h"

namespace gpulab {

/// Fills all of each pair but its two results, lines and floor. Measured times are judged together, because many of
/// them are compared at once. `kind`: what the pairs resemble.
void judge_pairs(Comparison& comparison, PairKind kind);

}  // namespace gpulab
