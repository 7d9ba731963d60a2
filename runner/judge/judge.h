#pragma once
// A student's kernel against a contract: compiled, found, run on every class of inputs, sanitized, counted.
//
//   source --compile()--> PTX --kernel_search/--> kernels --trials.h, in a confined process--> buffers --here-->
//   Judgement
//
// Answers never leave this process; what ran in the other one gives buffers, counts and findings, and decides nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/case/judgement.h"
#include "runner/execution/open_device.h"
#include "runner/judge/requirement.h"
#include "runner/student_file/compile_options.h"

namespace gpulab {

/// What is judged beside, on inputs of an instructor's key. Of it, nothing but right or wrong is told.
struct HiddenTrials {
  std::string secret;                  ///< seeds and sizes derive from it
  std::vector<std::string> classes{};  ///< of the contract; "key": sizes of its own
};

/// Judging for a grade.
struct GradeTrials {
  std::vector<std::string> classes;  ///< of the contract, judged and told of
  std::optional<HiddenTrials> hidden{};
  bool counts = false;                 ///< every kernel is counted, also at a hidden size
  std::vector<TimedQuestion> timed{};  ///< on a GPU; empty: there is none, or nobody asks
};

struct JudgeRequest {
  const Lab* lab = nullptr;
  const Contract* contract = nullptr;  ///< null: the one that the kernel is named after, where there are several
  std::string file, source;
  std::string unreadable{};  ///< why the file is no source text: it counts as one that does not compile
  std::string kernel{};      ///< empty: the contract's name, else the only one that fits
  CompileOptions compile{};
  std::vector<Requirement> requirements{};
  std::uint64_t seed = 42;
  std::string secret{};   ///< of an instructor's key: sizes of its own; empty: none
  std::string profile{};  ///< the GPU that is modelled; empty: the one that is here, else the default
  bool model = false;
  bool isolated = true;
  JudgingLimits limits{};
  std::function<void(std::string_view of)> trying{};  ///< hears of each class of inputs that is tried
  std::optional<GradeTrials> grade{};                 ///< rungs are then not run beside, nor requirements judged
};

/// What the submission does wrong is in the Judgement, and never thrown. Throws Error: no compiler here; several
/// contracts that it may be of; interrupted.
[[nodiscard]] Judgement judge(const JudgeRequest& request);

/// ", with blocks of 64": as the end of a sentence, or nothing.
[[nodiscard]] std::string with_blocks(const char* with, const std::string& blocks, bool is_told);
/// "all 9 classes of inputs", "the one class of inputs"
[[nodiscard]] std::string all_classes_text(std::size_t count);

}  // namespace gpulab
