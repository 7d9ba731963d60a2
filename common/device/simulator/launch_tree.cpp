#include "common/device/simulator/launch_tree.h"

namespace gpulab {

void LaunchTree::run(const LoadedKernel& kernel, const LaunchConfig& config, const std::vector<std::byte>& parameters) {
  std::vector<Queue> levels;  // the innermost grid's launches come last, and run first
  levels.push_back(grids_.run(kernel, config, parameters, 1, spent_));
  try {
    while (!levels.empty()) {
      if (levels.back().empty()) {
        levels.pop_back();
        continue;
      }
      const simt::DeviceLaunch next = levels.back().front();
      levels.back().pop_front();
      --runtime_.pending;
      levels.push_back(run_next(next));
    }
  } catch (...) {
    runtime_.pending = 0;
    throw;
  }
}

LaunchTree::Queue LaunchTree::run_next(const simt::DeviceLaunch& next) {
  if (next.kind != simt::DeviceLaunch::Kind::grid) {
    copy_or_fill(next);
    return {};
  }
  const LoadedKernel& child = library_.find(next.function->name);
  std::vector<std::byte> parameters(child.program->parameter_bytes);
  if (!parameters.empty()) {
    memory_.read(parameters, next.parameters);
    memory_.release(next.parameters);
  }
  return grids_.run(child, {next.grid, next.block, next.dynamic_shared_bytes}, parameters, next.level, spent_);
}

void LaunchTree::copy_or_fill(const simt::DeviceLaunch& next) {
  for (std::uint64_t row = 0; row < next.rows; ++row)
    if (next.kind == simt::DeviceLaunch::Kind::copy)
      memory_.copy(next.to + row * next.pitch_to, next.from + row * next.pitch_from, next.bytes);
    else
      memory_.fill(next.to + row * next.pitch_to, std::byte{next.value}, next.bytes);
}

}  // namespace gpulab
