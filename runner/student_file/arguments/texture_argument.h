#pragma once
// Textures and surfaces among a kernel's arguments: the part of --arg between the name and the value.
//   texture f32[64x48]    surface u8x4[64x48]    texture.linear.wrap.normalized f32[64]    texture.fractions u8[8x8x8]

#include <string>
#include <string_view>

#include "labs/lab.h"

namespace gpulab {

struct TextureType {
  std::string element;  ///< "f32", of "f32x4"
  TextureArgument argument;
};

[[nodiscard]] bool names_texture(std::string_view type);
/// Throws usage_error that names `culprit` ("--arg picture") for what is not of the form.
[[nodiscard]] TextureType parse_texture(std::string_view type, std::string_view culprit);

}  // namespace gpulab
