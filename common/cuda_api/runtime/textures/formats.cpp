#include <algorithm>
#include <bit>
#include <cmath>

#include "common/cuda_api/runtime/textures/arrays.h"

namespace gpulab::cuda_api {

namespace {

/// To half precision, to the nearest, halves to even.
std::uint32_t half_bits(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u;
  if (std::isnan(value)) return sign | 0x7fffu;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520) return sign | 0x7c00u;
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  // The leading 1 of a normal number adds 1 to the exponent's bits; so does a mantissa that is rounded up to 2.
  const auto mantissa = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | ((static_cast<std::uint32_t>(exponent + 14) << 10) + mantissa);
}

}  // namespace

std::optional<simt::TexelFormat> format_of(const cudaChannelFormatDesc& channels) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  int count = 0;
  while (count < 4 && bits[count] != 0) ++count;
  if (count != 1 && count != 2 && count != 4) return std::nullopt;
  const bool all_alike = std::all_of(bits, bits + count, [&](int b) { return b == bits[0]; }) &&
                         std::all_of(bits + count, bits + 4, [](int b) { return b == 0; });
  if (!all_alike || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32)) return std::nullopt;
  simt::TexelFormat format{.channels = static_cast<std::uint8_t>(count), .bits = static_cast<std::uint8_t>(bits[0])};
  switch (channels.f) {
    case cudaChannelFormatKindUnsigned:
      format.kind = simt::TexelKind::unsigned_integer;
      return format;
    case cudaChannelFormatKindSigned:
      format.kind = simt::TexelKind::signed_integer;
      return format;
    case cudaChannelFormatKindFloat:
      format.kind = simt::TexelKind::floating;
      return bits[0] == 8 ? std::nullopt : std::optional(format);
    default:
      return std::nullopt;
  }
}

std::array<std::uint32_t, 4> border_of(const simt::TexelFormat& format, bool as_fractions, const float (&color)[4]) {
  std::array<std::uint32_t, 4> border{};
  const bool is_signed = format.kind == simt::TexelKind::signed_integer;
  for (std::size_t c = 0; c < 4; ++c) {
    const auto raw = std::bit_cast<std::uint32_t>(color[c]);
    if (as_fractions) {
      const double largest = (1u << (is_signed ? format.bits - 1 : format.bits)) - 1;
      const double fraction = std::isnan(color[c]) ? 0 : std::clamp<double>(color[c], is_signed ? -1 : 0, 1);
      border[c] = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::ceil(fraction * largest - 0.5)));
    } else if (format.kind == simt::TexelKind::floating) {
      border[c] = format.bits == 16 ? half_bits(color[c]) : raw;
    } else {
      const int unused = 32 - format.bits;
      border[c] = is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << unused) >> unused)
                            : raw << unused >> unused;
    }
  }
  return border;
}

}  // namespace gpulab::cuda_api
