#include "common/simt/machine/memory/texel_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gpulab::simt {

namespace {

/// A channel's bits; integers with a sign are extended.
std::uint32_t channel_bits(const TexelFormat& format, const std::byte* texel, std::size_t channel) {
  const bool is_signed = format.kind == TexelKind::signed_integer;
  const std::byte* const from = texel + channel * format.bits / 8;
  if (format.bits == 8) {
    const auto value = static_cast<std::uint8_t>(*from);
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int8_t>(value)) : value;
  }
  if (format.bits == 16) {
    std::uint16_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int16_t>(value)) : value;
  }
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// ---- floating-point numbers by sign, exponent and mantissa ----

struct FloatShape {
  int mantissa_bits, exponent_bits;
  [[nodiscard]] std::uint32_t largest_exponent() const { return (1u << exponent_bits) - 1; }
  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr FloatShape kSingle{23, 8}, kHalf{10, 5};

struct Parts {
  bool is_negative = false, is_finite = true;
  bool is_nan = false;
  int exponent = 0;           ///< of the mantissa's lowest bit is exponent - bias - mantissa_bits
  std::int64_t mantissa = 0;  ///< with the leading 1
};

Parts parts_of(std::uint32_t bits, const FloatShape& shape) {
  const std::uint32_t fraction = bits & ((1u << shape.mantissa_bits) - 1);
  const std::uint32_t exponent = bits >> shape.mantissa_bits & shape.largest_exponent();
  Parts parts;
  parts.is_negative = bits >> (shape.mantissa_bits + shape.exponent_bits) & 1;
  parts.is_finite = exponent != shape.largest_exponent();
  parts.is_nan = !parts.is_finite && fraction != 0;
  parts.exponent = exponent == 0 ? 1 : static_cast<int>(exponent);
  parts.mantissa = fraction | (exponent == 0 ? 0u : 1u << shape.mantissa_bits);
  return parts;
}

/// Of an exponent that normal numbers have. (std::ldexp took a fifth of a program that filters.)
double power_of_2(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }
int exponent_of(double normal) { return static_cast<int>(std::bit_cast<std::uint64_t>(normal) >> 52 & 2047) - 1023; }

std::uint32_t float_bits(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

/// A half's value in a register of 32 bits.
std::uint32_t widened(std::uint32_t bits) {
  const Parts p = parts_of(bits, kHalf);
  const std::uint32_t sign = p.is_negative ? 0x80000000u : 0;
  if (!p.is_finite) return sign | 0x7f800000u | (bits & 0x3ffu) << 13;
  return sign |
         float_bits(static_cast<double>(p.mantissa) * power_of_2(p.exponent - kHalf.bias() - kHalf.mantissa_bits));
}

/// Of the four corners from `first` on: mantissas are shifted to the largest exponent, with four bits more than they
/// have, and what is below is cut off. Exact in 53 bits.
double weighted_slice(const std::array<Parts, 8>& parts, std::size_t first, const CornerWeights& weights,
                      const FloatShape& shape) {
  constexpr int guard_bits = 4, weight_bits = 8, all_bits = 40;
  const auto counts = [&](std::size_t k) { return weights.of[k] != 0 && parts[k].mantissa != 0; };
  int largest = 0;
  for (std::size_t k = first; k < first + 4; ++k)
    if (counts(k)) largest = std::max(largest, parts[k].exponent);
  std::int64_t sum = 0;
  for (std::size_t k = first; k < first + 4; ++k) {
    if (!counts(k) || largest - parts[k].exponent > all_bits) continue;
    const std::int64_t value = (parts[k].mantissa << guard_bits) >> (largest - parts[k].exponent);
    sum += (parts[k].is_negative ? -value : value) * weights.of[k];
  }
  const int exponent = largest - shape.bias() - shape.mantissa_bits - guard_bits - weight_bits;  // of its lowest bit
  return static_cast<double>(sum) * power_of_2(exponent);
}

/// To the nearest number of the shape, halves away from 0.
std::uint32_t rounded(double value, const FloatShape& shape) {
  if (value == 0) return 0;
  const int exponent = std::max(exponent_of(value), 1 - shape.bias()) - shape.mantissa_bits;
  const auto nearest = static_cast<std::int64_t>(value * power_of_2(-exponent) + (value < 0 ? -0.5 : 0.5));
  return float_bits(static_cast<double>(nearest) * power_of_2(exponent));
}

/// The slices of a volume are summed each by itself. (Where one's texels are thousands of times as large as the
/// other's, an H200's last bit is another in one of a thousand sums.)
std::uint32_t weighted_floats(const std::array<std::uint32_t, 8>& bits, const CornerWeights& weights,
                              const FloatShape& shape) {
  std::array<Parts, 8> parts;
  bool plus = false, minus = false, nan = false;
  for (std::size_t k = 0; k < weights.count; ++k) {
    parts[k] = parts_of(bits[k], shape);
    if (!parts[k].is_finite && weights.is_used[k]) (parts[k].is_nan ? nan : parts[k].is_negative ? minus : plus) = true;
  }
  const bool is_half = shape.mantissa_bits == kHalf.mantissa_bits;
  if (nan || (plus && minus)) return is_half ? 0x7fffe000u : 0x7fffffffu;
  if (plus || minus) return minus ? 0xff800000u : 0x7f800000u;
  double sum = weighted_slice(parts, 0, weights, shape);
  if (weights.count > 4) sum += weighted_slice(parts, 4, weights, shape);
  return rounded(sum, shape);
}

// ---- integers as fractions ----

std::uint32_t fraction_of(const TexelFormat& format, std::uint32_t bits) {
  if (format.kind == TexelKind::unsigned_integer)
    return float_bits(static_cast<double>(bits) / ((1u << format.bits) - 1));
  const double largest = (1 << (format.bits - 1)) - 1;
  return float_bits(std::max(static_cast<double>(static_cast<std::int32_t>(bits)) / largest, -1.0));
}

/// The sum of 16-bit fractions, rounded; 8 bits become 16 in it.
std::uint32_t weighted_fractions(const std::array<std::uint32_t, 8>& bits, const CornerWeights& weights,
                                 const TexelFormat& format) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < weights.count; ++k) sum += static_cast<std::int32_t>(bits[k]) * weights.of[k];
  if (format.kind == TexelKind::unsigned_integer)
    return float_bits(static_cast<double>((format.bits == 8 ? sum * 257 + 128 : sum + 128) >> 8) / 65535);
  // 32767 / 127 is a little more than 258: the rest is added by eighths.
  const std::int64_t rounded = format.bits == 8 ? (sum * 258 * 8 + (sum >> 12) * 256 + 1024) >> 11 : (sum + 128) >> 8;
  return float_bits(static_cast<double>(std::max<std::int64_t>(rounded, -32767)) / 32767);
}

bool is_half(const TexelFormat& format) { return format.kind == TexelKind::floating && format.bits == 16; }

/// One channel of a texel as a register holds it.
std::uint32_t value_of(const Texture& t, std::uint32_t bits) {
  if (t.as_fractions) return fraction_of(t.format, bits);
  return is_half(t.format) ? widened(bits) : bits;
}

}  // namespace

Texel nearest_texel(const Texture& t, const std::byte* texel) {
  Texel result{};
  for (std::size_t c = 0; c < t.format.channels; ++c)
    result[c] = value_of(t, texel == nullptr ? t.border[c] : channel_bits(t.format, texel, c));
  return result;
}

Texel filtered_texel(const Texture& t, const TexelCorners& corners, const CornerWeights& weights) {
  Texel result{};
  std::array<std::uint32_t, 8> bits{};
  for (std::size_t c = 0; c < t.format.channels; ++c) {
    for (std::size_t k = 0; k < weights.count; ++k)
      bits[k] = corners[k] == nullptr ? t.border[c] : channel_bits(t.format, corners[k], c);
    if (t.as_fractions)
      result[c] = weighted_fractions(bits, weights, t.format);
    else if (t.format.kind == TexelKind::floating)
      result[c] = weighted_floats(bits, weights, is_half(t.format) ? kHalf : kSingle);
  }
  return result;
}

}  // namespace gpulab::simt
