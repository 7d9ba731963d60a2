#pragma once
// Half precision by way of double: every half is a double, and one rounding leads back. Only for isa/*.cpp.

#include "common/simt/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Exact. Subnormals become normal by the multiplication.
inline float float_of(Half h) {
  const u32 magnitude = static_cast<u32>(h.bits & 0x7fff) << 13;
  const float finite = bits_as<float>(magnitude) * 0x1p112f;
  const u32 bits = (h.bits & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000u : bits_as<u32>(finite);
  return bits_as<float>(bits | static_cast<u32>(h.bits & 0x8000) << 16);
}

/// q >= 0 to an integer, under the rounding of an instruction's modifiers applied to a value of that sign.
inline double rounded_magnitude(double q, bool negative, u16 mods) {
  switch (mods & kRoundMask) {
    case kRoundZero:
      return __builtin_trunc(q);
    case kRoundDown:
      return negative ? __builtin_ceil(q) : __builtin_floor(q);
    case kRoundUp:
      return negative ? __builtin_floor(q) : __builtin_ceil(q);
    default:
      return __builtin_nearbyint(q);
  }
}

/// The half nearest to x in the direction of the modifiers; one NaN only, 0x7fff.
inline Half half_of(double x, u16 mods) {
  const u64 bits = bits_as<u64>(x);
  const u32 sign = static_cast<u32>(bits >> 48) & 0x8000;
  const s32 exponent = static_cast<s32>(bits >> 52 & 0x7ff) - 1023;
  const s32 scale = exponent < -14 ? -14 : exponent;  // below 2^-14 the steps stay 2^-24
  const double magnitude = bits_as<double>(bits & 0x7fffffffffffffffu);
  const double steps = magnitude * bits_as<double>(static_cast<u64>(1023 + 10 - scale) << 52);
  // A carry out of the mantissa raises the exponent field by itself.
  const u32 result = (static_cast<u32>(scale + 14) << 10) +
                     static_cast<u32>(static_cast<s32>(rounded_magnitude(steps < 4096 ? steps : 0, sign != 0, mods)));
  const u32 direction = mods & kRoundMask;
  const bool to_infinity = direction == 0 || direction == (sign ? kRoundDown : kRoundUp) || exponent == 1024;
  const u32 finite = result >= 0x7c00 ? (to_infinity ? 0x7c00u : 0x7bffu) : result;
  return Half(x != x ? 0x7fffu : sign | finite);
}

/// .sat of a half, before rounding: the bounds are halves themselves.
inline Half half_of_saturated(double x, u16 mods) { return half_of(saturate_if(x, mods & kSat), mods); }

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
