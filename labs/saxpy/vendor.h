#pragma once
// saxpy without a kernel (vendor.cu): Thrust's arrays and algorithms. GPU only.

#include "labs/lab.h"

namespace gpulab::labs::saxpy {

[[nodiscard]] Vendor thrust_vendor();

}  // namespace gpulab::labs::saxpy
