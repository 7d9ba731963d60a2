#pragma once
// Descriptions of a graph's nodes that a program gives by the driver's API, in the words of the runtime's.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <optional>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

cudaKernelNodeParams in_words_of_runtime(const CUDA_KERNEL_NODE_PARAMS& p);
/// Nothing where it names an array that there is not.
std::optional<cudaMemcpy3DParms> in_words_of_runtime(Session& s, const CUDA_MEMCPY3D& p);
cudaMemsetParams in_words_of_runtime(const CUDA_MEMSET_NODE_PARAMS& p);
#if CUDA_VERSION >= 13000
std::optional<cudaGraphNodeParams> in_words_of_runtime(Session& s, const CUgraphNodeParams& p);
#endif

}  // namespace gpulab::cuda_api
