#pragma once
// 16-bit floating point by way of double: every half and bfloat16 is a double, and one rounding leads back. Only for
// isa/*/*.cpp.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Exact. Subnormals become normal by the multiplication.
inline float float_of(Half h) {
  const u32 magnitude = static_cast<u32>(h.bits & 0x7fff) << 13;
  const float finite = bits_as<float>(magnitude) * 0x1p112f;
  const u32 bits = (h.bits & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000u : bits_as<u32>(finite);
  return bits_as<float>(bits | static_cast<u32>(h.bits & 0x8000) << 16);
}
inline float float_of(Bfloat16 h) { return bits_as<float>(static_cast<u32>(h.bits) << 16); }

inline Bfloat16 flush(Bfloat16 x) { return Bfloat16((x.bits & 0x7f80u) == 0 ? x.bits & 0x8000u : x.bits); }

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

/// A format narrower than double: bits of its mantissa, exponent of its smallest normal number.
struct Format {
  int mantissa, lowest;
};
template <typename T>
constexpr Format format_of{};
template <>
constexpr Format format_of<Half>{10, -14};
template <>
constexpr Format format_of<Bfloat16>{7, -126};

template <Format format>
constexpr u32 infinity_of = static_cast<u32>(3 - 2 * format.lowest) << format.mantissa;

/// |x| rounded in the direction of the modifiers, as exponent and mantissa of the format, which has no largest number
/// here: what exceeds it gives a number above its infinity's.
template <Format format>
inline u32 magnitude_bits(double x, u16 mods) {
  constexpr int mantissa = format.mantissa, lowest = format.lowest;
  const u64 bits = bits_as<u64>(x);
  const s32 exponent = static_cast<s32>(bits >> 52 & 0x7ff) - 1023;
  const s32 scale = exponent < lowest ? lowest : exponent;  // below the smallest normal number steps stay as they are
  const double magnitude = bits_as<double>(bits & 0x7fffffffffffffffu);
  const double steps = magnitude * bits_as<double>(static_cast<u64>(1023 + mantissa - scale) << 52);
  constexpr double too_many = 4 << mantissa;  // of infinity and NaN
  // A carry out of the mantissa raises the exponent field by itself.
  return (static_cast<u32>(scale - lowest) << mantissa) +
         static_cast<u32>(static_cast<s32>(rounded_magnitude(steps < too_many ? steps : 0, bits >> 63 != 0, mods)));
}

/// x in a format with infinities, its sign in bit 15: for formats of 16 bits. NaN: 0x7fff, the only one made.
template <Format format>
inline u32 narrowed(double x, u16 mods) {
  constexpr u32 infinity = infinity_of<format>;
  const u32 sign = static_cast<u32>(bits_as<u64>(x) >> 48) & 0x8000;
  const u32 result = magnitude_bits<format>(x, mods);
  const u32 direction = mods & kRoundMask;
  const bool infinite = __builtin_fabs(x) == __builtin_inf();
  const bool to_infinity = direction == 0 || direction == (sign ? kRoundDown : kRoundUp) || infinite;
  const u32 finite = result < infinity ? result : to_infinity ? infinity : infinity - 1;
  return x != x ? 0x7fffu : sign | finite;
}
/// The half or bfloat16 nearest to x in the direction of the modifiers.
template <typename T>
inline T short_float(double x, u16 mods) {
  return T(narrowed<format_of<T>>(x, mods));
}
inline Half half_of(double x, u16 mods) { return short_float<Half>(x, mods); }
/// .sat before rounding: the bounds are such values themselves.
template <typename T>
inline T short_float_saturated(double x, u16 mods) {
  return short_float<T>(saturate_if(x, mods & kSat), mods);
}

// ---- 32 lanes at once, by way of single precision ----

struct Floats {
  alignas(64) float of[kLanes];
};

/// Of all lanes' halves, which lie in the lower or (`shift` 16) the upper bits of 32.
[[gnu::always_inline]] inline Floats floats_of(const u32* raw, int shift) {
  Floats floats;
#if defined(__AVX512F__)
  for (int i = 0; i < kLanes; i += 16) {
    constexpr __mmask16 all = 0xffff;  // g++ 12 warns of what intrinsics without a mask leave undefined
    const __m512i words = _mm512_maskz_srli_epi32(all, _mm512_loadu_si512(raw + i), static_cast<unsigned>(shift));
    _mm512_store_ps(floats.of + i, _mm512_maskz_cvtph_ps(all, _mm512_maskz_cvtepi32_epi16(all, words)));
  }
#else
  for (int i = 0; i < kLanes; ++i) floats.of[i] = float_of(Half(raw[i] >> shift));
#endif
  return floats;
}

/// The nearest half, ties to even, as bits; NaN: 0x7fff, the only one made.
inline u32 nearest_half(float x) {
  const u32 bits = bits_as<u32>(x), magnitude = bits & 0x7fffffffu;
  // Steps of 2^-24 below the smallest normal half: what the addition leaves in the last bits of its result.
  const u32 small = bits_as<u32>(bits_as<float>(magnitude) + 0.5f) - bits_as<u32>(0.5f);
  const u32 rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  const u32 normal = (rounded >> 13) - (112u << 10);
  const u32 finite = magnitude < bits_as<u32>(0x1p-14f) ? small : normal < 0x7c00 ? normal : 0x7c00;
  return x != x ? 0x7fffu : finite | (bits >> 16 & 0x8000);
}
/// Of all lanes.
[[gnu::always_inline]] inline void nearest_halves(const Floats& floats, u32* raw) {
#if defined(__AVX512F__)
  for (int i = 0; i < kLanes; i += 16) {
    const __m512 x = _mm512_load_ps(floats.of + i);
    constexpr __mmask16 all = 0xffff;
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    const __m512i halves = _mm512_maskz_cvtepu16_epi32(all, _mm512_maskz_cvtps_ph(all, x, nearest));
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    _mm512_store_si512(raw + i, _mm512_mask_set1_epi32(halves, nan, 0x7fff));
  }
#else
  for (int i = 0; i < kLanes; ++i) raw[i] = nearest_half(floats.of[i]);
#endif
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
