#pragma once
// CUB's histogram (vendor.cu), the rung that ours are measured against. GPU only.

#include "labs/lab.h"

namespace gpulab::labs::atomics {

[[nodiscard]] Vendor cub_vendor();

}  // namespace gpulab::labs::atomics
