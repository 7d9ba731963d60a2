#pragma once
// What a tensor core computes: D = A B + C of small matrices. Only for isa/*/*.cpp.
//
// Floating point (f16, bf16, tf32), as measured on Hopper (M. Fasi et al., "Numerical behavior of NVIDIA tensor cores",
// 2021; F. Khattak and M. Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv:2512.07004, whose H100 and H200
// models agree with the hardware bit for bit): the products of one row and column, 16 of f16 or bf16, 8 of tf32, are
// exact. They and C are aligned to the largest exponent among them (an f16 product's is the sum of its factors'
// exponents, not normalised; 2^-133 at least), cut off 25 bits below its unit, towards zero, added exactly, and the sum
// is rounded once: towards zero to f32, to the nearest to f16. Subnormals count. The error is hence below
// (terms + 4) * 2^-25 of the largest term, and one rounding. NaN results are 0x7fffffff and 0x7fff.
// Double precision: one fused multiply-add after another, k ascending, each rounded to nearest.
// Integers: exact; the sum wraps around, or is clamped (.satfinite).

#include <algorithm>
#include <cmath>

#include "common/simt/isa/arithmetic/half.h"
#include "common/simt/isa/warp/fragment.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

inline constexpr int kMaxOuter = 32, kMaxRight = 16;
inline constexpr int kExtraBits = 25;  ///< below the unit of the largest exponent
inline constexpr int kLeastExponent = -133;
inline constexpr int kZeroExponent = -10000;

enum class Element : u8 { f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32 };

constexpr int bits_of(Element e) {
  switch (e) {
    case Element::f64:
      return 64;
    case Element::tf32:
    case Element::f32:
    case Element::s32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::s8:
    case Element::u8:
      return 8;
    case Element::s4:
    case Element::u4:
      return 4;
    default:
      return 1;
  }
}

/// A factor: significand * 2^(exponent - 10), as wide as f16's and tf32's; bf16's has zeros below.
struct Factor {
  s32 significand, exponent;
  bool special;  ///< infinity or NaN
};
inline Factor factor_of(Element type, u32 bits) {
  const int mantissa = type == Element::f16 ? 10 : type == Element::bf16 ? 7 : 23;
  const int exponent_bits = type == Element::f16 ? 5 : 8;
  const int bias = (1 << (exponent_bits - 1)) - 1, most = (1 << exponent_bits) - 1;
  const s32 exponent = static_cast<s32>(bits >> mantissa) & most;
  const u32 fraction = bits & ((1u << mantissa) - 1);
  u32 magnitude = fraction | (exponent ? 1u << mantissa : 0);
  magnitude = mantissa > 10 ? magnitude >> (mantissa - 10) : magnitude << (10 - mantissa);
  const bool negative = bits >> (mantissa + exponent_bits) & 1;
  return {negative ? -static_cast<s32>(magnitude) : static_cast<s32>(magnitude),
          magnitude ? std::max(exponent, 1) - bias : kZeroExponent, exponent == most};
}
inline double double_of(Element type, u32 bits) {
  if (type == Element::f16) return static_cast<double>(float_of(Half(bits)));
  return static_cast<double>(bits_as<float>(type == Element::bf16 ? bits << 16 : bits));
}

/// Towards zero; a magnitude of 2^128 and more is infinite.
inline float truncated(double x) {
  const float nearest = static_cast<float>(x);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(x) && std::fabs(x) < 0x1p128
             ? bits_as<float>(bits_as<u32>(nearest) - 1)
             : nearest;
}

/// A sum as D holds it.
inline u32 float_result(Element type, double sum) {
  return type == Element::f16 ? half_of(sum, 0).bits : bits_as<u32>(canonical(truncated(sum)));
}

inline s32 shifted(s32 value, s32 places) {
  const s32 magnitude = (value < 0 ? -value : value) >> (places < 31 ? places : 31);
  return value < 0 ? -magnitude : magnitude;
}

/// Two matrices of factors: left[i][k], right[k][j].
struct Factors {
  s32 left_significand[kMaxOuter][16], left_exponent[kMaxOuter][16];
  alignas(64) s32 right_significand[16][kMaxRight];
  alignas(64) s32 right_exponent[16][kMaxRight];
};

/// sum[j] = row i of left times column j of right plus c[j], exactly as described above, as a double.
template <int columns>
inline void add_products(const Factors& f, int i, int depth, const float* c, double* sum) {
  alignas(64) s32 top[columns], total[columns];
  s32 c_significand[columns], c_exponent[columns];
  for (int j = 0; j < columns; ++j) {
    const u32 bits = bits_as<u32>(c[j]);
    const s32 exponent = static_cast<s32>(bits >> 23 & 0xff);
    const s32 magnitude = static_cast<s32>((bits & 0x7fffff) | (exponent ? 0x800000 : 0));
    c_significand[j] = (bits >> 31 ? -magnitude : magnitude) * 4;
    c_exponent[j] = magnitude ? std::max(exponent, 1) - 127 : kLeastExponent;
    top[j] = std::max(kLeastExponent, c_exponent[j]);
    total[j] = 0;
  }
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < columns; ++j) top[j] = std::max(top[j], f.left_exponent[i][k] + f.right_exponent[k][j]);
  for (int k = 0; k < depth; ++k)  // 16 products of at most 2047 * 2047 * 32 fit 31 bits
    for (int j = 0; j < columns; ++j)
      total[j] += shifted(f.left_significand[i][k] * f.right_significand[k][j] * 32,
                          top[j] - f.left_exponent[i][k] - f.right_exponent[k][j]);
  for (int j = 0; j < columns; ++j) {
    const s64 exact = s64{total[j]} + shifted(c_significand[j], top[j] - c_exponent[j]);
    sum[j] = std::ldexp(static_cast<double>(exact), top[j] - kExtraBits);
  }
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
