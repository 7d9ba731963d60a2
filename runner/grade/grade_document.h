#pragma once
// gpulab.grade.v1: a submission's grade as a document (configs/schema/grade.json), which exports are made of. No time
// stands in it: the same submission and key give the same bytes.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runner/grade/input/submission.h"
#include "runner/grade/rubric.h"

namespace gpulab {

struct GradedSubmission {
  Submission submission;
  Facts facts;
  std::vector<GradedItem> items;  ///< none where it was not judged: it is unreadable, or the trouble is ours
  bool is_public = false;         ///< what hidden classes say was not asked: it is no grade
};

[[nodiscard]] nlohmann::ordered_json grade_json(const Assignment& assignment, const GradedSubmission& grade);

}  // namespace gpulab
