#pragma once
// A submission's program: built alone, run by the assignment's cases, its outputs compared.

#include <string>
#include <utility>
#include <vector>

#include "runner/grade/input/program_part.h"
#include "runner/grade/program/program_facts.h"

namespace gpulab {

struct ProgramJudging {
  const ProgramPart* program = nullptr;
  std::string assignment{};                                    ///< its path, for messages
  std::vector<std::pair<std::string, std::string>> sources{};  ///< name, text: all are in one folder; .cu and .cpp are
                                                               ///< compiled
  std::vector<std::string> tools{};                            ///< of visible cases
  std::vector<std::string> counters{};                         ///< that are shown of visible cases
  std::string profile = "h200";
  bool hidden = true;  ///< hidden cases, too
  bool isolated = true;
  bool alone = false;  ///< nothing else is judged beside: what meets the backstop of the clock now is wrong
};

/// What the program does wrong is in the facts, and never thrown. Throws Error: no compiler here, an assignment's file
/// that is gone, interrupted.
[[nodiscard]] ProgramFacts judge_program(const ProgramJudging& judging);

}  // namespace gpulab
