#pragma once
// A GPU's profile as --profile takes it: what it can hold (as configs/gpus) and how long it takes (as configs/timing),
// each number with its unit and where it is from.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/device/device.h"
#include "common/device/limits.h"
#include "common/gpu_profile.h"
#include "runner/calibrate/measuring.h"
#include "runner/calibrate/timing_values.h"

namespace gpulab::calibrate {

/// A number, and where it is from: "measured", "driver" (what it says of the GPU), "data_sheet", "family" (another
/// GPU's that was measured, carried over by data sheets).
struct Value {
  std::string field, unit;
  double value = 0;
  std::string origin, source;
};

struct Profile {
  std::string name;  ///< the driver's
  int compute_major = 0, compute_minor = 0;
  std::vector<Value> fields, timing;
  std::vector<Probe> probes;
  Measurements measurements;
};

/// Of a GPU that is here. `limits` and `memory_bytes`: what the driver says.
[[nodiscard]] Profile measured_profile(const DeviceInfo& gpu, std::span<const DeviceLimit> limits, double memory_bytes,
                                       const Place& place, const std::vector<Probe>& probes, Measurements measurements);
/// Of one of configs/gpus, by its data sheet and what was measured of another one (configs/timing).
[[nodiscard]] Profile estimated_profile(const GpuProfile& gpu, const std::string& from);

[[nodiscard]] std::string profile_json(const Profile& profile);
[[nodiscard]] std::string profile_text(const Profile& profile, std::size_t width);

}  // namespace gpulab::calibrate
