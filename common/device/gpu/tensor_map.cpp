#include "common/device/gpu/tensor_map.h"

#include <array>
#include <stdexcept>
#include <string>

#include "common/device/gpu/driver_api.h"

namespace gpulab {
namespace {

CUtensorMapDataType data_type(Scalar type) {
  switch (type) {
    case Scalar::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case Scalar::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case Scalar::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    default:
      throw std::logic_error("no tensor map of " + std::string(name_of(type)));
  }
}

}  // namespace

KernelArgument tensor_map(DevicePointer matrix, Scalar type, MatrixExtent matrix_extent, MatrixExtent box) {
  if (driver() == nullptr) throw std::logic_error("a tensor map without a driver: mark the variant gpu_only");
  CUtensorMap map{};
  // Dimensions from the innermost outwards; the stride of the innermost is its element.
  const std::array<cuuint64_t, 2> extents{static_cast<cuuint64_t>(matrix_extent.cols),
                                          static_cast<cuuint64_t>(matrix_extent.rows)};
  const std::array<cuuint64_t, 1> row_bytes{extents[0] * size_of(type)};
  const std::array<cuuint32_t, 2> boxes{static_cast<cuuint32_t>(box.cols), static_cast<cuuint32_t>(box.rows)};
  const std::array<cuuint32_t, 2> every_element{1, 1};
  driver()->check(driver()->cuTensorMapEncodeTiled(
                      &map, data_type(type), 2, reinterpret_cast<void*>(matrix), extents.data(), row_bytes.data(),
                      boxes.data(), every_element.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                  DriverUse::launch, "tensor map");
  return KernelArgument::of(map);
}

}  // namespace gpulab
