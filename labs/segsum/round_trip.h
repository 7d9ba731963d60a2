#pragma once
// What array code falls back to where the GPU has no fitting kernel: the way over the host. GPU only.

#include "labs/lab.h"

namespace gpulab::labs::segsum {

[[nodiscard]] Vendor round_trip();

}  // namespace gpulab::labs::segsum
