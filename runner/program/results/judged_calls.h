#pragma once
// The tool `api`: which of the calls that gave an error are the program's mistakes.

#include <optional>

#include "common/cuda_api/record.h"
#include "runner/program/results/dropped_results.h"

namespace gpulab {

/// Makes findings of the record's failures, whose places are lines by now. `dropped`: where the program drops results;
/// nothing: it does not say. Launches by functions that the program looked at are known to it.
void judge_calls(cuda_api::Record& record, const std::optional<DroppedResults>& dropped);

}  // namespace gpulab
