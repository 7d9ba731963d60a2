#pragma once
// How long a vendor's library takes for an operation, about: by what the GPU reaches at most, not by simulating it.

#include "common/cuda_api/libraries/library_runtime.h"
#include "common/gpu_profile.h"

namespace gpulab::cuda_api {

/// `bytes`: that it reads and writes, each once.
[[nodiscard]] double estimated_ms(const GpuProfile& gpu, const LibraryOperation& operation, double bytes);

}  // namespace gpulab::cuda_api
