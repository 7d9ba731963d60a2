#pragma once
#include "common/device/device.h"

namespace gpulab::tests {

/// PTX of tests/device/*.cu, compiled by the build.
extern const ModuleImage device_kernels, variable_kernels, simt_kernels, runtime_kernels, cooperative_kernels,
    nested_kernels, forward_kernels, schedule_kernels, asynchronous_kernels_sm80, asynchronous_kernels_sm90,
    groups_kernels_sm75, groups_kernels_sm90, matrix_kernels_sm75;

}  // namespace gpulab::tests
