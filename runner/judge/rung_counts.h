#pragma once
// Counters of a lab's own rungs at the size at which a student's kernel is counted: what its own stand beside.

#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/execution/executor.h"
#include "runner/judge/trials.h"

namespace gpulab {

/// A contract's classes; those of rows where it names none.
[[nodiscard]] std::vector<InputClass> all_classes(const Contract& contract);

struct RungPoint {
  TrialPoint point;
  std::optional<Scalar> type;
  std::uint64_t seed = 42;
  TrialPlace place;
};
[[nodiscard]] Result count_rung(Executor& executor, const Lab& lab, const Contract& contract, const std::string& rung,
                                const RungPoint& at, const RunOptions& options = {});

}  // namespace gpulab
