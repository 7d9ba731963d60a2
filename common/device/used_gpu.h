#pragma once
// One of a device's several GPUs, in use for a while; else the first is. One at a time.

#include "common/device/device.h"

namespace gpulab {

class UsedGpu {
 public:
  UsedGpu(Device& device, int gpu) : device_(device), gpu_(gpu) {
    if (gpu_ != 0) device_.use_gpu(gpu_);
  }
  ~UsedGpu() {
    if (gpu_ != 0) device_.use_gpu(0);  // which is there, and throws nothing
  }
  UsedGpu(const UsedGpu&) = delete;
  UsedGpu& operator=(const UsedGpu&) = delete;

 private:
  Device& device_;
  const int gpu_;
};

}  // namespace gpulab
