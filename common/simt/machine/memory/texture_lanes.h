#pragma once
// What handlers need of textures and surfaces, by the handles that lanes hold. A handle that stands for nothing, or an
// access outside of a surface, ends the launch.

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/simt/machine/memory/texture.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// An object, and its texels in the host's memory.
struct BoundTexture {
  const Texture* texture = nullptr;
  std::byte* texels = nullptr;
};

/// The object of a handle, which is to be a surface or a texture. Faults where it is not, or its memory has been freed.
[[nodiscard]] BoundTexture bound_texture(Warp& warp, const MicroOp* op, int lane, std::uint64_t handle, bool surface);

/// What an access outside of a surface is: a fault, one at its edge, or none (zeros are read).
enum class Outside : std::uint8_t { faults, clamps, is_zero };

/// Where `bytes` bytes of a surface lie; nullptr: outside. x is in bytes (CUDA C++ Programming Guide: Surface
/// Functions).
[[nodiscard]] std::byte* surface_place(Warp& warp, const MicroOp* op, int lane, const BoundTexture& bound,
                                       const std::array<std::int32_t, 3>& at, std::uint32_t layer, std::uint32_t bytes,
                                       Outside outside);

}  // namespace gpulab::simt
