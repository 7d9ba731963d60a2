#pragma once
// `gpulab exec` for people and as gpulab.exec.v1: what the formats of these names write (report/formats).

#include <string>

#include "common/cuda_api/program_run.h"
#include "runner/case/result.h"
#include "runner/report/advice/explained_kernel.h"
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
// What several forms of the report say.
/// "exit code 0", "ended by signal 11 (Segmentation fault)".
[[nodiscard]] std::string end_text(const ProgramRun& run);
/// Of the host's calls, then of the kernels that are shown; each once.
[[nodiscard]] std::vector<Finding> shown_findings(const ProgramRun& run);
/// Where the fault's launch is from, and whether the program has been told.
[[nodiscard]] std::string launch_text(const cuda_api::FaultRecord& fault);
[[nodiscard]] std::string told_text(const cuda_api::FaultRecord& fault);
/// What holds for the numbers, and what was never freed: sentences as they came, strangers' names among them.
[[nodiscard]] std::vector<std::string> program_notes(const ProgramRun& run);
[[nodiscard]] std::string never_freed(const ProgramRun& run);

}  // namespace gpulab
