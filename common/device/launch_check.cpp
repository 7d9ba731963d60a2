#include "common/device/launch_check.h"

#include <fmt/format.h>

#include "common/error.h"

namespace gpulab {
namespace {

std::string shown(const Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

bool within(const Dim3& d, const Dim3& max) { return d.x <= max.x && d.y <= max.y && d.z <= max.z; }

void check_block(const Kernel& kernel, const Dim3& block, const LaunchLimits& limits) {
  if (block.volume() == 0) throw usage_error("a block has at least 1 thread, not " + shown(block), {}, kernel.cpp_name);
  if (block.volume() > limits.max_threads_per_block)
    throw usage_error(fmt::format("a block has at most {} threads, not {} ({})", limits.max_threads_per_block,
                                  block.volume(), shown(block)),
                      {}, kernel.cpp_name);
  if (!within(block, limits.max_block))
    throw usage_error(fmt::format("a block is at most {}, not {}", shown(limits.max_block), shown(block)), {},
                      kernel.cpp_name);
  const auto own = kernel.attributes.max_threads_per_block;
  if (own && block.volume() > static_cast<std::uint64_t>(*own))
    throw usage_error(fmt::format("this kernel runs with at most {} threads per block, not {}", *own, block.volume()),
                      "its registers or its __launch_bounds__ allow no more", kernel.cpp_name);
}

void check_grid(const Kernel& kernel, const Dim3& grid, const LaunchLimits& limits) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    throw usage_error("a grid has at least 1 block, not " + shown(grid), {}, kernel.cpp_name);
  if (!within(grid, limits.max_grid))
    throw usage_error(fmt::format("a grid is at most {} blocks, not {}", shown(limits.max_grid), shown(grid)), {},
                      kernel.cpp_name);
}

}  // namespace

void check_arguments(const Kernel& kernel, std::span<const KernelArgument> arguments) {
  const auto& sizes = kernel.parameter_sizes;
  if (arguments.size() != sizes.size())
    throw usage_error(fmt::format("the kernel takes {} argument{}, not {}", sizes.size(), sizes.size() == 1 ? "" : "s",
                                  arguments.size()),
                      {}, kernel.cpp_name);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (arguments[i].bytes.size() != sizes[i])
      throw usage_error(
          fmt::format("argument {} of the kernel has {} bytes, not {}", i + 1, sizes[i], arguments[i].bytes.size()),
          "an int has 4 bytes, a pointer 8", kernel.cpp_name);
}

void check_cooperative(const Kernel& kernel, const LaunchConfig& config, std::uint64_t resident_blocks) {
  if (!config.cooperative || config.grid.volume() <= resident_blocks) return;
  throw usage_error(fmt::format("a cooperative grid is resident at once: at most {} blocks of {}, not {}",
                                resident_blocks, shown(config.block), config.grid.volume()),
                    "choose a smaller --grid, and let the kernel stride over it", kernel.cpp_name);
}

Dim3 cluster_of(const Kernel& kernel, const LaunchConfig& config) {
  if (config.cluster.volume() != 0) return config.cluster;
  return kernel.attributes.cluster.volume() != 0 ? kernel.attributes.cluster : Dim3{1, 1, 1};
}

void check_cluster(const Kernel& kernel, const LaunchConfig& config) {
  const Dim3 cluster = cluster_of(kernel, config), &grid = config.grid;
  if (cluster.volume() > most_blocks_per_cluster)
    throw usage_error(fmt::format("a cluster has at most {} blocks, not {}", most_blocks_per_cluster, shown(cluster)),
                      {}, kernel.cpp_name);
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    throw usage_error(fmt::format("a grid of {} blocks has no whole clusters of {}", shown(grid), shown(cluster)),
                      "round each dimension of the grid up to a multiple of the cluster's", kernel.cpp_name);
}

void check_shape(const Kernel& kernel, const LaunchConfig& config, const LaunchLimits& limits) {
  check_block(kernel, config.block, limits);
  check_grid(kernel, config.grid, limits);
  const std::size_t shared = kernel.attributes.static_shared_bytes.value_or(0) + config.dynamic_shared_bytes;
  if (shared > limits.max_shared_bytes_per_block)
    throw usage_error(
        fmt::format("a block has at most {} bytes of shared memory, not {}", limits.max_shared_bytes_per_block, shared),
        {}, kernel.cpp_name);
}

}  // namespace gpulab
