#pragma once
// CUB's scan (vendor.cu), the rung that ours are measured against. GPU only.

#include "labs/lab.h"

namespace gpulab::labs::scan {

[[nodiscard]] Vendor cub_vendor();

}  // namespace gpulab::labs::scan
