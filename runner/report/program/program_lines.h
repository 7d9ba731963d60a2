#pragma once
// `gpulab exec --explain`: of each kernel the lines that cost the most, and why.

#include <string>
#include <string_view>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "runner/report/advice/advice.h"
#include "runner/report/advice/explained_kernel.h"

namespace gpulab {

/// Paragraphs for people: how far in they stand, what stands before their first line, and their words.
struct Paragraph {
  std::string label;
  std::size_t indent = 0;
  std::string text;
};
/// What costs the program its time, the dearest first, or that nothing does. Nothing where nothing is modelled.
[[nodiscard]] std::vector<Paragraph> what_costs_time(const AdviceList& list, const ProgramRun& run);
/// What to look at in a kernel whose lines were counted, or why they were not. `width`: columns that there are.
[[nodiscard]] std::vector<Paragraph> lines_to_look_at(const cuda_api::KernelRecord& kernel, const ProgramRun& run,
                                                      const AdviceList& list, std::size_t width);

/// Has no launch of it come to its end? Nothing is then counted or modelled.
[[nodiscard]] bool always_failed(const cuda_api::KernelRecord& kernel, const ProgramRun& run);
/// "> 2 µs": the time of all launches, as modelled; a lower bound where some have none. "-": no launch ended.
[[nodiscard]] std::string modelled_time_of(const cuda_api::KernelRecord& kernel, const ProgramRun& run);

}  // namespace gpulab
