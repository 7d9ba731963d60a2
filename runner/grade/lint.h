#pragma once
// Is an assignment sound? The reference earns everything, the starter nothing, each wrong solution fails the item that
// it is there for, and twice alike; and what an instructor may regret is said.

#include <string>
#include <vector>

#include "runner/grade/grading.h"

namespace gpulab {

struct LintNote {
  bool is_error = true;  ///< else advice
  std::string text;
};

struct LintReport {
  std::vector<std::string> tried;  ///< a line for each solution: what it earned
  std::vector<LintNote> notes;
};

/// What can be said without running anything.
[[nodiscard]] std::vector<LintNote> advice_on(const Assignment& assignment);

/// Grades all that the assignment names. Throws Error: no compiler, interrupted.
[[nodiscard]] LintReport lint(const GradingRequest& request);

}  // namespace gpulab
