#pragma once
// Counters of two results that differ, exactly: the simulator gives the same counts in every run.

#include <vector>

#include "runner/report/comparison.h"

namespace gpulab {

/// Of counters that both have, those that are not equal, worst first: what may make B slower, the most first; then what
/// may make it faster; then what does neither. Empty where they were counted at different sizes.
[[nodiscard]] std::vector<CounterDifference> counter_differences(const ComparedResult& a, const ComparedResult& b);

/// What counters alone say, where there are no times.
struct CounterVerdict {
  bool rises = false, falls = false;  ///< a cost, by more than the threshold
  std::vector<std::string> which{};   ///< that rise, in words: "warp_instructions by 8%"
};
[[nodiscard]] CounterVerdict counter_verdict(const std::vector<CounterDifference>& differences, double threshold);

}  // namespace gpulab
