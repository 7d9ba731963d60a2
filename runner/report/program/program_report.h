#pragma once
// `gpulab exec` for people and as gpulab.exec.v1: what the formats of these names write (report/formats).

#include <string>

#include "common/cuda_api/program_run.h"
#include "runner/case/result.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string program_table(const ProgramRun& run, const Style& style);
[[nodiscard]] std::string program_json(const ProgramRun& run, const Style& style);

/// Launches, copies and fills for chrome://tracing and Perfetto: a row for each stream, in modelled time.
[[nodiscard]] std::string chrome_trace(const ProgramRun& run);

/// nvprof's layouts, of modelled times and of our counters.
[[nodiscard]] std::string nvprof_summary(const ProgramRun& run);
[[nodiscard]] std::string nvprof_trace(const ProgramRun& run);
[[nodiscard]] std::string nvprof_metrics(const ProgramRun& run);

/// A kernel's launches as a result, which reports know how to show.
[[nodiscard]] Result result_of(const cuda_api::KernelRecord& kernel);
/// The kernels that the report is to show.
[[nodiscard]] std::vector<const cuda_api::KernelRecord*> shown_kernels(const ProgramRun& run);

}  // namespace gpulab
