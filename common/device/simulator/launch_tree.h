#pragma once
// A launch of the host and all that comes of it: grids, copies and fills that its kernels launch (dynamic parallelism).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/device/simulator/device_memory.h"
#include "common/device/simulator/grid_runner.h"
#include "common/device/simulator/kernel_library.h"
#include "common/simt/device_runtime/device_launch.h"

namespace gpulab {

class LaunchTree {
 public:
  LaunchTree(KernelLibrary& library, DeviceMemory& memory, GridRunner& grids, simt::DeviceRuntime& runtime)
      : library_(library), memory_(memory), grids_(grids), runtime_(runtime) {}
  /// Returns when everything has ended. A launch runs with all that it launches before the next one does.
  void run(const LoadedKernel& kernel, const LaunchConfig& config, const std::vector<std::byte>& parameters);

 private:
  /// What one grid launched and has not been run yet.
  using Queue = std::deque<simt::DeviceLaunch>;
  /// Runs all of it, the innermost queue (the last) first, and what it launches itself.
  void run_all(std::vector<Queue> levels);
  Queue run_next(const simt::DeviceLaunch& next);
  Queue run_grid(const LoadedKernel& kernel, const LaunchConfig& config, const std::vector<std::byte>& parameters,
                 int level);
  void copy_or_fill(const simt::DeviceLaunch& next);
  void release_buffers();
  void require(const simt::DeviceLaunch& next, std::uint64_t address, std::uint64_t bytes);

  KernelLibrary& library_;
  DeviceMemory& memory_;
  GridRunner& grids_;
  simt::DeviceRuntime& runtime_;
  std::uint64_t spent_ = 0;  ///< warp instructions so far: all grids share one budget
};

}  // namespace gpulab
