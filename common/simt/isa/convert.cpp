// Conversions (PTX ISA: cvt) between all integer and floating-point types.

#include "common/simt/half.h"
#include "common/simt/lanes.h"

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
  static constexpr bool to_float = std::is_floating_point_v<D> || std::is_same_v<D, Half>;
  using Result =
      typename std::conditional_t<to_float, std::enable_if<true, D>, std::enable_if<true, Register<D>>>::type;
  static constexpr std::array<OperandType, 6> operands{{{Role::out, kind_of<Result>()}, {Role::in, kind_of<S>()}}};

  template <u16 direction, bool flushed>
  static void convert(Warp& w, const MicroOp* op) {
    const Source<S> a(w, op, 1);
    const bool sat = op->mods & kSat;
    for_each_lane<Result>(w, op, [&](int i) -> Result {
      const auto x = to_integral<direction>(flush_if(number(a[i]), flushed));
      if constexpr (std::is_same_v<D, Half>)
        return half_of_saturated(x, sat ? kSat : 0);
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
template <typename D>
constexpr auto from_half = [](Half a) { return static_cast<D>(float_of(a)); };

/// The value as a double. Beyond 2^20 any is infinite as a half, so that 64-bit integers need not be rounded twice.
template <typename S>
inline double as_double(S a) {
  if constexpr (std::is_same_v<S, Half>) return float_of(a);
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
    constexpr S bound = S{1} << 20;
    if (a > bound) return static_cast<double>(static_cast<s32>(bound));
    if constexpr (std::is_signed_v<S>)
      if (a < -bound) return static_cast<double>(static_cast<s32>(-bound));
    return static_cast<double>(static_cast<s32>(a));
  } else if constexpr (!std::is_same_v<S, Half>) {
    return static_cast<double>(a);
  }
}
/// A double-precision NaN narrowed: its sign and the top of its payload, quiet. Only conversions from double keep them.
inline Half narrow_nan(double x) {
  const u64 bits = bits_as<u64>(x);
  return Half(static_cast<u32>(bits >> 48 & 0x8000) | 0x7e00u | static_cast<u32>(bits >> 42 & 0x3ff));
}
/// .ftz has no effect: the hardware's conversion to half (SASS F2F.F16.F32) has no such modifier, and rounds a
/// subnormal as it is.
template <typename S>
const MicroOp* round_to_half(Warp& w, const MicroOp* op) {
  const Source<S> a(w, op, 1);
  const u16 mods = op->mods;
  for_each_lane<Half>(w, op, [&](int i) {
    const Half half = half_of_saturated(as_double(a[i]), mods);
    if constexpr (std::is_same_v<S, double>)
      return a[i] != a[i] && !(mods & kSat) ? narrow_nan(a[i]) : half;
    else
      return half;
  });
  return following(w, op);
}
template <typename S>
constexpr Meaning to_half() {
  return {.run = round_to_half<S>, .operands = {{{Role::out, Kind::f16}, {Role::in, kind_of<S>()}}}};
}

/// Double to single precision as x86 does it, too: a NaN keeps its sign and the top of its payload.
const MicroOp* narrow(Warp& w, const MicroOp* op) {
  const Source<double> a(w, op, 1);
  for_each_lane<float>(w, op, [&](int i) { return static_cast<float>(a[i]); });
  return following(w, op);
}
const MicroOp* narrow_modified(Warp& w, const MicroOp* op) {
  const Source<double> a(w, op, 1);
  const bool ftz = op->mods & kFtz, sat = op->mods & kSat;
  with_rounding(op->mods, [&] {
    for_each_lane<float>(w, op, [&](int i) { return saturate_if(flush_if(static_cast<float>(a[i]), ftz), sat); });
  });
  return following(w, op);
}
constexpr Meaning to_single() {
  return {.run = narrow, .modified = narrow_modified, .operands = {{{Role::out, Kind::f32}, {Role::in, Kind::f64}}}};
}

const Row rows[] = {
    {"cvt.u8.u8 d, a", Unit::conversion, resize<u8, u8>()},
    {"cvt{.sat}.u8.s8 d, a", Unit::conversion, resize<u8, s8>()},
    {"cvt{.sat}.u8.u16 d, a", Unit::conversion, resize<u8, u16>()},
    {"cvt{.sat}.u8.s16 d, a", Unit::conversion, resize<u8, s16>()},
    {"cvt{.sat}.u8.u32 d, a", Unit::conversion, resize<u8, u32>()},
    {"cvt{.sat}.u8.s32 d, a", Unit::conversion, resize<u8, s32>()},
    {"cvt{.sat}.u8.u64 d, a", Unit::conversion, resize<u8, u64>()},
    {"cvt{.sat}.u8.s64 d, a", Unit::conversion, resize<u8, s64>()},
    {"cvt{.sat}.s8.u8 d, a", Unit::conversion, resize<s8, u8>()},
    {"cvt.s8.s8 d, a", Unit::conversion, resize<s8, s8>()},
    {"cvt{.sat}.s8.u16 d, a", Unit::conversion, resize<s8, u16>()},
    {"cvt{.sat}.s8.s16 d, a", Unit::conversion, resize<s8, s16>()},
    {"cvt{.sat}.s8.u32 d, a", Unit::conversion, resize<s8, u32>()},
    {"cvt{.sat}.s8.s32 d, a", Unit::conversion, resize<s8, s32>()},
    {"cvt{.sat}.s8.u64 d, a", Unit::conversion, resize<s8, u64>()},
    {"cvt{.sat}.s8.s64 d, a", Unit::conversion, resize<s8, s64>()},
    {"cvt.u16.u8 d, a", Unit::conversion, resize<u16, u8>()},
    {"cvt{.sat}.u16.s8 d, a", Unit::conversion, resize<u16, s8>()},
    {"cvt.u16.u16 d, a", Unit::conversion, resize<u16, u16>()},
    {"cvt{.sat}.u16.s16 d, a", Unit::conversion, resize<u16, s16>()},
    {"cvt{.sat}.u16.u32 d, a", Unit::conversion, resize<u16, u32>()},
    {"cvt{.sat}.u16.s32 d, a", Unit::conversion, resize<u16, s32>()},
    {"cvt{.sat}.u16.u64 d, a", Unit::conversion, resize<u16, u64>()},
    {"cvt{.sat}.u16.s64 d, a", Unit::conversion, resize<u16, s64>()},
    {"cvt.s16.u8 d, a", Unit::conversion, resize<s16, u8>()},
    {"cvt.s16.s8 d, a", Unit::conversion, resize<s16, s8>()},
    {"cvt{.sat}.s16.u16 d, a", Unit::conversion, resize<s16, u16>()},
    {"cvt.s16.s16 d, a", Unit::conversion, resize<s16, s16>()},
    {"cvt{.sat}.s16.u32 d, a", Unit::conversion, resize<s16, u32>()},
    {"cvt{.sat}.s16.s32 d, a", Unit::conversion, resize<s16, s32>()},
    {"cvt{.sat}.s16.u64 d, a", Unit::conversion, resize<s16, u64>()},
    {"cvt{.sat}.s16.s64 d, a", Unit::conversion, resize<s16, s64>()},
    {"cvt.u32.u8 d, a", Unit::conversion, resize<u32, u8>()},
    {"cvt{.sat}.u32.s8 d, a", Unit::conversion, resize<u32, s8>()},
    {"cvt.u32.u16 d, a", Unit::conversion, resize<u32, u16>()},
    {"cvt{.sat}.u32.s16 d, a", Unit::conversion, resize<u32, s16>()},
    {"cvt.u32.u32 d, a", Unit::conversion, resize<u32, u32>()},
    {"cvt{.sat}.u32.s32 d, a", Unit::conversion, resize<u32, s32>()},
    {"cvt{.sat}.u32.u64 d, a", Unit::conversion, resize<u32, u64>()},
    {"cvt{.sat}.u32.s64 d, a", Unit::conversion, resize<u32, s64>()},
    {"cvt.s32.u8 d, a", Unit::conversion, resize<s32, u8>()},
    {"cvt.s32.s8 d, a", Unit::conversion, resize<s32, s8>()},
    {"cvt.s32.u16 d, a", Unit::conversion, resize<s32, u16>()},
    {"cvt.s32.s16 d, a", Unit::conversion, resize<s32, s16>()},
    {"cvt{.sat}.s32.u32 d, a", Unit::conversion, resize<s32, u32>()},
    {"cvt.s32.s32 d, a", Unit::conversion, resize<s32, s32>()},
    {"cvt{.sat}.s32.u64 d, a", Unit::conversion, resize<s32, u64>()},
    {"cvt{.sat}.s32.s64 d, a", Unit::conversion, resize<s32, s64>()},
    {"cvt.u64.u8 d, a", Unit::conversion, resize<u64, u8>()},
    {"cvt{.sat}.u64.s8 d, a", Unit::conversion, resize<u64, s8>()},
    {"cvt.u64.u16 d, a", Unit::conversion, resize<u64, u16>()},
    {"cvt{.sat}.u64.s16 d, a", Unit::conversion, resize<u64, s16>()},
    {"cvt.u64.u32 d, a", Unit::conversion, resize<u64, u32>()},
    {"cvt{.sat}.u64.s32 d, a", Unit::conversion, resize<u64, s32>()},
    {"cvt.u64.u64 d, a", Unit::conversion, resize<u64, u64>()},
    {"cvt{.sat}.u64.s64 d, a", Unit::conversion, resize<u64, s64>()},
    {"cvt.s64.u8 d, a", Unit::conversion, resize<s64, u8>()},
    {"cvt.s64.s8 d, a", Unit::conversion, resize<s64, s8>()},
    {"cvt.s64.u16 d, a", Unit::conversion, resize<s64, u16>()},
    {"cvt.s64.s16 d, a", Unit::conversion, resize<s64, s16>()},
    {"cvt.s64.u32 d, a", Unit::conversion, resize<s64, u32>()},
    {"cvt.s64.s32 d, a", Unit::conversion, resize<s64, s32>()},
    {"cvt{.sat}.s64.u64 d, a", Unit::conversion, resize<s64, u64>()},
    {"cvt.s64.s64 d, a", Unit::conversion, resize<s64, s64>()},

    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u8.f32 d, a", Unit::conversion, round_to<u8, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s8.f32 d, a", Unit::conversion, round_to<s8, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u16.f32 d, a", Unit::conversion, round_to<u16, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s16.f32 d, a", Unit::conversion, round_to<s16, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u32.f32 d, a", Unit::conversion, round_to<u32, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s32.f32 d, a", Unit::conversion, round_to<s32, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u64.f32 d, a", Unit::conversion, round_to<u64, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s64.f32 d, a", Unit::conversion, round_to<s64, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u8.f64 d, a", Unit::conversion, round_to<u8, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s8.f64 d, a", Unit::conversion, round_to<s8, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u16.f64 d, a", Unit::conversion, round_to<u16, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s16.f64 d, a", Unit::conversion, round_to<s16, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u32.f64 d, a", Unit::conversion, round_to<u32, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s32.f64 d, a", Unit::conversion, round_to<s32, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u64.f64 d, a", Unit::conversion, round_to<u64, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s64.f64 d, a", Unit::conversion, round_to<s64, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u8.f16 d, a", Unit::conversion, round_to<u8, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s8.f16 d, a", Unit::conversion, round_to<s8, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u16.f16 d, a", Unit::conversion, round_to<u16, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s16.f16 d, a", Unit::conversion, round_to<s16, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u32.f16 d, a", Unit::conversion, round_to<u32, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s32.f16 d, a", Unit::conversion, round_to<s32, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u64.f16 d, a", Unit::conversion, round_to<u64, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s64.f16 d, a", Unit::conversion, round_to<s64, Half>()},

    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u8 d, a", Unit::conversion, lane_float<converted<float, u8>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s8 d, a", Unit::conversion, lane_float<converted<float, s8>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u16 d, a", Unit::conversion, lane_float<converted<float, u16>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s16 d, a", Unit::conversion, lane_float<converted<float, s16>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u32 d, a", Unit::conversion, lane_float<converted<float, u32>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s32 d, a", Unit::conversion, lane_float<converted<float, s32>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u64 d, a", Unit::conversion, lane_float<converted<float, u64>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s64 d, a", Unit::conversion, lane_float<converted<float, s64>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u8 d, a", Unit::conversion, lane_float<converted<double, u8>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s8 d, a", Unit::conversion, lane_float<converted<double, s8>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u16 d, a", Unit::conversion, lane_float<converted<double, u16>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s16 d, a", Unit::conversion, lane_float<converted<double, s16>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u32 d, a", Unit::conversion, lane_float<converted<double, u32>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s32 d, a", Unit::conversion, lane_float<converted<double, s32>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u64 d, a", Unit::conversion, lane_float<converted<double, u64>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s64 d, a", Unit::conversion, lane_float<converted<double, s64>>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u8 d, a", Unit::conversion, to_half<u8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s8 d, a", Unit::conversion, to_half<s8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u16 d, a", Unit::conversion, to_half<u16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s16 d, a", Unit::conversion, to_half<s16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u32 d, a", Unit::conversion, to_half<u32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s32 d, a", Unit::conversion, to_half<s32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u64 d, a", Unit::conversion, to_half<u64>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s64 d, a", Unit::conversion, to_half<s64>()},

    {"cvt{.ftz}{.sat}.f32.f32 d, a", Unit::conversion, lane_float<converted<float, float>>()},
    {"cvt{.sat}.f64.f64 d, a", Unit::conversion, lane_float<converted<double, double>>()},
    {"cvt(.rn,.rz,.rm,.rp){.ftz}{.sat}.f32.f64 d, a", Unit::conversion, to_single()},
    {"cvt{.ftz}{.sat}.f64.f32 d, a", Unit::conversion, lane_float<converted<double, float>>()},
    {"cvt{.ftz}{.sat}.f32.f16 d, a", Unit::conversion, lane_float<from_half<float>>()},
    {"cvt{.sat}.f64.f16 d, a", Unit::conversion, lane_float<from_half<double>>()},
    {"cvt{.sat}.f16.f16 d, a", Unit::conversion, to_half<Half>()},
    {"cvt(.rn,.rz,.rm,.rp){.ftz}{.sat}.f16.f32 d, a", Unit::conversion, to_half<float>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.f64 d, a", Unit::conversion, to_half<double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.f32.f32 d, a", Unit::conversion, round_to<float, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.f64.f64 d, a", Unit::conversion, round_to<double, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.f16.f16 d, a", Unit::conversion, round_to<Half, Half>()},
};

}  // namespace

std::span<const Row> convert_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
