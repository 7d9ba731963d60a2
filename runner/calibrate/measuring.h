#pragma once
// Probes on a GPU, one after another.

#include <functional>
#include <string>
#include <vector>

#include "common/device/device.h"
#include "runner/calibrate/probe.h"

namespace gpulab::calibrate {

struct Measurements {
  Readings readings;
  std::vector<std::string> problems;  ///< why a probe has none
};

/// `begins` is told each probe's number and id. What cannot be measured (no memory, a launch that fails) is a problem,
/// and after a fault there is no further reading. Throws Error (interrupted).
[[nodiscard]] Measurements measure(Device& device, const std::vector<Probe>& probes,
                                   const std::function<void(std::size_t, const Probe&)>& begins);

}  // namespace gpulab::calibrate
