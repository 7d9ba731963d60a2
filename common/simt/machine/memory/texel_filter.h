#pragma once
// Texels' values, and their weighted sum as an H200 forms it (read off the card; compared bit by bit in tests/exec).

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/simt/machine/memory/texture.h"

namespace gpulab::simt {

/// Of the eight corners around a point. Their sum is 256.
struct CornerWeights {
  std::array<std::int64_t, 8> of{};
  std::size_t count = 4;          ///< of corners: those of one slice, or two
  std::array<bool, 8> is_used{};  ///< its weight was not 0 before it was rounded
};
/// Where each texel's bytes lie; nullptr: the border.
using TexelCorners = std::array<const std::byte*, 8>;

/// One texel, or the border where there is none.
[[nodiscard]] Texel nearest_texel(const Texture& texture, const std::byte* texel);
[[nodiscard]] Texel filtered_texel(const Texture& texture, const TexelCorners& corners, const CornerWeights& weights);

}  // namespace gpulab::simt
