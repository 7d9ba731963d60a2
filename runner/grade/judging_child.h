#pragma once
// A submission judged in a process of its own (this program again), which holds no other's. It compiles and simulates
// in confined children of its own (runner/judge/judge.h).

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runner/grade/facts.h"
#include "runner/judge/judge.h"

namespace gpulab {

/// What all submissions of an assignment are asked.
struct Questions {
  std::string lab, contract;
  std::vector<std::size_t> launches{};  ///< of the contract's, in this order; empty: all
  bool every_launch = false;            ///< a kernel must be right with all of these
  GradeTrials trials;
  std::vector<std::string> counters{};  ///< that requirements name
  bool model = false;
  /// The GPU that is modelled, and not the one that is here: else a grade would be another on another machine.
  std::string profile = "h200";
  bool isolated = true;
  std::chrono::milliseconds backstop{60'000};  ///< of one launch's case, by the wall clock
};

/// `file`: what messages call it.
[[nodiscard]] Facts judge_in_child(const Questions& questions, const std::string& file, const std::string& source);

/// To be called first in main: where this process was started as such a child, judges and ends it.
void judge_submission_if_asked(int argc, const char* const* argv);

}  // namespace gpulab
