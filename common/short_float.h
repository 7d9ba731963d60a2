#pragma once
// Values of 16-bit floating-point numbers from their bits. Exact: a double holds all of them.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gpulab {

/// IEEE 754 binary16: 1 sign bit, 5 of the exponent, 10 of the fraction.
[[nodiscard]] inline double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// bfloat16: the upper half of a float.
[[nodiscard]] inline double bfloat16_value(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
}

}  // namespace gpulab
