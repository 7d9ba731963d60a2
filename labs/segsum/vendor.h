#pragma once
// What does not launch our kernels (vendor.cu): CUB's segmented reduction, and the way over the host. GPU only.

#include "labs/lab.h"

namespace gpulab::labs::segsum {

[[nodiscard]] Vendor cub_vendor();
[[nodiscard]] Vendor round_trip_vendor();

}  // namespace gpulab::labs::segsum
