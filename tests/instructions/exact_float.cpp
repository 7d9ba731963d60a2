#include "tests/instructions/exact_float.h"

#include <utility>

namespace gpulab::simt {
namespace {

using u64 = std::uint64_t;
using u128 = unsigned __int128;
using Class = Exact::Class;

int bit_length(u128 x) {
  const auto high = static_cast<u64>(x >> 64), low = static_cast<u64>(x);
  return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/// The same value with its highest bit at `top`.
Exact aligned(Exact x, int top) {
  const int shift = top + 1 - bit_length(x.m);
  x.m <<= shift;
  x.e -= shift;
  return x;
}

Exact special(Class what, bool negative) {
  Exact x;
  x.what = what;
  x.negative = negative;
  return x;
}

/// m / 2^shift to an integer; `more`: there are bits below m.
u128 shifted_rounded(u128 m, int shift, bool more, bool negative, Round mode) {
  if (shift <= 0) return m << -shift;  // exact: an inexact value has bits to spare
  const bool all_lost = shift >= 128;
  const u128 kept = all_lost ? 0 : m >> shift;
  const bool half = shift <= 128 && (m >> (shift - 1) & 1) != 0;
  const bool rest = more || (shift > 128 ? m != 0 : (m & ((u128{1} << (shift - 1)) - 1)) != 0);
  switch (mode) {
    case Round::nearest_even:
      return kept + (half && (rest || (kept & 1)) ? 1 : 0);
    case Round::nearest_away:
      return kept + (half ? 1 : 0);
    case Round::zero:
      return kept;
    case Round::down:
      return kept + (negative && (half || rest) ? 1 : 0);
    default:
      return kept + (!negative && (half || rest) ? 1 : 0);
  }
}

}  // namespace

Exact exact_of(u64 bits, FloatFormat format) {
  const bool negative = (bits & format.sign()) != 0;
  const u64 fraction = bits & ((u64{1} << format.mantissa) - 1);
  const int exponent = static_cast<int>((bits & format.infinity()) >> format.mantissa);
  if (exponent == (1 << format.exponent) - 1) return special(fraction ? Class::nan : Class::infinite, negative);
  if (exponent == 0 && fraction == 0) return special(Class::zero, negative);
  Exact x = special(Class::finite, negative);
  x.m = exponent == 0 ? fraction : fraction | u64{1} << format.mantissa;
  x.e = (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa;
  return x;
}

Exact exact_of_integer(u64 magnitude, bool negative) {
  Exact x = special(magnitude == 0 ? Class::zero : Class::finite, negative && magnitude != 0);
  x.m = magnitude;
  return x;
}

Exact negative_of(Exact x) {
  x.negative = !x.negative;
  return x;
}

Exact sum(Exact a, Exact b, Round mode) {
  if (a.what == Class::nan || b.what == Class::nan) return special(Class::nan, false);
  if (a.what == Class::infinite && b.what == Class::infinite && a.negative != b.negative)
    return special(Class::nan, false);
  if (a.what == Class::infinite || (b.what == Class::zero && a.what != Class::zero)) return a;
  if (b.what == Class::infinite || (a.what == Class::zero && b.what != Class::zero)) return b;
  const bool zero_sign = a.negative == b.negative ? a.negative : mode == Round::down;
  if (a.what == Class::zero) return special(Class::zero, zero_sign);
  constexpr int top = 125;
  a = aligned(a, top);
  b = aligned(b, top);
  if (a.e < b.e || (a.e == b.e && a.m < b.m)) std::swap(a, b);
  // Operands have 106 bits: what a shift by less than 20 moves out is zero, and after a longer one there is no
  // cancellation of more than a bit.
  const int distance = a.e - b.e;
  const u128 kept = distance >= 128 ? 0 : b.m >> distance;
  const bool lost = distance >= 128 || (kept << distance) != b.m;
  Exact result = a;
  result.inexact = lost;
  result.m = a.negative == b.negative ? a.m + kept : a.m - kept - (lost ? 1 : 0);
  return result.m == 0 && !lost ? special(Class::zero, zero_sign) : result;
}

Exact product(const Exact& a, const Exact& b) {
  const bool negative = a.negative != b.negative;
  if (a.what == Class::nan || b.what == Class::nan) return special(Class::nan, false);
  if (a.what == Class::infinite || b.what == Class::infinite)
    return a.what == Class::zero || b.what == Class::zero ? special(Class::nan, false)
                                                          : special(Class::infinite, negative);
  if (a.what == Class::zero || b.what == Class::zero) return special(Class::zero, negative);
  Exact x = special(Class::finite, negative);
  x.m = a.m * b.m;
  x.e = a.e + b.e;
  return x;
}

Exact quotient(const Exact& a, const Exact& b) {
  const bool negative = a.negative != b.negative;
  if (a.what == Class::nan || b.what == Class::nan || (a.what == b.what && a.what != Class::finite))
    return special(Class::nan, false);
  if (a.what == Class::infinite || b.what == Class::zero) return special(Class::infinite, negative);
  if (a.what == Class::zero || b.what == Class::infinite) return special(Class::zero, negative);
  const Exact high = aligned(a, 126), low = aligned(b, 52);
  Exact x = special(Class::finite, negative);
  x.m = high.m / low.m;
  x.e = high.e - low.e;
  x.inexact = high.m % low.m != 0;
  return x;
}

Exact square_root(const Exact& a) {
  if (a.what == Class::nan || (a.negative && a.what != Class::zero)) return special(Class::nan, false);
  if (a.what != Class::finite) return a;
  Exact even = aligned(a, 125);
  if (even.e % 2 != 0) even.m >>= 1, even.e += 1;  // its lowest bits are zero
  u128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const u128 tried = root | u128{1} << bit;
    if (tried * tried <= even.m) root = tried;
  }
  Exact x = special(Class::finite, false);
  x.m = root;
  x.e = even.e / 2;
  x.inexact = root * root != even.m;
  return x;
}

Exact integral(const Exact& x, Round mode) {
  if (x.what != Class::finite || x.e >= 0) return x;
  Exact whole = special(Class::finite, x.negative);
  whole.m = shifted_rounded(x.m, -x.e, x.inexact, x.negative, mode);
  return whole.m == 0 ? special(Class::zero, x.negative) : whole;
}

u64 rounded(const Exact& x, FloatFormat format, Round mode) {
  const u64 sign = x.negative ? format.sign() : 0;
  if (x.what == Class::nan) return format.sign() - 1;
  if (x.what == Class::infinite) return sign | format.infinity();
  if (x.what == Class::zero) return sign;
  const int lowest = 1 - format.bias();
  const int exponent = bit_length(x.m) - 1 + x.e;
  const int scale = exponent < lowest ? lowest : exponent;
  const u128 steps = shifted_rounded(x.m, scale - format.mantissa - x.e, x.inexact, x.negative, mode);
  const u128 code = (static_cast<u128>(scale - lowest) << format.mantissa) + steps;
  if (code < format.infinity()) return sign | static_cast<u64>(code);
  const bool away =
      mode == Round::nearest_even || mode == Round::nearest_away || mode == (x.negative ? Round::down : Round::up);
  return sign | (away ? format.infinity() : format.infinity() - 1);
}

std::int64_t clamped(const Exact& x, std::int64_t lowest, std::int64_t highest) {
  if (x.what == Class::zero) return 0;
  const bool huge = x.what == Class::infinite || bit_length(x.m) + x.e > 63;
  if (huge) return x.negative ? lowest : highest;
  const auto magnitude = static_cast<std::int64_t>(x.e >= 0 ? x.m << x.e : x.m >> -x.e);
  const std::int64_t value = x.negative ? -magnitude : magnitude;
  return value < lowest ? lowest : value > highest ? highest : value;
}

u64 clamped_unsigned(const Exact& x, u64 highest) {
  if (x.what == Class::zero || x.negative) return 0;
  if (x.what == Class::infinite || bit_length(x.m) + x.e > 64) return highest;
  const auto value = static_cast<u64>(x.e >= 0 ? x.m << x.e : x.m >> -x.e);
  return value > highest ? highest : value;
}

}  // namespace gpulab::simt
