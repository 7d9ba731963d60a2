#pragma once
// Elements of matrices: their widths, values that multiply exactly, and their bits.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace gpulab::tests {

inline int bits_of(const std::string& type) {
  if (type == "f64") return 64;
  if (type == "f16" || type == "bf16") return 16;
  if (type == "s8" || type == "u8") return 8;
  if (type == "s4" || type == "u4") return 4;
  return type == "b1" ? 1 : 32;
}

inline bool is_float(const std::string& type) { return type[0] == 'f' || type == "tf32" || type == "bf16"; }

/// Floating point: quarters and halves up to 4; integers: the whole range.
inline double small_value(const std::string& type, unsigned random) {
  const int r = static_cast<int>(random >> 8);
  if (is_float(type)) return (r % 17 - 8) / 2.0;
  if (type == "s8") return r % 256 - 128;
  if (type == "s4") return r % 16 - 8;
  if (type == "s32") return r % 200001 - 100000;
  return r % (1 << bits_of(type));
}
inline double largest_value(const std::string& type) {
  if (is_float(type)) return 4;
  return type == "s8" ? 127 : type == "s4" ? 7 : (1 << bits_of(type)) - 1;
}

/// The bits of a value, rounded to the nearest; integers wrap around, or are clamped, as floating point is (`finite`).
inline std::uint64_t encoded(const std::string& type, double value, bool finite) {
  if (!is_float(type)) {
    if (finite) value = std::fmin(std::fmax(value, -2147483648.0), 2147483647.0);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & ((std::uint64_t{1} << bits_of(type)) - 1);
  }
  const int exponent_bits = type == "f16" ? 5 : type == "f64" ? 11 : 8;
  const int mantissa = type == "f16" ? 10 : type == "bf16" ? 7 : type == "f64" ? 52 : 23;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint64_t sign = static_cast<std::uint64_t>(std::signbit(value)) << (exponent_bits + mantissa);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa;
  if (std::isinf(magnitude)) return sign | infinity;
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double steps = std::nearbyint(std::ldexp(magnitude, mantissa - exponent));
  const auto whole = static_cast<std::uint64_t>(steps) + (static_cast<std::uint64_t>(exponent + bias - 1) << mantissa);
  return sign | (whole < infinity ? whole : finite ? infinity - 1 : infinity);
}

}  // namespace gpulab::tests
