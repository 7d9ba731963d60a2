#pragma once
// Tensor maps: how the Tensor Memory Accelerator (compute capability 9.0) is told where a matrix is, and of which boxes
// of it copies are made. 128 bytes that only the driver can fill.

#include <cstdint>

#include "common/device/device.h"
#include "common/scalar.h"

namespace gpulab {

struct MatrixExtent {
  std::int64_t rows, cols;
};

/// For a row-major matrix and boxes whose rows, at most 128 bytes, lie swizzled in shared memory.
[[nodiscard]] KernelArgument tensor_map(DevicePointer matrix, Scalar type, MatrixExtent matrix_extent,
                                        MatrixExtent box);

}  // namespace gpulab
