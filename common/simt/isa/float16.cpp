// Half precision (PTX ISA: Half Precision Floating Point Instructions): alone and two at once. Sums, products and
// fused products of halves are computed in double and rounded once.

#include "common/simt/half.h"
#include "common/simt/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

constexpr auto add = [](double a, double b) { return a + b; };
constexpr auto sub = [](double a, double b) { return a - b; };
constexpr auto mul = [](double a, double b) { return a * b; };
/// The exact sum may need 81 bits: rounded to odd, so that the rounding to half is the only one that shows.
constexpr auto fused = [](double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const u64 bits = bits_as<u64>(sum);
  const bool inexact = error < 0 || error > 0;
  const u64 towards_error = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return bits_as<double>(inexact && (bits & 1) == 0 ? towards_error : bits);
};
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
constexpr auto exp2 = [](double a) { return __builtin_exp2(a); };
constexpr auto tangent_hyperbolic = [](double a) { return __builtin_tanh(a); };

template <auto F, typename... H>
inline Half computed(u16 mods, H... h) {
  const auto flushed = [&](Half x) { return mods & kFtz ? flush(x) : x; };
  return flushed(half_of_saturated(F(static_cast<double>(float_of(flushed(h)))...), mods));
}
inline Half low(u32 x) { return Half(x & 0xffff); }
inline Half high(u32 x) { return Half(x >> 16); }

template <typename>
constexpr Kind kind_as(Kind kind) {
  return kind;
}
template <auto F, Cost cost, typename Signature = decltype(+F)>
struct HalfOp;
template <auto F, Cost cost, typename... D>
struct HalfOp<F, cost, double (*)(D...)> {
  static constexpr std::array<OperandType, 6> scalars{{{Role::out, Kind::f16}, {Role::in, kind_as<D>(Kind::f16)}...}};
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
    const Raw<Half>* a[] = {values<Half>(w, op, k + 1)...};
    dispatch<cost, Half>(w, op, [&](int i) { return computed<F>(mods, Half(a[k][i])...); });
  }
  template <int... k>
  static void pair_at(Warp& w, const MicroOp* op, std::integer_sequence<int, k...>) {
    const u16 mods = op->mods;
    const u32* a[] = {values<u32>(w, op, k + 1)...};
    dispatch<cost, u32>(w, op, [&](int i) {
      return computed<F>(mods, low(a[k][i])...).bits | static_cast<u32>(computed<F>(mods, high(a[k][i])...).bits) << 16;
    });
  }
};
template <auto F, Cost cost = Cost::vector>
constexpr Meaning half() {
  return {.run = &HalfOp<F, cost>::scalar, .operands = HalfOp<F, cost>::scalars};
}
template <auto F, Cost cost = Cost::vector>
constexpr Meaning half_pair() {
  return {.run = &HalfOp<F, cost>::pair, .operands = HalfOp<F, cost>::pairs};
}

// Signs are bits.
constexpr auto negated = [](Half a) { return Half(a.bits ^ 0x8000u); };
constexpr auto negated_ftz = [](Half a) { return Half(flush(a).bits ^ 0x8000u); };
constexpr auto absolute = [](Half a) { return Half(a.bits & 0x7fffu); };
constexpr auto absolute_ftz = [](Half a) { return Half(flush(a).bits & 0x7fffu); };
template <auto F>
constexpr auto both = [](u32 a) { return static_cast<u32>(F(low(a)).bits) | static_cast<u32>(F(high(a)).bits) << 16; };

const Row rows[] = {
    {"add{.rn}{.ftz}{.sat}.f16 d, a, b", Unit::fp32, half<add>()},
    {"add{.rn}{.ftz}{.sat}.f16x2 d, a, b", Unit::fp32, half_pair<add>()},
    {"sub{.rn}{.ftz}{.sat}.f16 d, a, b", Unit::fp32, half<sub>()},
    {"sub{.rn}{.ftz}{.sat}.f16x2 d, a, b", Unit::fp32, half_pair<sub>()},
    {"mul{.rn}{.ftz}{.sat}.f16 d, a, b", Unit::fp32, half<mul>()},
    {"mul{.rn}{.ftz}{.sat}.f16x2 d, a, b", Unit::fp32, half_pair<mul>()},
    {"fma.rn{.ftz}{.sat}.f16 d, a, b, c", Unit::fp32, half<fused>()},
    {"fma.rn{.ftz}{.sat}.f16x2 d, a, b, c", Unit::fp32, half_pair<fused>()},
    {"fma.rn{.ftz}.relu.f16 d, a, b, c", Unit::fp32, half<fused_relu>()},
    {"fma.rn{.ftz}.relu.f16x2 d, a, b, c", Unit::fp32, half_pair<fused_relu>()},
    {"min{.ftz}.f16 d, a, b", Unit::fp32, half<min>()},
    {"min{.ftz}.f16x2 d, a, b", Unit::fp32, half_pair<min>()},
    {"max{.ftz}.f16 d, a, b", Unit::fp32, half<max>()},
    {"max{.ftz}.f16x2 d, a, b", Unit::fp32, half_pair<max>()},
    {"min{.ftz}.NaN.f16 d, a, b", Unit::fp32, half<min_nan>()},
    {"min{.ftz}.NaN.f16x2 d, a, b", Unit::fp32, half_pair<min_nan>()},
    {"max{.ftz}.NaN.f16 d, a, b", Unit::fp32, half<max_nan>()},
    {"max{.ftz}.NaN.f16x2 d, a, b", Unit::fp32, half_pair<max_nan>()},
    {"ex2.approx.f16 d, a", Unit::sfu, half<exp2, Cost::costly>()},  // manual: relative 2^-9.9; here 0.51 ulp
    {"ex2.approx.f16x2 d, a", Unit::sfu, half_pair<exp2, Cost::costly>()},
    {"tanh.approx.f16 d, a", Unit::sfu, half<tangent_hyperbolic, Cost::costly>()},  // manual: absolute 2^-10.987
    {"tanh.approx.f16x2 d, a", Unit::sfu, half_pair<tangent_hyperbolic, Cost::costly>()},
    {"neg.f16 d, a", Unit::fp32, lane<negated>()},
    {"neg.ftz.f16 d, a", Unit::fp32, lane<negated_ftz>()},
    {"neg.f16x2 d, a", Unit::fp32, lane<both<negated>>()},
    {"neg.ftz.f16x2 d, a", Unit::fp32, lane<both<negated_ftz>>()},
    {"abs.f16 d, a", Unit::fp32, lane<absolute>()},
    {"abs.ftz.f16 d, a", Unit::fp32, lane<absolute_ftz>()},
    {"abs.f16x2 d, a", Unit::fp32, lane<both<absolute>>()},
    {"abs.ftz.f16x2 d, a", Unit::fp32, lane<both<absolute_ftz>>()},
};

}  // namespace

std::span<const Row> float16_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
