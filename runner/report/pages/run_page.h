#pragma once
// A run as a page of its own.

#include <string>

#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string run_page(const Run& run, const Style& style);

}  // namespace gpulab
