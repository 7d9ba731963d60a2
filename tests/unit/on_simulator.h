#pragma once
// Kernels of tests/device run on the simulator, one launch at a time.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/device_contract.h"

namespace gpulab::tests {

inline constexpr LaunchConfig one_warp{{1, 1, 1}, {32, 1, 1}, 0, false};
inline constexpr LaunchConfig one_thread{{1, 1, 1}, {1, 1, 1}, 0, false};

inline std::unique_ptr<Device> simulator_with(const ModuleImage& image, const SimulatorOptions& options = {}) {
  auto device = make_simulator(gpu_profile("h200"), options);
  device->load(image);
  return device;
}

/// "kind: what [where] hint" of the LaunchError that `work` ends with, or "none".
template <typename F>
std::string launch_error(const F& work) {
  try {
    work();
  } catch (const LaunchError& error) {
    return fmt::format("{}: {} [{}] {}", to_text(error.kind), error.what(), error.where, error.hint);
  }
  return "none";
}

}  // namespace gpulab::tests
