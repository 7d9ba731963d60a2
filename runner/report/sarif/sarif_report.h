#pragma once
// What the format `sarif` writes of each kind of report (runner/report/formats/sarif.cpp).

#include <string>

#include "common/cuda_api/program_run.h"
#include "common/error.h"
#include "runner/case/judgement.h"
#include "runner/case/result.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string run_sarif(const Run& run, const Style& style);
[[nodiscard]] std::string check_sarif(const Judgement& judgement, const Style& style);
[[nodiscard]] std::string program_sarif(const ProgramRun& run, const Style& style);
/// Of a source that does not compile an alert at its line; of all else a notification.
[[nodiscard]] std::string error_sarif(const Error& error);

}  // namespace gpulab
