#pragma once
// A whole program's kernels, launches and copies (`gpulab exec`) as one page.

#include <string>

#include "common/cuda_api/program_run.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string program_page(const ProgramRun& run, const Style& style);

}  // namespace gpulab
