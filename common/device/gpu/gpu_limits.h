#pragma once
#include <vector>

#include "common/device/gpu/driver_api.h"
#include "common/device/limits.h"

namespace gpulab {

/// What the driver says; a number that it does not know is absent.
[[nodiscard]] std::vector<DeviceLimit> gpu_limits(const DriverApi& driver, CUdevice device);

}  // namespace gpulab
