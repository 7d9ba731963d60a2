#pragma once
// A kernel on all classes of inputs, with the launches that it is judged with: what `check` and `grade` call right.

#include <string>
#include <vector>

#include "runner/judge/kernel_search/launch_choice.h"
#include "runner/judge/trial_bench.h"

namespace gpulab {

/// Of one kernel, on the classes that somebody asked for.
struct KernelVerdict {
  std::vector<JudgedShape> shapes{};
  std::vector<Finding> findings{};  ///< the same pair of lines once
  std::string output{};             ///< of the first launch that printed
  std::uint64_t output_cut = 0;
  std::vector<AskedLaunch> launches{};  ///< that it was judged with

  [[nodiscard]] bool is_right() const;
};

/// With what the choice asks for; where one of several is enough, with the first that is right on all classes, else
/// with the one that is right on most.
[[nodiscard]] KernelVerdict judge_kernel(TrialBench& bench, const Lab& file, const FoundKernel& kernel,
                                         const std::vector<InputClass>& classes, const LaunchChoice& choice);

/// A kernel that is wrong on everyday inputs is not told what is special about extreme numbers; nor, where a launch on
/// everyday inputs faulted or never ended, that the answer is wrong: there is none.
void leave_out_moot_hints(const std::vector<InputClass>& classes, KernelVerdict& verdict);

/// Adds hints about blocks to what is wrong: which block a kernel is made for whose source does not say so.
void explain_blocks(TrialBench& bench, const Lab& file, const FoundKernel& kernel,
                    const std::vector<InputClass>& classes, const Contract& contract, KernelVerdict& verdict);

/// As findings are told of: those of one tool at one pair of lines are one, a few of all.
void add_findings(const std::vector<Finding>& findings, std::vector<Finding>& into);
/// Those that have a finding of severity error.
[[nodiscard]] std::vector<std::string> accusing_tools(const std::vector<Finding>& findings);

}  // namespace gpulab
