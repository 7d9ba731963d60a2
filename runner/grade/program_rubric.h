#pragma once
// Points for how a whole program runs.
//
// An item of the kind `output` gives points for each case whose output is right, by weights. Unless it says otherwise,
// the case must also have launched a kernel: that is the word of the program's own process, which can forge it, and so
// a safeguard against slips alone. An item of the kind `reported` looks at nothing but that word, and says so.

#include "runner/grade/rubric.h"

namespace gpulab {

/// `is_public`: hidden cases were not run.
[[nodiscard]] GradedItem grade_output(const AssignmentItem& item, const ProgramFacts& facts, bool is_public);
[[nodiscard]] GradedItem grade_reported(const AssignmentItem& item, const ProgramFacts& facts);

}  // namespace gpulab
