#pragma once
// `gpulab exec --explain`: of each kernel the lines that cost the most, and why.

#include <string>
#include <string_view>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "runner/report/explain/explanation.h"

namespace gpulab {

/// The kernel's dearest launch with the text of its source, where that is shown.
struct ExplainedKernel {
  LaunchLines launch;
  std::vector<std::string_view> text;  ///< the source's lines
  int sm_count = 0;
  Explanation explanation;  ///< of `launch`: its marks, the worst first
  ExplainedKernel(const cuda_api::KernelRecord& kernel, const ProgramRun& run);
  ExplainedKernel(const ExplainedKernel&) = delete;
  ExplainedKernel& operator=(const ExplainedKernel&) = delete;
};

/// Paragraphs for people: how far in they stand, what stands before their first line, and their words.
struct Paragraph {
  std::string label;
  std::size_t indent = 0;
  std::string text;
};
/// What to look at in a kernel whose lines were counted, or why they were not. `width`: columns that there are.
[[nodiscard]] std::vector<Paragraph> lines_to_look_at(const cuda_api::KernelRecord& kernel, const ProgramRun& run,
                                                      std::size_t width);

/// Has no launch of it come to its end? Nothing is then counted or modelled.
[[nodiscard]] bool always_failed(const cuda_api::KernelRecord& kernel, const ProgramRun& run);
/// "> 2 µs": the time of all launches, as modelled; a lower bound where some have none. "-": no launch ended.
[[nodiscard]] std::string modelled_time_of(const cuda_api::KernelRecord& kernel, const ProgramRun& run);

}  // namespace gpulab
