#pragma once
// The one error type: what went wrong, where, what to do next. Thrown anywhere; what ends a single case becomes its
// Result (runner/case/run_case.cpp), all else is caught in main.

#include <stdexcept>
#include <string>
#include <utility>

namespace gpulab {

/// Exit codes, as configs/schema/README.md explains them (several cases: the worst of 4, 1, 3).
enum class ExitCode : int { ok = 0, wrong = 1, usage = 2, missing = 3, launch_failed = 4, interrupted = 130 };

/// `what()` is one line without a full stop, `where` names a file:line, option or kernel (may be empty),
/// `hint` says what to do next (may be empty).
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what, std::string where = {}, std::string hint = {})
      : std::runtime_error(what), where(std::move(where)), hint(std::move(hint)), code(code) {}
  std::string where;
  std::string hint;
  ExitCode code;
};

/// Usage or configuration error: exit code 2.
inline Error usage_error(const std::string& what, std::string hint = {}, std::string where = {}) {
  return Error(ExitCode::usage, what, std::move(where), std::move(hint));
}

}  // namespace gpulab
