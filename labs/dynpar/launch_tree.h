#pragma once
// The launches that kernels noted (launch_log.h), as a tree and by depth.

#include <cstddef>
#include <vector>

#include "common/commentary.h"
#include "common/dim3.h"

namespace gpulab::labs::dynpar {

/// A log that holds the host's one launch.
[[nodiscard]] std::vector<std::byte> log_of_host_launch(const Dim3& grid, const Dim3& block);

/// `log`: the bytes of a LaunchLog. Metrics: device_launches (by kernels), deepest, launches_depth_N (from 1 on),
/// mean_threads (of a launch by a kernel). Lines: the tree, subtrees of one shape drawn once, then how many launches
/// each depth has.
[[nodiscard]] Commentary launch_commentary(const std::vector<std::byte>& log);

}  // namespace gpulab::labs::dynpar
