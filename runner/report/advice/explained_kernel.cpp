#include "runner/report/advice/explained_kernel.h"

#include <regex>

#include "common/gpu_profile.h"
#include "runner/report/words/lines.h"

namespace gpulab {

ExplainedKernel::ExplainedKernel(const cuda_api::KernelRecord& kernel, const ProgramRun& run)
    : record(&kernel), launch(*kernel.lines) {
  if (const auto found = run.sources.find(launch.file); found != run.sources.end()) launch.text = found->second;
  text = lines_of(launch.text);
  sm_count = gpu_profile(run.profile).sm_count;
  explanation = explanation_of(launch, sm_count);
}

std::vector<const cuda_api::KernelRecord*> shown_kernels(const ProgramRun& run) {
  const std::regex wanted(run.kernels);
  std::vector<const cuda_api::KernelRecord*> all;
  for (const auto& kernel : run.record.kernels)
    if (run.kernels.empty() || std::regex_search(kernel.name, wanted)) all.push_back(&kernel);
  return all;
}

}  // namespace gpulab
