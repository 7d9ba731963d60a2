#include "runner/student_file/arguments/texture_argument.h"

#include <fmt/format.h>

#include "common/enum_text.h"
#include "common/error.h"
#include "common/scalar.h"
#include "common/text.h"
#include "runner/options/sizes.h"

namespace gpulab {
namespace {

constexpr const char* forms =
    "a texture is t:texture f32[64x48]=iota, its texels f32x4, u8x2 …; .linear .normalized .fractions .wrap .mirror "
    ".border may follow 'texture'; a surface is s:surface u32[64x48]=zeros";

[[noreturn]] void refuse(std::string_view culprit, std::string_view type, std::string_view why) {
  throw usage_error(fmt::format("{}: '{}' {}", culprit, type, why), forms);
}

/// 64 of "64", which a texture of a GPU may have.
std::uint32_t extent_of(std::string_view text, std::string_view type, std::string_view culprit) {
  constexpr std::uint64_t most = 131072;  // along a plane (CUDA C++ Programming Guide, Technical Specifications)
  const auto extent = parse_size(text, std::string(culprit));
  if (extent < 1 || static_cast<std::uint64_t>(extent) > most)
    refuse(culprit, type, fmt::format("has an extent that is not from 1 to {}", most));
  return static_cast<std::uint32_t>(extent);
}

void set_word(TextureArgument& texture, std::string_view word, std::string_view type, std::string_view culprit) {
  if (word == "linear") {
    texture.filters = true;
  } else if (word == "normalized") {
    texture.is_normalized = true;
  } else if (word == "fractions") {
    texture.as_fractions = true;
  } else if (const auto mode = from_text<simt::AddressMode>(word)) {
    texture.mode = *mode;
  } else {
    refuse(culprit, type, fmt::format("knows no '{}'", word));
  }
}

}  // namespace

bool names_texture(std::string_view type) { return type.starts_with("texture") || type.starts_with("surface"); }

TextureType parse_texture(std::string_view type, std::string_view culprit) {
  const auto blank = type.find(' '), open = type.find('[');
  if (blank == std::string_view::npos || open == std::string_view::npos || open < blank || !type.ends_with(']'))
    refuse(culprit, type, "has no texels");
  TextureType made;
  TextureArgument& texture = made.argument;
  const auto words = split(std::string(type.substr(0, blank)), '.');
  texture.is_surface = words[0] == "surface";
  if (words[0] != "texture" && !texture.is_surface) refuse(culprit, type, "is neither 'texture' nor 'surface'");
  for (std::size_t i = 1; i < words.size(); ++i) set_word(texture, words[i], type, culprit);
  made.element = type.substr(blank + 1, open - blank - 1);
  if (const auto times = made.element.find('x'); times != std::string::npos) {
    const std::string channels = made.element.substr(times + 1);
    if (channels != "1" && channels != "2" && channels != "4") refuse(culprit, type, "has not 1, 2 or 4 channels");
    texture.channels = static_cast<std::uint8_t>(channels[0] - '0');
    made.element.resize(times);
  }
  const auto extents = split(std::string(type.substr(open + 1, type.size() - open - 2)), 'x');
  if (extents.size() > 3) refuse(culprit, type, "has more than three extents");
  for (std::size_t i = 0; i < extents.size(); ++i) texture.extent[i] = extent_of(extents[i], type, culprit);
  const auto scalar = scalar_named(made.element);
  if (!scalar || size_of(*scalar) > 4 || *scalar == Scalar::bf16)
    refuse(culprit, type, "has texels of no texture: i8 u8 i16 u16 i32 u32 f16 f32");
  const bool is_float = is_floating(*scalar);
  if (texture.as_fractions && (is_float || size_of(*scalar) == 4))
    refuse(culprit, type, "has no fractions: they are of integers of 8 or 16 bits");
  if (texture.filters && !is_float && !texture.as_fractions)
    refuse(culprit, type, "cannot be filtered: integers are, as fractions");
  return made;
}

}  // namespace gpulab
