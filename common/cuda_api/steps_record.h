#pragma once
// One launch of a program, step by step, as the program's own process tells it. A stranger's word, as all of record.h:
// decode_steps() gives none whose numbers lead out of it.

#include <string>
#include <string_view>
#include <vector>

#include "common/finding.h"
#include "common/trace/step_trace.h"

namespace gpulab::cuda_api {

struct StepsRecord {
  StepTrace steps;
  std::string ptx;                ///< that its sites are lines of
  std::vector<Finding> findings;  ///< of this launch
};

[[nodiscard]] std::string encode(StepsRecord record);
/// Throws Error (missing) for what encode() has not made.
[[nodiscard]] StepsRecord decode_steps(std::string_view text);

/// Whether each number that names a place names one that is there, and none is beyond what we would write.
[[nodiscard]] bool is_sound(const StepsRecord& record);

}  // namespace gpulab::cuda_api
