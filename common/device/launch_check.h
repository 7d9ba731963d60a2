#pragma once
// What both devices refuse before a launch, with the same words: arguments that do not fit the kernel's
// parameters, and shapes beyond the hardware.

#include <cstddef>
#include <span>

#include "common/device/device.h"
#include "common/device/launch_limits.h"

namespace gpulab {

/// Limits of a launch on one GPU (CUDA Programming Guide, technical specifications per compute capability).
struct LaunchLimits {
  Dim3 max_grid = gpulab::max_grid;
  Dim3 max_block = gpulab::max_block;
  std::uint32_t max_threads_per_block = gpulab::max_threads_per_block;
  std::size_t max_shared_bytes_per_block = 49152;  ///< static + dynamic, opt-in included
};

/// Count and sizes of `arguments` against the PTX parameter list. Throws usage_error.
void check_arguments(const Kernel& kernel, std::span<const KernelArgument> arguments);

/// Block and grid against the hardware and the kernel's own attributes. Throws usage_error.
void check_shape(const Kernel& kernel, const LaunchConfig& config, const LaunchLimits& limits);

/// The clusters of a launch: as it asks, or as the kernel is compiled for; of one block where nobody says.
[[nodiscard]] Dim3 cluster_of(const Kernel& kernel, const LaunchConfig& config);
/// Clusters of a size that the kernel or the hardware has not, or that do not fill the grid. Throws usage_error.
void check_cluster(const Kernel& kernel, const LaunchConfig& config);

/// A cooperative grid that is not resident at once: its blocks would wait for each other forever.
void check_cooperative(const Kernel& kernel, const LaunchConfig& config, std::uint64_t resident_blocks);

}  // namespace gpulab
