#pragma once
// Arrays: device memory whose texels lie row by row, slice by slice. And the objects that are made of them.

#include <driver_types.h>
#include <texture_types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "common/simt/machine/memory/texture.h"

namespace gpulab::cuda_api {

/// What cudaArray_t points to.
struct ArrayEntry {
  cudaChannelFormatDesc channels{};
  simt::TexelFormat format;
  cudaExtent extent{};  ///< as the program gave it: 0 where it has no such dimension
  unsigned flags = 0;   ///< cudaArrayLayered …
  std::uint64_t address = 0;

  [[nodiscard]] std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  /// Layers and faces of a cube map, too.
  [[nodiscard]] std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  [[nodiscard]] std::size_t row_bytes() const { return extent.width * format.bytes(); }
  [[nodiscard]] std::size_t bytes() const { return row_bytes() * rows() * slices(); }
};

/// A texture or surface object, as it was asked for.
struct TextureEntry {
  bool is_surface = false;
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
};

/// What there is of both. Forgotten with the device.
struct TextureObjects {
  std::map<cudaArray_const_t, std::unique_ptr<ArrayEntry>> arrays;
  std::map<unsigned long long, TextureEntry> objects;  ///< by handle

  /// nullptr where there is none, or it has been freed.
  [[nodiscard]] const ArrayEntry* array(cudaArray_const_t handle) const {
    const auto found = arrays.find(handle);
    return found == arrays.end() ? nullptr : found->second.get();
  }
};

/// The texels of these channels: 1, 2 or 4 of 8, 16 or 32 bits. Nothing where they are none.
[[nodiscard]] std::optional<simt::TexelFormat> format_of(const cudaChannelFormatDesc& channels);
/// A border's color as channels of texels, which are read as fractions or not. Of an H200: fractions are rounded,
/// halves down; integers lose what is above their bits.
[[nodiscard]] std::array<std::uint32_t, 4> border_of(const simt::TexelFormat& format, bool as_fractions,
                                                     const float (&color)[4]);

}  // namespace gpulab::cuda_api
