#include "runner/report/advice/advice.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "common/text.h"
#include "runner/report/advice/rules.h"

namespace gpulab {
namespace {

advice::KernelFacts facts_of(const ExplainedKernel& kernel) {
  advice::KernelFacts facts;
  facts.kernel = &kernel;
  facts.name = visible(kernel.record->cpp_name);
  facts.file = visible(std::filesystem::path(kernel.launch.file).filename().string());
  if (kernel.launch.time && kernel.launch.time->ms > 0) facts.scale = kernel.record->ms / kernel.launch.time->ms;
  if (kernel.launch.ptx) return facts;
  facts.code = code_lines(kernel.text);
  // A kernel's lines may be of functions behind it: of those that lie in a kernel, the last.
  for (auto line = kernel.launch.lines.rbegin(); line != kernel.launch.lines.rend() && facts.lines.head == 0; ++line)
    if (line->line != 0) facts.lines = kernel_around(facts.code, line->line);
  return facts;
}

}  // namespace

AdviceList advice_of(const ProgramRun& run) {
  AdviceList list;
  if (!run.explained) return list;
  for (const auto& kernel : run.record.kernels) list.total_ms += kernel.ms;
  for (const auto& [name, copies] : run.record.copies) list.total_ms += copies.ms;
  for (const auto& one : run.record.libraries) list.total_ms += one.ms;
  if (list.total_ms <= 0) return list;
  std::vector<std::unique_ptr<ExplainedKernel>> kernels;
  advice::Facts facts;
  facts.run = &run;
  facts.total_ms = list.total_ms;
  for (const auto* record : shown_kernels(run)) {
    if (!record->lines) continue;
    kernels.push_back(std::make_unique<ExplainedKernel>(*record, run));
    facts.kernels.push_back(facts_of(*kernels.back()));
  }
  for (const auto rules : {advice::kernel_rules(), advice::host_rules()})
    for (const auto rule : rules)
      for (auto& advice : rule(facts)) {
        advice.share = advice.ms / (list.total_ms + (advice.beside ? advice.ms : 0));
        if (advice.share >= advice.least_share) list.advices.push_back(std::move(advice));
      }
  std::ranges::stable_sort(list.advices, [](const Advice& a, const Advice& b) { return a.ms > b.ms; });
  return list;
}

}  // namespace gpulab
