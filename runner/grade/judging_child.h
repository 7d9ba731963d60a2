#pragma once
// A submission judged in a process of its own (this program again), which holds no other's. It compiles and simulates
// in confined children of its own (runner/judge/judge.h).

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/grade/facts.h"
#include "runner/judge/judge.h"

namespace gpulab {

/// Of an assignment of the kind "program". The process that judges reads the assignment by itself: it is one of ours.
struct ProgramQuestions {
  std::string assignment, text;  ///< its path, and what that holds
  std::string digest{};          ///< of all files that cases name
  bool hidden = true;            ///< hidden cases, too
  std::vector<std::string> tools{}, counters{};
  bool alone = false;  ///< nothing else is judged beside
};

/// What all submissions of an assignment are asked.
struct Questions {
  std::string lab, contract;            ///< empty: no kernel is judged by itself
  std::vector<std::size_t> launches{};  ///< of the contract's, in this order; empty: all
  bool every_launch = false;            ///< a kernel must be right with all of these
  GradeTrials trials;
  std::vector<std::string> counters{};  ///< that requirements name
  bool model = false;
  /// The GPU that is modelled, and not the one that is here: else a grade would be another on another machine.
  std::string profile = "h200";
  bool isolated = true;
  std::chrono::milliseconds backstop{60'000};  ///< of one launch's case, by the wall clock
  std::optional<ProgramQuestions> program{};
};

/// A submission's files: name, text.
using SourceFiles = std::vector<std::pair<std::string, std::string>>;

/// `file`: what messages call it. `others`: what a program is made of beside it.
[[nodiscard]] Facts judge_in_child(const Questions& questions, const std::string& file, const std::string& source,
                                   const SourceFiles& others = {});

/// To be called first in main: where this process was started as such a child, judges and ends it.
void judge_submission_if_asked(int argc, const char* const* argv);

}  // namespace gpulab
