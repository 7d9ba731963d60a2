#include "common/simt/machine/memory/texture_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/simt/machine/faults.h"
#include "common/simt/machine/memory/memory.h"

namespace gpulab::simt {

BoundTexture bound_texture(Warp& w, const MicroOp* op, int lane, std::uint64_t handle, bool surface) {
  const char* const wanted = surface ? "surface" : "texture";
  const Texture* const texture = w.global->textures().find(handle);
  if (texture == nullptr)
    fault(
        w, op, lane, fmt::format("{} is the handle of no {} object", handle, wanted),
        fmt::format("a handle comes from cudaCreate{}Object and holds until it is destroyed; 'gpulab run' makes one of "
                    "--arg 'NAME:{} f32[64x48]=iota'",
                    surface ? "Surface" : "Texture", wanted));
  if (texture->is_surface != surface)
    fault(w, op, lane,
          fmt::format("{} is the handle of a {} object, not of a {} object", handle, surface ? "texture" : "surface",
                      wanted));
  std::byte* const texels = w.global->host(texture->address, texture->bytes());
  if (texels == nullptr)
    fault(w, op, lane, fmt::format("the memory of {} object {} has been freed", wanted, handle),
          "destroy the object before its memory");
  return {texture, texels};
}

std::byte* surface_place(Warp& w, const MicroOp* op, int lane, const BoundTexture& bound,
                         const std::array<std::int32_t, 3>& at, std::uint32_t layer, std::uint32_t bytes,
                         Outside outside) {
  const Texture& t = *bound.texture;
  const auto x = std::int64_t{at[0]};
  if (x % bytes != 0)
    fault(w, op, lane, fmt::format("misaligned access of {} bytes at byte {} of a surface's row", bytes, x),
          "the x of a surface function is in bytes: multiply the texel's number by the size of its type");
  const std::int64_t row_bytes = std::int64_t{t.extent[0]} * t.format.bytes();
  // Bytes, rows, slices: the last place of each at which an access fits. Layers and faces are slices of a surface.
  const std::array<std::int64_t, 3> last{row_bytes - bytes, std::int64_t{t.extent[1]} - 1,
                                         std::int64_t{t.slices()} - 1};
  const std::array<std::int64_t, 3> wanted{x, at[1], std::int64_t{at[2]} + layer};
  std::array<std::int64_t, 3> place{};
  bool inside = last[0] >= 0;
  for (std::size_t k = 0; k < 3; ++k) {
    place[k] = std::clamp<std::int64_t>(wanted[k], 0, std::max<std::int64_t>(last[k], 0));
    inside = inside && place[k] == wanted[k];
  }
  if (!inside && outside == Outside::faults)
    fault(w, op, lane,
          fmt::format("out-of-bounds access of {} bytes at byte {} of row {}, slice {}, of a surface of {} rows of {} "
                      "bytes, {} slices",
                      bytes, wanted[0], wanted[1], wanted[2], t.extent[1], row_bytes, t.slices()),
          "compare the place with the surface's extent before the access");
  if (last[0] < 0 || (!inside && outside == Outside::is_zero)) return nullptr;
  return bound.texels + static_cast<std::uint64_t>(place[2]) * t.slice_bytes +
         static_cast<std::uint64_t>(place[1]) * t.row_bytes + static_cast<std::uint64_t>(place[0]);
}

}  // namespace gpulab::simt
