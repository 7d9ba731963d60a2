#pragma once
// What kernels may ask of the device that runs them: the device runtime's attributes, occupancy and kernels.

#include "common/device/simulator/kernel_library.h"
#include "common/gpu_profile.h"
#include "common/simt/device_runtime/device_heap.h"
#include "common/simt/device_runtime/device_launch.h"

namespace gpulab {

/// Everything named outlives what is made.
[[nodiscard]] simt::DeviceRuntime make_runtime(const GpuProfile& profile, KernelLibrary& library,
                                               simt::GlobalMemory& memory, simt::DeviceHeap& heap);

}  // namespace gpulab
