#include "common/simt/machine/memory/tensor_map.h"

#include <cstring>

namespace gpulab::simt {

std::optional<TensorMap> tensor_map_at(const std::byte* bytes) {
  TensorMap map;
  std::memcpy(&map, bytes, sizeof map);
  if (map.mark != TensorMap::kMark || map.rank < 1 || map.rank > kMostDimensions || map.swizzle > 3 ||
      static_cast<int>(map.type) >= kTensorTypes)
    return std::nullopt;
  if (map.address % 16 != 0) return std::nullopt;
  for (std::size_t d = 1; d < map.rank; ++d)
    if (map.strides[d - 1] % 16 != 0) return std::nullopt;
  for (std::size_t d = 0; d < map.rank; ++d)
    if (map.box[d] < 1 || map.box[d] > 256 || map.every[d] < 1 || map.every[d] > 8) return std::nullopt;
  if (map.row_bytes() % 16 != 0 || map.row_bytes() > map.pitch()) return std::nullopt;
  return map;
}

}  // namespace gpulab::simt
