#pragma once
// Is an assignment sound? The reference earns everything, the starter nothing, each wrong solution fails the item that
// it is there for, and twice alike; and what an instructor may regret is said.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runner/grade/grading.h"

namespace gpulab {

struct LintNote {
  bool is_error = true;  ///< else advice
  std::string text;
};

struct LintReport {
  /// {"role": "reference", "starter" or "wrong", "path", "fails": its item or null, "grade": gpulab.grade.v1}
  std::vector<nlohmann::json> solutions;
  std::vector<LintNote> notes;

  [[nodiscard]] std::size_t errors() const;
};

/// What can be said without running anything.
[[nodiscard]] std::vector<LintNote> advice_on(const Assignment& assignment);

/// Grades all that the assignment names. Throws Error: no compiler, interrupted.
[[nodiscard]] LintReport lint(const GradingRequest& request);

/// For people: what each solution earned, and what it had where its item asks for something.
[[nodiscard]] std::string lint_text(const Assignment& assignment, const LintReport& report);
/// gpulab.lint.v1
[[nodiscard]] std::string lint_json(const Assignment& assignment, const LintReport& report);

}  // namespace gpulab
