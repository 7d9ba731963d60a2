#pragma once
// What half.h's two types have in common as operands: operations computed in double and rounded once, on one value and
// on pairs in a 32-bit register. Only for isa/*/*.cpp.

#include "common/simt/isa/arithmetic/half.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// In double, sums and products of halves are exact (41 bits at most), and so are products of bfloat16 (16 bits). A sum
// of bfloat16 may be rounded twice, which is harmless: 53 bits are more than 2 * 8 + 2 (Figueroa, "When is double
// rounding innocuous?"), and sums below the smallest normal number are exact.
namespace by_double {
constexpr auto add = [](double a, double b) { return a + b; };
constexpr auto sub = [](double a, double b) { return a - b; };
constexpr auto mul = [](double a, double b) { return a * b; };
/// The product is exact, the sum is rounded to odd, so that the rounding to 16 bits is the only one that shows (Boldo,
/// Melquiond: "Emulation of a FMA and correctly rounded sums"). Products are no smaller than 2^-266: the error is
/// exact.
constexpr auto fused = [](double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const u64 bits = bits_as<u64>(sum);
  const bool inexact = error < 0 || error > 0;  // not where an operand is infinite or NaN
  const u64 towards_error = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return bits_as<double>(inexact && (bits & 1) == 0 ? towards_error : bits);
};
// With signs, for sums that decode takes together with a product (contraction.h).
constexpr auto less_addend = [](double a, double b, double c) { return fused(a, b, -c); };
constexpr auto less_product = [](double a, double b, double c) { return fused(-a, b, c); };
constexpr auto less_both = [](double a, double b, double c) { return fused(-a, b, -c); };
/// .relu: zero instead of a negative number; NaN stays.
constexpr auto fused_relu = [](double a, double b, double c) {
  const double d = fused(a, b, c);
  return d > 0 ? d : d != d ? d : 0.0;
};
// The same rules as in single precision: a NaN gives the other operand, -0 is below +0.
constexpr auto min = [](double a, double b) {
  const double less = a == b ? bits_as<double>(bits_as<u64>(a) | bits_as<u64>(b)) : a < b ? a : b;
  return a != a ? b : b != b ? a : less;
};
constexpr auto max = [](double a, double b) {
  const double more = a == b ? bits_as<double>(bits_as<u64>(a) & bits_as<u64>(b)) : a > b ? a : b;
  return a != a ? b : b != b ? a : more;
};
constexpr auto min_nan = [](double a, double b) { return a != a ? a : b != b ? b : min(a, b); };
constexpr auto max_nan = [](double a, double b) { return a != a ? a : b != b ? b : max(a, b); };
/// .xorsign.abs: the magnitude's minimum with the sign of the product; NaN: the canonical one, whose sign is no
/// operand's.
template <auto F>
constexpr auto by_magnitude = [](double a, double b) {
  const u64 sign = (bits_as<u64>(a) ^ bits_as<u64>(b)) & 0x8000000000000000u;
  return bits_as<double>(bits_as<u64>(F(__builtin_fabs(a), __builtin_fabs(b))) | sign);
};
constexpr auto exp2 = [](double a) { return __builtin_exp2(a); };
constexpr auto tangent_hyperbolic = [](double a) { return __builtin_tanh(a); };
}  // namespace by_double

constexpr double power_of_two(int exponent) { return exponent < 0 ? power_of_two(exponent + 1) / 2 : 1; }
/// .ftz: zero, with its sign, for a result below T's normal numbers once it is rounded to T's digits, whatever exponent
/// that takes (tininess after rounding, IEEE 754-2019, 7.5; as an H200 does it).
template <typename T>
inline double without_tiny(double x) {
  // Numbers nearer to the smallest normal one than half a step of those below it round to it; so does the tie, to even.
  constexpr int lowest = format_of<T>.lowest, half_a_step = lowest - format_of<T>.mantissa - 2;
  constexpr double least = power_of_two(lowest) - power_of_two(half_a_step);
  return __builtin_fabs(x) < least ? __builtin_copysign(0.0, x) : x;
}
template <auto F, typename T, typename... More>
inline T computed(u16 mods, T a, More... more) {
  const auto flushed = [&](T x) { return mods & kFtz ? flush(x) : x; };
  const double exact = F(static_cast<double>(float_of(flushed(a))), static_cast<double>(float_of(flushed(more)))...);
  return short_float_saturated<T>(mods & kFtz ? without_tiny<T>(exact) : exact,
                                  mods & kSat);  // there is only to nearest
}
template <typename T>
inline T low(u32 x) {
  return T(x & 0xffff);
}
template <typename T>
inline T high(u32 x) {
  return T(x >> 16);
}
template <typename T>
inline u32 pair_of(T low, T high) {
  return low.bits | static_cast<u32>(high.bits) << 16;
}

template <typename>
constexpr Kind kind_as(Kind kind) {
  return kind;
}
/// The instruction on one T, and on pairs of them.
template <typename T, auto F, Cost cost, typename Signature = decltype(+F)>
struct ShortFloatOp;
template <typename T, auto F, Cost cost, typename... D>
struct ShortFloatOp<T, F, cost, double (*)(D...)> {
  static constexpr std::array<OperandType, 6> scalars{
      {{Role::out, kind_of<T>()}, {Role::in, kind_as<D>(kind_of<T>())}...}};
  static constexpr std::array<OperandType, 6> pairs{{{Role::out, Kind::u32}, {Role::in, kind_as<D>(Kind::u32)}...}};

  static const MicroOp* scalar(Warp& w, const MicroOp* op) {
    scalar_at(w, op, std::make_integer_sequence<int, sizeof...(D)>{});
    return following(w, op);
  }
  static const MicroOp* pair(Warp& w, const MicroOp* op) {
    pair_at(w, op, std::make_integer_sequence<int, sizeof...(D)>{});
    return following(w, op);
  }

 private:
  template <int... k>
  static void scalar_at(Warp& w, const MicroOp* op, std::integer_sequence<int, k...>) {
    const u16 mods = op->mods;
    const Raw<T>* a[] = {values<T>(w, op, k + 1)...};
    dispatch<cost, T>(w, op, [&](int i) { return computed<F>(mods, T(a[k][i])...); });
  }
  template <int... k>
  static void pair_at(Warp& w, const MicroOp* op, std::integer_sequence<int, k...>) {
    const u16 mods = op->mods;
    const u32* a[] = {values<u32>(w, op, k + 1)...};
    dispatch<cost, u32>(w, op, [&](int i) {
      return pair_of(computed<F>(mods, low<T>(a[k][i])...), computed<F>(mods, high<T>(a[k][i])...));
    });
  }
};
template <typename T, auto F, Cost cost = Cost::rare>
constexpr Meaning alone() {
  using Op = ShortFloatOp<T, F, cost>;
  return {.run = &Op::scalar, .operands = Op::scalars};
}
template <typename T, auto F, Cost cost = Cost::rare>
constexpr Meaning in_pairs() {
  using Op = ShortFloatOp<T, F, cost>;
  return {.run = &Op::pair, .operands = Op::pairs};
}

// The hardware adds zero to change a sign (SASS HADD2, HFMA2.BF16): of any NaN it makes the canonical one.
template <typename T>
inline bool is_nan(T x) {
  return (x.bits & 0x7fffu) > infinity_of<format_of<T>>;
}
template <typename T>
constexpr auto negated = [](T a) { return is_nan(a) ? T(0x7fffu) : T(a.bits ^ 0x8000u); };
template <typename T>
constexpr auto negated_ftz = [](T a) { return negated<T>(flush(a)); };
template <typename T>
constexpr auto absolute = [](T a) { return is_nan(a) ? T(0x7fffu) : T(a.bits & 0x7fffu); };
template <typename T>
constexpr auto absolute_ftz = [](T a) { return absolute<T>(flush(a)); };
template <typename T, auto F>
constexpr auto both = [](u32 a) { return pair_of(F(low<T>(a)), F(high<T>(a))); };

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
