#pragma once
// GPU tests are built everywhere and run where there is a GPU; elsewhere each says that it was skipped, and why.

#include <cstdlib>
#include <memory>

#include "common/device/gpu/gpu.h"
#include "tests/catch.h"
#include "tests/device_kernels.h"

namespace gpulab::tests {

/// False, and a line that says why, where there is no GPU; a failure where GPULAB_REQUIRE_GPU says that there is one.
inline bool gpu_present() {
  if (gpu_available()) return true;
  if (std::getenv("GPULAB_REQUIRE_GPU") != nullptr) FAIL("no GPU: " << gpu_problem());
  WARN("skipped: " << gpu_problem());
  return false;
}

/// A GPU with the test kernels loaded.
inline std::unique_ptr<Device> loaded_gpu() {
  auto device = make_gpu(0);
  device->load(device_kernels);
  return device;
}

}  // namespace gpulab::tests
