#pragma once
// Thread block clusters as programs ask for them: which a launch has, and what an H100 refuses (driver 580; tests/exec/
// cluster_limits.cu).

#include <cuda_runtime_api.h>

#include "common/cuda_api/runtime/modules.h"

namespace gpulab {
struct GpuProfile;
}

namespace gpulab::cuda_api {

/// That the kernel is compiled for, or cudaFuncSetAttribute has given it; zeros: none.
[[nodiscard]] Dim3 required_cluster(const LoadedFunction& kernel);
/// Of a launch that asks for `asked` (zeros: for none); zeros: each block is by itself.
[[nodiscard]] Dim3 cluster_of(const LoadedFunction& kernel, const Dim3& asked);
/// Blocks of a cluster, at most.
[[nodiscard]] std::uint64_t most_of_cluster(const LoadedFunction& kernel);

/// What a launch's attributes ask for; zeros: nothing.
template <typename Attribute>
[[nodiscard]] Dim3 asked_cluster(const Attribute& value) {
  return {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
}

/// How many clusters of so many blocks the GPU holds at once, where an SM holds so many of the blocks.
[[nodiscard]] int active_clusters(const GpuProfile& gpu, int blocks_per_sm, int size);

}  // namespace gpulab::cuda_api
