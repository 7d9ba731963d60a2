#pragma once
// A class graded: submissions in, documents out.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runner/grade/input/assignment.h"
#include "runner/grade/input/submission.h"
#include "runner/grade/judging_child.h"
#include "runner/grade/results/result_folder.h"
#include "runner/grade/rubric.h"

namespace gpulab {

struct GradingRequest {
  const Assignment* assignment = nullptr;
  Questions questions;
  int jobs = 1;
  ResultFolder* folder = nullptr;                    ///< null: nothing is written, nothing resumed
  std::function<void(std::size_t done)> progress{};  ///< of any thread, one at a time
};

/// In the order of the submissions. A case that meets the backstop of the wall clock, or whose process is killed from
/// outside, is run again when nothing else runs; what meets it again is nobody's fault but ours: `infrastructure`.
/// Throws Error: no compiler, no GPU where one is needed, interrupted, a folder that cannot be written to.
[[nodiscard]] std::vector<nlohmann::json> grade_all(const GradingRequest& request, std::vector<Submission> submissions);

}  // namespace gpulab
