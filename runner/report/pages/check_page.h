#pragma once
// `gpulab check` as a page: what is right, what is not and where, and the counters beside the ladder's rungs.

#include <string>

#include "runner/case/judgement.h"
#include "runner/report/report.h"

namespace gpulab {

[[nodiscard]] std::string check_page(const Judgement& judgement, const Style& style);

}  // namespace gpulab
