#include "common/device/simulator/launch_tree.h"

#include <fmt/format.h>

#include <utility>

#include "common/launch_error.h"

namespace gpulab {

void LaunchTree::run(const LoadedKernel& kernel, const LaunchConfig& config, const std::vector<std::byte>& parameters) {
  const auto pending = runtime_.pending;  // of a launch that this one runs beside
  try {
    run_all({run_grid(kernel, config, parameters, 1)});
  } catch (...) {
    runtime_.pending = pending;
    release_buffers();
    throw;
  }
  release_buffers();
}

void LaunchTree::run_all(std::vector<Queue> levels) {
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
}

LaunchTree::Queue LaunchTree::run_grid(const LoadedKernel& kernel, const LaunchConfig& config,
                                       const std::vector<std::byte>& parameters, int level) {
  return grids_.run(kernel, config, parameters, level, spent_, [this](simt::GridLaunches& launches) {
    const auto made = std::exchange(launches.ordinary, {});
    run_all({Queue(made.begin(), made.end())});
  });
}

/// Parameters of launches that were prepared and never made; while a launch runs beside, they may be its own.
void LaunchTree::release_buffers() {
  if (grids_.has_grid_beside()) return;
  for (const std::uint64_t buffer : std::exchange(runtime_.buffers, {})) memory_.release(buffer);
}

LaunchTree::Queue LaunchTree::run_next(const simt::DeviceLaunch& next) {
  if (next.kind != simt::DeviceLaunch::Kind::grid) {
    copy_or_fill(next);
    return {};
  }
  const LoadedKernel& child = library_.find(next.function->name);
  std::vector<std::byte> parameters(child.program->parameter_bytes);
  if (!parameters.empty()) {
    require(next, next.parameters, parameters.size());
    memory_.read(parameters, next.parameters);
  }
  if (runtime_.buffers.erase(next.parameters)) memory_.release(next.parameters);
  return run_grid(child, {next.grid, next.block, next.dynamic_shared_bytes}, parameters, next.level);
}

/// A kernel may have freed what it launched work on.
void LaunchTree::require(const simt::DeviceLaunch& next, std::uint64_t address, std::uint64_t bytes) {
  if (memory_.global().host(address, bytes)) return;
  const char* what = next.kind == simt::DeviceLaunch::Kind::grid   ? "the parameters of a launch by a kernel"
                     : next.kind == simt::DeviceLaunch::Kind::copy ? "a copy that a kernel put into a stream"
                                                                   : "a fill that a kernel put into a stream";
  throw LaunchError(LaunchFailure::fault,
                    fmt::format("{}: {} bytes at {:#x}, which have been freed", what, bytes, address), {},
                    "free memory after the work on it has ended");
}

void LaunchTree::copy_or_fill(const simt::DeviceLaunch& next) {
  const std::uint64_t last = next.rows - 1;
  require(next, next.to, last * next.pitch_to + next.bytes);
  if (next.kind == simt::DeviceLaunch::Kind::copy) require(next, next.from, last * next.pitch_from + next.bytes);
  grids_.spend_copied(next.rows, next.bytes, spent_);
  for (std::uint64_t row = 0; row < next.rows; ++row)
    if (next.kind == simt::DeviceLaunch::Kind::copy)
      memory_.copy(next.to + row * next.pitch_to, next.from + row * next.pitch_from, next.bytes);
    else
      memory_.fill(next.to + row * next.pitch_to, std::byte{next.value}, next.bytes);
}

}  // namespace gpulab
