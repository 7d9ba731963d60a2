#pragma once
// Conversions of one value (PTX ISA: cvt) between integer and floating-point types. Only for isa/*/*.cpp.

#include "common/simt/isa/arithmetic/half.h"
#include "common/simt/isa/kind.h"
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

/// The meaning of a conversion's handler depends on the low bits that it keeps or widens, not on each pair of types.
template <typename D, typename S>
constexpr Meaning resizing() {
  constexpr bool narrows = sizeof(D) <= sizeof(S);
  constexpr bool cuts = narrows || (std::is_signed_v<S> && std::is_unsigned_v<D>);
  using From = std::conditional_t<!narrows, S, std::conditional_t<sizeof(S) == 8, u64, u32>>;
  using To = std::conditional_t<sizeof(D) == 8, u64, std::conditional_t<sizeof(D) < 4 && cuts, D, u32>>;
  return lane<resized<To, From>>();
}

/// An integer of any kind as 64 bits, extended by its sign.
inline u64 integer_of(const void* registers, Kind kind, int lane) {
  if (kind == Kind::u64 || kind == Kind::s64) return static_cast<const u64*>(registers)[lane];
  const u32 raw = static_cast<const u32*>(registers)[lane];
  switch (kind) {
    case Kind::u8:
      return static_cast<u8>(raw);
    case Kind::s8:
      return static_cast<u64>(s64{static_cast<s8>(raw)});
    case Kind::u16:
      return static_cast<u16>(raw);
    case Kind::s16:
      return static_cast<u64>(s64{static_cast<s16>(raw)});
    case Kind::s32:
      return static_cast<u64>(s64{static_cast<s32>(raw)});
    default:
      return raw;
  }
}
/// The kinds of a conversion, in Meaning::extra.
template <typename D, typename S>
constexpr u16 kinds = static_cast<u16>(static_cast<int>(kind_of<D>()) << 8 | static_cast<int>(kind_of<S>()));
inline Kind source_kind(const MicroOp* op) { return static_cast<Kind>(op->extra & 0xff); }
inline Kind result_kind(const MicroOp* op) { return static_cast<Kind>(op->extra >> 8); }
inline bool is_signed(Kind kind) {
  return kind == Kind::s8 || kind == Kind::s16 || kind == Kind::s32 || kind == Kind::s64;
}

/// .sat, of all integers: rare. R is what a register of the result receives.
template <typename R>
const MicroOp* clamp(Warp& w, const MicroOp* op) {
  const Kind to = result_kind(op), from = source_kind(op);
  const u32 bits = 8 * bytes_of(to);
  const u64 most = ~u64{0} >> (64 - bits + (is_signed(to) ? 1 : 0));
  const u64 least = is_signed(to) ? ~most : 0;
  for_each_active_lane<R>(w, op, [&](int i) {
    const u64 x = integer_of(w.regs + op->r[1], from, i);
    const bool negative = is_signed(from) && x >> 63 != 0;
    if (negative) return static_cast<R>(static_cast<s64>(x) < static_cast<s64>(least) ? least : x);
    return static_cast<R>(x > most ? most : x);
  });
  return following(w, op);
}

/// .sat is legal only where a value can be out of range.
template <typename D, typename S>
constexpr Meaning resize() {
  Meaning meaning = resizing<D, S>();
  meaning.operands = {{{Role::out, kind_of<Register<D>>()}, {Role::in, kind_of<S>()}}};
  meaning.extra = kinds<D, S>;
  constexpr bool contains_lowest =
      std::is_signed_v<D> ? !std::is_signed_v<S> || sizeof(D) >= sizeof(S) : !std::is_signed_v<S>;
  constexpr bool contains_highest = highest<D> >= 0 && static_cast<u64>(highest<D>) >= static_cast<u64>(highest<S>);
  if constexpr (!contains_lowest || !contains_highest)
    meaning.modified = clamp<std::conditional_t<sizeof(D) == 8, u64, u32>>;
  return meaning;
}

// ---- floating point to integer ----

inline float number(float x) { return x; }
inline double number(double x) { return x; }
inline float number(Half x) { return float_of(x); }
inline float number(Bfloat16 x) { return float_of(x); }

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

template <typename S>
using Number = std::conditional_t<std::is_same_v<S, double>, double, float>;
/// The sources of all lanes, rounded in the direction of the modifiers.
template <typename S>
[[gnu::noinline]] void round_sources(Warp& w, const MicroOp* op, Number<S>* rounded) {
  const Source<S> a(w, op, 1);
  const bool ftz = std::is_same_v<S, float> && (op->mods & kFtz);
  const auto round = [&]<u16 direction>(std::integral_constant<u16, direction>) {
    for (int i = 0; i < kLanes; ++i) rounded[i] = to_integral<direction>(flush_if(number(a[i]), ftz));
  };
  switch (op->mods & kRoundMask) {
    case kRoundZero:
      return round(std::integral_constant<u16, kRoundZero>{});
    case kRoundDown:
      return round(std::integral_constant<u16, kRoundDown>{});
    case kRoundUp:
      return round(std::integral_constant<u16, kRoundUp>{});
    default:
      return round(std::integral_constant<u16, 0>{});
  }
}

template <typename D, typename S>
struct Rounding {
  static constexpr bool to_float = std::is_floating_point_v<D> || is_short_float<D>;
  using Result =
      typename std::conditional_t<to_float, std::enable_if<true, D>, std::enable_if<true, Register<D>>>::type;
  static Result from_integral(Number<S> x, bool sat) {
    if constexpr (is_short_float<D>)
      return short_float_saturated<D>(x, sat ? kSat : 0);
    else if constexpr (to_float)
      return saturate_if(x, sat);
    else
      return integer_of<D, S>(x);
  }

  static const MicroOp* run(Warp& w, const MicroOp* op) {
    if constexpr (std::is_same_v<S, float> && std::is_integral_v<D> && sizeof(D) == 4) {
      // What compilers make of (int)x: no pass of its own for rounding, which flushing would not change.
      if ((op->mods & kRoundMask) == kRoundZero) {
        const Source<S> a(w, op, 1);
        for_each_lane<Result>(w, op, [&](int i) { return integer_of<D, S>(to_integral<kRoundZero>(a[i])); });
        return following(w, op);
      }
    }
    alignas(64) Number<S> rounded[kLanes];
    round_sources<S>(w, op, rounded);
    const bool sat = op->mods & kSat;
    for_each_lane_at_once<Result>(w, op, [&](int i) -> Result { return from_integral(rounded[i], sat); });
    canonicalise<Result>(w, op);
    return following(w, op);
  }
};
/// Of one lane, in code.
template <typename D, typename S, u16 mods>
constexpr auto rounded = [](S a) {
  using Result = typename Rounding<D, S>::Result;
  const auto x = to_integral<mods & kRoundMask>(flush_if(number(a), (mods & kFtz) != 0));
  const Result result = Rounding<D, S>::from_integral(x, (mods & kSat) != 0);
  if constexpr (std::is_same_v<Result, float>)
    return canonical(result);
  else
    return result;
};
template <typename D, typename S>
constexpr Meaning with_rounded_values(Meaning meaning) {
#if defined(SIMT_COMPILED)
  const auto add = [&]<u16... mods>(std::integer_sequence<u16, mods...>) {
    // What changes no result makes no other function: .sat of integers; .ftz towards zero and to nearest, and of
    // sources that are not single.
    constexpr auto significant = [](u16 m) -> u16 {
      const bool rounds_away = (m & kRoundMask) == kRoundDown || (m & kRoundMask) == kRoundUp;
      const bool ftz = std::is_same_v<S, float> && (rounds_away || !std::is_integral_v<D>);
      return m & (kRoundMask | (ftz ? kFtz : 0) | (std::is_integral_v<D> ? 0 : kSat));
    };
    ((meaning = with_values<LaneValues<rounded<D, S, significant(mods)>, false, 0>>(meaning, mods)), ...);
  };
  if constexpr (std::is_integral_v<D> && sizeof(D) < 4)  // what compilers make of (unsigned char)x
    add(std::integer_sequence<u16, kRoundZero, kRoundZero | kFtz, kRoundZero | kSat>{});
  else if constexpr (!is_short_float<D>)
    add(std::make_integer_sequence<u16, kValueMods + 1>{});
#endif
  return meaning;
}
/// cvt.rni, .rzi, .rmi, .rpi: to an integer, or to an integral floating-point value.
template <typename D, typename S>
constexpr Meaning round_to() {
  using R = Rounding<D, S>;
  return with_rounded_values<D, S>(
      {.run = R::run, .operands = {{{Role::out, kind_of<typename R::Result>()}, {Role::in, kind_of<S>()}}}});
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
/// Integers to single or double precision. Every mode but to nearest is rare: one handler for all kinds.
template <typename D>
const MicroOp* round_integers(Warp& w, const MicroOp* op) {
  const Kind from = source_kind(op);
  const bool sat = op->mods & kSat;
  with_rounding(op->mods, [&] {
    for_each_active_lane<D>(w, op, [&](int i) {
      const u64 x = integer_of(w.regs + op->r[1], from, i);
      return saturate_if(from == Kind::u64 ? static_cast<D>(x) : static_cast<D>(static_cast<s64>(x)), sat);
    });
  });
  return following(w, op);
}
template <typename D, typename S>
constexpr Meaning from_integer() {
  Meaning meaning = lane<converted<D, S>>();
  meaning.modified = round_integers<D>;
  meaning.extra = kinds<D, S>;
  return meaning;
}

/// The sources of all lanes as doubles.
template <typename S>
[[gnu::noinline]] void read_doubles(Warp& w, const MicroOp* op, bool ftz, double* x) {
  const Source<S> a(w, op, 1);
  for (int i = 0; i < kLanes; ++i) x[i] = as_double(flush_if(a[i], ftz));
}
/// To a half .ftz has no effect: the hardware's conversion (SASS F2F.F16.F32) has no such modifier, and rounds a
/// subnormal as it is. To a bfloat16 it has.
template <typename D>
[[gnu::noinline]] void round_doubles(Warp& w, const MicroOp* op, const double* x) {
  const bool keeps_nan = source_kind(op) == Kind::f64 && !(op->mods & kSat);
  const auto round = [&](u16 mods) {
    for_each_lane_at_once<D>(w, op, [&](int i) {
      const D rounded = short_float_saturated<D>(x[i], mods);
      return keeps_nan && x[i] != x[i] ? narrow_nan<D>(x[i]) : rounded;
    });
  };
  if (op->mods & kRoundMask)
    round(op->mods);
  else
    round(op->mods & kSat);  // to nearest, which the compiler sees: it vectorises
}
template <typename D, typename S>
const MicroOp* round_to_short(Warp& w, const MicroOp* op) {
  if constexpr (std::is_same_v<D, Half> && std::is_same_v<S, float>) {
    if ((op->mods & (kRoundMask | kSat)) == 0) {  // what compilers make of a constant in half precision, too
      Floats singles;
      std::memcpy(singles.of, values<float>(w, op, 1), sizeof singles.of);
      alignas(64) u32 halves[kLanes];
      nearest_halves(singles, halves);
      for_each_lane_at_once<u32>(w, op, [&](int i) { return halves[i]; });
      return following(w, op);
    }
  }
  alignas(64) double x[kLanes];
  read_doubles<S>(w, op, std::is_same_v<D, Bfloat16> && (op->mods & kFtz), x);
  round_doubles<D>(w, op, x);
  return following(w, op);
}
template <typename D, typename S>
constexpr Meaning to_short() {
  return {.run = round_to_short<D, S>,
          .operands = {{{Role::out, kind_of<D>()}, {Role::in, kind_of<S>()}}},
          .extra = kinds<D, S>};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
