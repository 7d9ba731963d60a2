#pragma once
#include "common/device/device.h"

namespace gpulab::tests {

/// PTX of tests/device/*.cu, compiled by the build.
extern const ModuleImage device_kernels, variable_kernels, simt_kernels, runtime_kernels;

}  // namespace gpulab::tests
