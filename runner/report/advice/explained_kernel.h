#pragma once
// A kernel of a program whose lines were counted, with its source.

#include <string_view>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "runner/report/explain/explanation.h"

namespace gpulab {

/// The kernel's dearest launch with the text of its source, where that is shown.
struct ExplainedKernel {
  const cuda_api::KernelRecord* record;
  LaunchLines launch;
  std::vector<std::string_view> text;  ///< the source's lines
  int sm_count = 0;
  Explanation explanation;  ///< of `launch`: its marks, the worst first
  /// `kernel.lines` is there.
  ExplainedKernel(const cuda_api::KernelRecord& kernel, const ProgramRun& run);
  ExplainedKernel(const ExplainedKernel&) = delete;
  ExplainedKernel& operator=(const ExplainedKernel&) = delete;
};

/// The kernels that the report is to show.
[[nodiscard]] std::vector<const cuda_api::KernelRecord*> shown_kernels(const ProgramRun& run);

}  // namespace gpulab
