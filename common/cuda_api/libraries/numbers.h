#pragma once
// Numbers as libraries keep them in memory, and what they compute with: double, or complex double. What a GPU does in
// float is done in double here and rounded once, at the end: nearer to the true value than any order of float
// additions, and the same on every machine. What it does in double is done in long double (64 bits of mantissa on
// x86-64) while that takes a moment, for the same reason, and in double where there is much of it.

#include <library_types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gpulab::libraries {

using i64 = std::int64_t;
using Complex = std::complex<double>;
using Precise = long double;
using PreciseComplex = std::complex<Precise>;
using Type = cudaDataType_t;

[[nodiscard]] constexpr bool is_complex(Type type) {
  return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_8I ||
         type == CUDA_C_32I;
}
[[nodiscard]] constexpr Type real_of(Type type) {
  switch (type) {
    case CUDA_C_32F:
      return CUDA_R_32F;
    case CUDA_C_64F:
      return CUDA_R_64F;
    case CUDA_C_16F:
      return CUDA_R_16F;
    case CUDA_C_16BF:
      return CUDA_R_16BF;
    case CUDA_C_8I:
      return CUDA_R_8I;
    case CUDA_C_32I:
      return CUDA_R_32I;
    default:
      return type;
  }
}
/// Of one number; 0: a type that is not here.
[[nodiscard]] constexpr i64 bytes_of(Type type) {
  if (is_complex(type)) return 2 * bytes_of(real_of(type));
  switch (type) {
    case CUDA_R_64F:
    case CUDA_R_64I:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return 1;
    default:
      return 0;
  }
}

/// A small floating-point format: `exponent` and `mantissa` bits behind a sign. `finite`: it has no infinities, and
/// one NaN (E4M3).
template <int exponent, int mantissa, bool finite = false>
struct SmallFloat {
  static constexpr int bias = (1 << (exponent - 1)) - 1, most = (1 << exponent) - 1;
  static double decode(unsigned bits) {
    const unsigned m = bits & ((1u << mantissa) - 1), e = bits >> mantissa & unsigned{most};
    const double sign = (bits >> (mantissa + exponent) & 1) != 0 ? -1 : 1;
    if (!finite && e == unsigned{most})
      return m != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    if (finite && e == unsigned{most} && m == (1u << mantissa) - 1) return std::numeric_limits<double>::quiet_NaN();
    if (e == 0) return sign * std::ldexp(m, 1 - bias - mantissa);
    return sign * std::ldexp(m + (1u << mantissa), static_cast<int>(e) - bias - mantissa);
  }
  /// To nearest, ties to even. Without infinities what is too large becomes the largest number.
  static unsigned encode(double value) {
    const unsigned sign = std::signbit(value) ? 1u << (mantissa + exponent) : 0;
    if (std::isnan(value)) return (finite ? 0u : sign) | (unsigned{most} << mantissa) | ((1u << mantissa) - 1);
    const double magnitude = std::fabs(value);
    constexpr unsigned infinity = unsigned{most} << mantissa, largest = infinity + (finite ? (1u << mantissa) - 2 : -1);
    if (std::isinf(magnitude)) return sign | (finite ? largest : infinity);
    if (magnitude == 0) return sign;
    const int e = std::max(std::ilogb(magnitude), 1 - bias);
    const double scaled = std::nearbyint(std::ldexp(magnitude, mantissa - e));
    // The carry of a mantissa that was rounded up goes into the exponent by itself.
    const double code = scaled + std::ldexp(e + bias - 1, mantissa);
    if (code > largest) return sign | (finite ? largest : infinity);
    return sign | static_cast<unsigned>(code);
  }
};
using Half = SmallFloat<5, 10>;
using E4M3 = SmallFloat<4, 3, true>;
using E5M2 = SmallFloat<5, 2>;

/// As IEEE 754 has it for conversions to integers with saturation; NaN is 0.
template <typename Int>
Int saturated(double value) {
  if (std::isnan(value)) return 0;
  const double low = std::numeric_limits<Int>::min(), high = std::numeric_limits<Int>::max();
  return static_cast<Int>(std::min(std::max(std::nearbyint(value), low), high));
}

/// `count` real numbers of memory as doubles, and back.
void decode(Type type, const void* from, double* to, i64 count);
void encode(Type type, const double* from, void* to, i64 count);

inline void decode(Type type, const void* from, Complex* to, i64 count) {
  decode(real_of(type), from, reinterpret_cast<double*>(to), 2 * count);
}
inline void encode(Type type, const Complex* from, void* to, i64 count) {
  encode(real_of(type), reinterpret_cast<const double*>(from), to, 2 * count);
}

void decode(Type type, const void* from, Precise* to, i64 count);
void encode(Type type, const Precise* from, void* to, i64 count);
inline void decode(Type type, const void* from, PreciseComplex* to, i64 count) {
  decode(real_of(type), from, reinterpret_cast<Precise*>(to), 2 * count);
}
inline void encode(Type type, const PreciseComplex* from, void* to, i64 count) {
  encode(real_of(type), reinterpret_cast<const Precise*>(from), to, 2 * count);
}

/// The real numbers that W is made of.
template <typename W>
struct Parts {
  using Real = W;
};
template <typename R>
struct Parts<std::complex<R>> {
  using Real = R;
};
template <typename W>
using RealOf = typename Parts<W>::Real;
template <typename W>
inline constexpr bool kIsComplex = !std::is_same_v<W, RealOf<W>>;

template <typename W>
W conjugate(W value) {
  if constexpr (kIsComplex<W>)
    return std::conj(value);
  else
    return value;
}
template <typename W>
RealOf<W> real_part(W value) {
  if constexpr (kIsComplex<W>)
    return value.real();
  else
    return value;
}
/// |re| + |im|: what BLAS and LAPACK compare numbers by.
template <typename W>
RealOf<W> taxi_size(W value) {
  if constexpr (kIsComplex<W>)
    return std::fabs(value.real()) + std::fabs(value.imag());
  else
    return std::fabs(value);
}
/// A number of other precision.
template <typename To, typename From>
To converted(From value) {
  if constexpr (kIsComplex<To> && kIsComplex<From>)
    return To(static_cast<RealOf<To>>(value.real()), static_cast<RealOf<To>>(value.imag()));
  else
    return To(static_cast<RealOf<To>>(real_part(value)));
}

}  // namespace gpulab::libraries
