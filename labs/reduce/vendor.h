#pragma once
// CUB's reduction (vendor.cu), the rung that ours are measured against. GPU only.

#include "labs/lab.h"

namespace gpulab::labs::reduce {

[[nodiscard]] Vendor cub_vendor();

}  // namespace gpulab::labs::reduce
