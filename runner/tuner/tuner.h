#pragma once
// `gpulab LAB --best`: runs a space of cases, and says which is the fastest.

#include <memory>

#include "runner/case/run_case.h"
#include "runner/execution/executor.h"
#include "runner/report/tuned/tuned.h"
#include "runner/tuner/space.h"

namespace gpulab {

/// The whole space, fastest first. Throws Error (interrupted); usage_error as tuned_space().
[[nodiscard]] Tuned tuned(const SweepOptions& sweep, const std::shared_ptr<Executor>& executor,
                          const RunOptions& options);

}  // namespace gpulab
