#pragma once
// What a driver says of a GPU, for a profile of it.

#include <string_view>
#include <vector>

#include "common/device/device.h"

namespace gpulab {

/// By the names of configs/gpus and in their units: "sm_count", "l2".
struct DeviceLimit {
  std::string_view field;
  double value = 0;
};

class Limited {
 public:
  virtual ~Limited() = default;
  [[nodiscard]] virtual std::vector<DeviceLimit> limits() = 0;
};

[[nodiscard]] inline std::vector<DeviceLimit> limits_of(Device& device) {
  auto* const limited = dynamic_cast<Limited*>(&device);
  return limited != nullptr ? limited->limits() : std::vector<DeviceLimit>();
}

}  // namespace gpulab
