#pragma once
#include <cstdint>

namespace gpulab {

/// Extents or coordinates of a grid or block, in CUDA's order: x varies fastest.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  constexpr bool operator==(const Dim3&) const = default;
};

}  // namespace gpulab
