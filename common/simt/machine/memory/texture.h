#pragma once
// Texture and surface objects (CUDA C++ Programming Guide: Texture and Surface Memory): how the texels of some global
// memory are found, read and filtered. Kernels know one by a number, its handle.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "common/enum_text.h"

namespace gpulab::simt {

/// What coordinates outside of a texture mean.
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
constexpr std::array<std::string_view, 4> words_of(AddressMode) { return {"wrap", "clamp", "mirror", "border"}; }

enum class TexelKind : std::uint8_t { unsigned_integer, signed_integer, floating };

struct TexelFormat {
  TexelKind kind = TexelKind::floating;
  std::uint8_t channels = 1;  ///< 1, 2, 4
  std::uint8_t bits = 32;     ///< of a channel: 8, 16, 32
  [[nodiscard]] std::uint32_t bytes() const { return std::uint32_t{channels} * bits / 8; }
};

/// What an object stands for. Whoever makes one checks that its texels lie in one allocation, which may be freed later.
struct Texture {
  bool is_surface = false;
  std::uint64_t address = 0;      ///< of the first texel
  std::uint64_t row_bytes = 0;    ///< from one row to the next
  std::uint64_t slice_bytes = 0;  ///< from one slice, layer or face to the next
  TexelFormat format;
  std::array<std::uint32_t, 3> extent{1, 1, 1};  ///< texels along x, y, z: at least 1; of linear memory perhaps 0
  std::uint32_t layers = 1;                      ///< each of which has a slice; of cube maps a slice for each face
  bool is_cube = false;
  bool of_linear_memory = false;  ///< read by index alone; outside there are zeros

  std::array<AddressMode, 3> modes{};
  bool filters = false;                   ///< linearly; else the nearest texel
  bool is_normalized = false;             ///< coordinates go from 0 to 1, not to the extent
  bool as_fractions = false;              ///< integers are read as fractions of the largest
  bool is_seamless = false;               ///< a cube map's filter reaches over the edges of its faces
  std::array<std::uint32_t, 4> border{};  ///< channels as a texel's: integers extended

  [[nodiscard]] std::uint32_t slices() const { return is_cube ? 6 * layers : extent[2] * layers; }
  /// From the first texel to the end of the last.
  [[nodiscard]] std::uint64_t bytes() const {
    return (slices() - 1) * slice_bytes + (extent[1] - 1) * row_bytes + std::uint64_t{extent[0]} * format.bytes();
  }
};

/// The objects that there are, by handle. Changed between launches alone.
class TextureTable {
 public:
  std::uint64_t add(const Texture& texture) {
    textures_[++last_] = texture;
    return last_;
  }
  void remove(std::uint64_t handle) { textures_.erase(handle); }
  /// nullptr where there is none.
  [[nodiscard]] const Texture* find(std::uint64_t handle) const {
    const auto found = textures_.find(handle);
    return found == textures_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::uint64_t, Texture> textures_;
  std::uint64_t last_ = 0;  ///< no handle is given twice: what has been destroyed is told
};

// ---- reading ----

/// The geometries of PTX: .1d, .2d, .3d, .a1d, .a2d, .cube, .acube.
enum class Geometry : std::uint8_t { line, plane, volume, lines, planes, cube, cubes };

/// x, y, z, and the layer.
struct TexturePoint {
  std::array<float, 3> at{};
  std::uint32_t layer = 0;
};

/// Four channels as registers hold them. Those that the format lacks are 0.
using Texel = std::array<std::uint32_t, 4>;

/// What a GPU's texture unit gives at a point. `texels`: the texture's bytes in the host's memory.
[[nodiscard]] Texel sample(const Texture& texture, const std::byte* texels, Geometry geometry,
                           const TexturePoint& point);
/// The texel whose numbers along x, y, z these are; outside the nearest one, of linear memory zeros.
[[nodiscard]] Texel fetch(const Texture& texture, const std::byte* texels, const std::array<std::int32_t, 3>& at,
                          std::uint32_t layer);
/// One channel of the four texels between which a point of a plane lies, in the order of tld4.
[[nodiscard]] Texel gather(const Texture& texture, const std::byte* texels, const TexturePoint& point, int channel);

}  // namespace gpulab::simt
