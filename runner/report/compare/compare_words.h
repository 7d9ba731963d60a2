#pragma once
// What all formats say of a comparison.

#include <string>
#include <utility>
#include <vector>

#include "runner/report/comparison.h"
#include "runner/report/grid_text.h"

namespace gpulab {

/// What all cases of a comparison have alike: lab, parameters, launch; by name, as text.
using SharedParts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] SharedParts shared_parts(const Comparison& comparison);
/// "reduce, type float, op sum, seed 42"
[[nodiscard]] std::string shared_text(const SharedParts& shared);
/// "warp, n 4194304, block 256": without what is shared.
[[nodiscard]] std::string case_text(const SharedParts& shared, const ComparedResult& result);
/// "slower", "slower (93% sure)", "undecided (71% slower)".
[[nodiscard]] std::string verdict_text(const ComparedPair& pair);
/// "shared_load_bank_conflicts 0 -> 63,488", "branch_efficiency 100% -> 65.4%"
[[nodiscard]] std::string difference_text(const CounterDifference& difference);
/// The table: case, times of A and B, ratio, interval, verdict, what it rests on.
[[nodiscard]] std::vector<TextColumn> comparison_columns(const Comparison& comparison);
/// "2 slower, 1 the same, 1 wrong now and not before, 1 gone".
[[nodiscard]] std::string summary_text(const Comparison& comparison);
/// What measured and modelled times are, where there are any.
[[nodiscard]] std::string about_times(const Comparison& comparison);
/// What the least time follows from: "16.8 MB read and written at 1.05 x 4497 GB/s, what NVIDIA H200 reaches, take 3.55
/// µs at least".
[[nodiscard]] std::string floor_text(const TimeFloor& floor);
/// The floor, and how far both are from it: "…: A takes 2.1 x that, B 1.3 x".
[[nodiscard]] std::string beside_floor(const ComparedPair& pair);

}  // namespace gpulab
