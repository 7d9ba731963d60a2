#pragma once
// The rung that calls NVIDIA's library, on GPUs alone: libnccl.so.2, where it is installed.

#include "labs/lab.h"

namespace gpulab::labs::allreduce {

[[nodiscard]] Vendor nccl();

}  // namespace gpulab::labs::allreduce
