#pragma once
// The least time of a case, from the bytes and operations that its lab declares: what is faster has not done the work,
// or its clock is wrong.

#include <optional>
#include <string_view>
#include <vector>

#include "labs/lab.h"
#include "runner/report/comparison.h"

namespace gpulab {

/// More than was ever measured: another GPU of the kind may be a little faster.
constexpr double kAboveCeiling = 1.05;
/// Arrays larger than so many times L2 come from memory, whatever ran before.
constexpr double kBeyondCache = 2;

/// What a GPU was measured to reach, by its profile ("h200") or its driver's name; nothing where nobody measured it.
/// Operations: those of float, double and integers on the ordinary pipes; of tensor cores nothing is said
/// (`may_use_tensors`).
[[nodiscard]] std::optional<TimeFloor> time_floor(const Work& work, std::string_view gpu, bool may_use_tensors);

/// Of pairs of labs' results, as far as their parameters are the lab's: their floors. A cold measured time below one is
/// refused where the arrays are beyond the cache; elsewhere, and of modelled times, it is a warning with the
/// arithmetic. To be called behind judge_pairs().
void judge_by_floor(Comparison& comparison, const std::vector<Lab>& labs);

/// What the lab declares for a result's parameters; nothing where they are not the lab's, or it declares nothing.
[[nodiscard]] std::optional<Work> declared_work(const std::vector<Lab>& labs, const ComparedResult& result);

}  // namespace gpulab
