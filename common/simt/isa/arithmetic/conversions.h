#pragma once
// Conversions of one value (PTX ISA: cvt) between integer and floating-point types. Only for isa/*/*.cpp.

#include "common/simt/isa/arithmetic/half.h"
#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// ---- integer to integer ----

/// What a register receives: cvt extends narrow signed results to the register's width.
template <typename D>
using Register = std::conditional_t<std::is_signed_v<D> && (sizeof(D) < 4), s32, D>;

template <typename D, typename S>
constexpr auto resized = [](S a) -> Register<D> { return static_cast<D>(a); };

template <typename T>
constexpr T lowest = std::is_signed_v<T> ? static_cast<T>(std::make_unsigned_t<T>{1} << (8 * sizeof(T) - 1)) : T{0};
template <typename T>
constexpr T highest = static_cast<T>(~lowest<T>);

template <typename D, typename S>
constexpr auto clamped = [](S a) -> Register<D> {
  if constexpr (std::is_signed_v<S> && !std::is_signed_v<D>) {
    if (a < 0) return 0;
  } else if constexpr (std::is_signed_v<S> && sizeof(D) < sizeof(S)) {
    if (a < static_cast<S>(lowest<D>)) return lowest<D>;
  }
  constexpr bool can_exceed = sizeof(D) < sizeof(S) || (sizeof(D) == sizeof(S) && std::is_signed_v<D>);
  if constexpr (can_exceed && std::is_signed_v<D> != std::is_signed_v<S>) {
    if (static_cast<u64>(a) > static_cast<u64>(highest<D>)) return highest<D>;
  } else if constexpr (can_exceed) {
    if (a > static_cast<S>(highest<D>)) return highest<D>;
  }
  return static_cast<D>(a);
};

/// .sat is legal only where a value can be out of range.
template <typename D, typename S>
constexpr Meaning resize() {
  Meaning meaning = lane<resized<D, S>>();
  constexpr bool contains_lowest =
      std::is_signed_v<D> ? !std::is_signed_v<S> || sizeof(D) >= sizeof(S) : !std::is_signed_v<S>;
  constexpr bool contains_highest = highest<D> >= 0 && static_cast<u64>(highest<D>) >= static_cast<u64>(highest<S>);
  if constexpr (!contains_lowest || !contains_highest) meaning.modified = lane<clamped<D, S>>().run;
  return meaning;
}

// ---- floating point to integer ----

inline float number(float x) { return x; }
inline double number(double x) { return x; }
inline float number(Half x) { return float_of(x); }
inline float number(Bfloat16 x) { return float_of(x); }

template <u16 direction, typename T>
inline T to_integral(T x) {
  if constexpr (std::is_same_v<T, float>)
    return direction == kRoundZero   ? __builtin_truncf(x)
           : direction == kRoundDown ? __builtin_floorf(x)
           : direction == kRoundUp   ? __builtin_ceilf(x)
                                     : __builtin_nearbyintf(x);
  else
    return direction == kRoundZero   ? __builtin_trunc(x)
           : direction == kRoundDown ? __builtin_floor(x)
           : direction == kRoundUp   ? __builtin_ceil(x)
                                     : __builtin_nearbyint(x);
}

/// An integral x within D's range. Unsigned by way of signed, which every CPU has as vectors.
template <typename D, typename T>
inline D exact_integer(T x) {
  using Signed = std::conditional_t<sizeof(D) == 8, s64, s32>;
  if constexpr (std::is_signed_v<D> || sizeof(D) < 4) {
    return static_cast<D>(static_cast<Signed>(x));
  } else if constexpr (sizeof(D) == 4 && std::is_same_v<T, double>) {
    return static_cast<D>(bits_as<u64>(x + 0x1p52));
  } else {
    constexpr T half_range = static_cast<T>(D{1} << (8 * sizeof(D) - 1));
    const bool upper = x >= half_range;
    const D rest = static_cast<D>(static_cast<Signed>(upper ? x - half_range : x));
    return upper ? rest ^ (D{1} << (8 * sizeof(D) - 1)) : rest;
  }
}

/// Out of range: clamped. NaN: zero; but 1 << (bits - 1) where a double or a 64-bit integer takes part.
template <typename D, typename S, typename T>
inline D integer_of(T x) {
  constexpr bool wide = std::is_same_v<S, double> || sizeof(D) == 8;
  constexpr D of_nan = wide ? static_cast<D>(std::make_unsigned_t<D>{1} << (8 * sizeof(D) - 1)) : D{0};
  constexpr T below = static_cast<T>(lowest<D>);
  constexpr T beyond = static_cast<T>(u64{1} << (8 * sizeof(D) - 1)) * (std::is_signed_v<D> ? T{1} : T{2});
  return x != x ? of_nan : x < below ? lowest<D> : x >= beyond ? highest<D> : exact_integer<D>(x);
}

template <typename D, typename S>
struct Rounding {
  static constexpr bool to_float = std::is_floating_point_v<D> || is_short_float<D>;
  using Result =
      typename std::conditional_t<to_float, std::enable_if<true, D>, std::enable_if<true, Register<D>>>::type;
  static constexpr std::array<OperandType, 6> operands{{{Role::out, kind_of<Result>()}, {Role::in, kind_of<S>()}}};

  template <u16 direction, bool flushed>
  static void convert(Warp& w, const MicroOp* op) {
    const Source<S> a(w, op, 1);
    const bool sat = op->mods & kSat;
    for_each_lane<Result>(w, op, [&](int i) -> Result {
      const auto x = to_integral<direction>(flush_if(number(a[i]), flushed));
      if constexpr (is_short_float<D>)
        return short_float_saturated<D>(x, sat ? kSat : 0);
      else if constexpr (to_float)
        return saturate_if(x, sat);
      else
        return integer_of<D, S>(x);
    });
    canonicalise<Result>(w, op);
  }
  template <u16 direction>
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    if (std::is_same_v<S, float> && (op->mods & kFtz))
      convert<direction, true>(w, op);
    else
      convert<direction, false>(w, op);
    return following(w, op);
  }
  static const MicroOp* modified(Warp& w, const MicroOp* op) {
    switch (op->mods & kRoundMask) {
      case kRoundZero:
        return run<kRoundZero>(w, op);
      case kRoundDown:
        return run<kRoundDown>(w, op);
      case kRoundUp:
        return run<kRoundUp>(w, op);
      default:
        return run<0>(w, op);
    }
  }
};
/// cvt.rni, .rzi, .rmi, .rpi: to an integer, or to an integral floating-point value.
template <typename D, typename S>
constexpr Meaning round_to() {
  using R = Rounding<D, S>;
  return {.run = &R::modified, .operands = R::operands};
}

// ---- to floating point ----

template <typename D, typename S>
constexpr auto converted = [](S a) { return static_cast<D>(a); };
template <typename D, typename S>
constexpr auto widened = [](S a) { return static_cast<D>(float_of(a)); };

/// The value as a double. Integers of 64 bits have more bits than that: beyond 2^32 those below the 16th become one
/// that says whether any was set, far below what a 16-bit result can show.
template <typename S>
inline double as_double(S a) {
  if constexpr (is_short_float<S>) {
    return float_of(a);
  } else if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
    const u64 magnitude = a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a);
    const u64 sticky = (magnitude >> 16 | ((magnitude & 0xffff) != 0 ? 1 : 0)) << 16;
    const double value = static_cast<double>(magnitude >> 32 != 0 ? sticky : magnitude);
    return a < 0 ? -value : value;
  } else {
    return static_cast<double>(a);
  }
}
/// A double-precision NaN narrowed: its sign and the top of its payload, quiet. Only conversions from double keep them.
template <typename D>
inline D narrow_nan(double x) {
  constexpr int mantissa = format_of<D>.mantissa;
  const u64 bits = bits_as<u64>(x);
  const u32 quiet = infinity_of<format_of<D>> | 1u << (mantissa - 1);
  const u32 payload = static_cast<u32>(bits >> (52 - mantissa)) & ((1u << mantissa) - 1);
  return D((static_cast<u32>(bits >> 48) & 0x8000) | quiet | payload);
}
/// To a half .ftz has no effect: the hardware's conversion (SASS F2F.F16.F32) has no such modifier, and rounds a
/// subnormal as it is. To a bfloat16 it has.
template <typename D, typename S>
inline void round_each(Warp& w, const MicroOp* op, u16 mods) {
  const Source<S> a(w, op, 1);
  const bool ftz = std::is_same_v<D, Bfloat16> && (mods & kFtz);
  for_each_lane<D>(w, op, [&](int i) {
    const D rounded = short_float_saturated<D>(as_double(flush_if(a[i], ftz)), mods);
    if constexpr (std::is_same_v<S, double>)
      return a[i] != a[i] && !(mods & kSat) ? narrow_nan<D>(a[i]) : rounded;
    else
      return rounded;
  });
}
template <typename D, typename S>
const MicroOp* round_to_short(Warp& w, const MicroOp* op) {
  if (op->mods & kRoundMask)
    round_each<D, S>(w, op, op->mods);
  else
    round_each<D, S>(w, op, op->mods & (kSat | kFtz));  // to nearest, which the compiler sees: it vectorises
  return following(w, op);
}
template <typename D, typename S>
constexpr Meaning to_short() {
  return {.run = round_to_short<D, S>, .operands = {{{Role::out, kind_of<D>()}, {Role::in, kind_of<S>()}}}};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
