// Single precision (PTX ISA: Floating-Point Instructions, .f32). IEEE 754 operations are correctly rounded. The
// approximate ones either give an H100's bits, and may then exceed the manual's bound as it does (ex2 and cos, by 5 %
// at most), or are at least as exact as the manual promises, with its error in the row's comment.

#include "common/simt/isa/arithmetic/quotients.h"
#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

constexpr auto add = [](float a, float b) { return a + b; };
constexpr auto sub = [](float a, float b) { return a - b; };
constexpr auto mul = [](float a, float b) { return a * b; };
constexpr auto divide = [](float a, float b) { return a / b; };
constexpr auto reciprocal = [](float a) { return 1.0f / a; };
constexpr auto square_root = [](float a) { return __builtin_sqrtf(a); };
constexpr auto fused = [](float a, float b, float c) { return __builtin_fmaf(a, b, c); };

/// A true fma where the CPU has none, to nearest: the product is exact in double, the sum is rounded to odd, which
/// makes the second rounding harmless (Boldo, Melquiond: "Emulation of a FMA and correctly rounded sums").
constexpr auto fused_nearest = [](float a, float b, float c) {
  const double product = static_cast<double>(a) * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const u64 bits = bits_as<u64>(sum);
  const bool inexact = error < 0 || error > 0;  // not where an operand is infinite or NaN
  const u64 towards_error = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return static_cast<float>(bits_as<double>(inexact && (bits & 1) == 0 ? towards_error : bits));
};
template <>
constexpr bool scales_with_outer_operands<std::remove_cv_t<decltype(mul)>> = true;
template <>
constexpr bool scales_with_outer_operands<std::remove_cv_t<decltype(divide)>> = true;
template <>
constexpr bool scales_with_outer_operands<std::remove_cv_t<decltype(fused)>> = true;

#if defined(SIMT_COMPILED) && defined(__AVX512F__)
using SixteenFloats [[gnu::vector_size(64)]] = float;
/// As the instruction has it, without a trap (8).
template <u16 mode>
constexpr int direction = 8 | (mode == kRoundDown ? 1
                               : mode == kRoundUp ? 2
                                                  : 3);
template <>
struct Directed<std::remove_cv_t<decltype(add)>> {
  static constexpr bool known = true;
  template <u16 mode>
  static SixteenFloats of(SixteenFloats a, SixteenFloats b) {
    return __builtin_ia32_addps512(a, b, direction<mode>);
  }
};
template <>
struct Directed<std::remove_cv_t<decltype(sub)>> {
  static constexpr bool known = true;
  template <u16 mode>
  static SixteenFloats of(SixteenFloats a, SixteenFloats b) {
    return __builtin_ia32_subps512(a, b, direction<mode>);
  }
};
template <>
struct Directed<std::remove_cv_t<decltype(mul)>> {
  static constexpr bool known = true;
  template <u16 mode>
  static SixteenFloats of(SixteenFloats a, SixteenFloats b) {
    return __builtin_ia32_mulps512(a, b, direction<mode>);
  }
};
template <>
struct Directed<std::remove_cv_t<decltype(fused)>> {
  static constexpr bool known = true;
  template <u16 mode>
  static SixteenFloats of(SixteenFloats a, SixteenFloats b, SixteenFloats c) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, 0xffff, direction<mode>);
  }
};
#endif

/// F and G, as `fused` and `fused_nearest`, of a b + c with signs.
template <auto F, auto G>
constexpr Meaning fused_meaning() {
  Meaning meaning = lane_float<F>();
#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
  meaning.run = lane_float<G>().run;
#endif
  return meaning;
}
template <auto F>
constexpr auto less_addend = [](float a, float b, float c) { return F(a, b, -c); };
template <auto F>
constexpr auto less_product = [](float a, float b, float c) { return F(-a, b, c); };
template <auto F>
constexpr auto less_both = [](float a, float b, float c) { return F(-a, b, -c); };
#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
constexpr auto single_rounding = fused_nearest;
#else
constexpr auto single_rounding = fused;
#endif
template <>
constexpr bool scales_with_outer_operands<std::remove_cv_t<decltype(less_addend<fused>)>> = true;
template <>
constexpr bool scales_with_outer_operands<std::remove_cv_t<decltype(less_product<fused>)>> = true;
template <>
constexpr bool scales_with_outer_operands<std::remove_cv_t<decltype(less_both<fused>)>> = true;

constexpr auto tangent_hyperbolic = [](float a) { return __builtin_tanhf(a); };

// Signs are bits: NaNs keep their payload.
inline float with_sign(float x, u32 sign) {
  return bits_as<float>((bits_as<u32>(x) & 0x7fffffffu) | (sign & 0x80000000u));
}
constexpr auto absolute = [](float a) { return with_sign(a, 0); };
constexpr auto absolute_ftz = [](float a) { return with_sign(flush(a), 0); };
constexpr auto negated = [](float a) { return with_sign(a, ~bits_as<u32>(a)); };
constexpr auto negated_ftz = [](float a) { return with_sign(flush(a), ~bits_as<u32>(a)); };
constexpr auto sign_copied = [](float a, float b) { return with_sign(b, bits_as<u32>(a)); };

// A NaN gives the other operand, and -0 is below +0: where operands compare equal, or-ing signs takes -0, and-ing +0.
constexpr auto min = [](float a, float b) {
  const float less = a == b ? bits_as<float>(bits_as<u32>(a) | bits_as<u32>(b)) : a < b ? a : b;
  return a != a ? b : b != b ? a : less;
};
constexpr auto max = [](float a, float b) {
  const float more = a == b ? bits_as<float>(bits_as<u32>(a) & bits_as<u32>(b)) : a > b ? a : b;
  return a != a ? b : b != b ? a : more;
};
constexpr auto min_nan = [](float a, float b) { return a != a ? a : b != b ? b : min(a, b); };
constexpr auto max_nan = [](float a, float b) { return a != a ? a : b != b ? b : max(a, b); };
/// .xorsign.abs: the magnitude's minimum with the sign of the product.
template <auto F>
constexpr auto by_magnitude =
    [](float a, float b) { return with_sign(F(with_sign(a, 0), with_sign(b, 0)), bits_as<u32>(a) ^ bits_as<u32>(b)); };

constexpr auto is_finite = [](float a) { return (bits_as<u32>(a) & 0x7f800000u) != 0x7f800000u; };
constexpr auto is_infinite = [](float a) { return (bits_as<u32>(a) & 0x7fffffffu) == 0x7f800000u; };
constexpr auto is_number = [](float a) { return a == a; };
constexpr auto is_nan = [](float a) { return a != a; };
/// Zeros count as normal.
constexpr auto is_normal = [](float a) {
  const u32 exponent = bits_as<u32>(a) & 0x7f800000u;
  return (exponent != 0 && exponent != 0x7f800000u) || a == 0;
};
constexpr auto is_subnormal = [](float a) {
  return (bits_as<u32>(a) & 0x7f800000u) == 0 && (bits_as<u32>(a) & 0x7fffffu) != 0;
};

constexpr Row rows[] = {
    {"add{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32 d, a, b", Unit::fp32, lane_float<add>()},
    {"sub{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32 d, a, b", Unit::fp32, lane_float<sub>()},
    {"mul{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32 d, a, b", Unit::fp32, lane_float<mul>()},
    {"fma(.rn,.rz,.rm,.rp){.ftz}{.sat}.f32 d, a, b, c", Unit::fp32, fused_meaning<fused, fused_nearest>()},
    {"mad(.rn,.rz,.rm,.rp){.ftz}{.sat}.f32 d, a, b, c", Unit::fp32, fused_meaning<fused, fused_nearest>()},
    // Sums that decode takes together with a product (contraction.h).
    {"%fma{.ftz}.f32 d, a, b, c", Unit::fp32, fused_meaning<fused, fused_nearest>()},
    {"%fms{.ftz}.f32 d, a, b, c", Unit::fp32, fused_meaning<less_addend<fused>, less_addend<fused_nearest>>()},
    {"%fnma{.ftz}.f32 d, a, b, c", Unit::fp32, fused_meaning<less_product<fused>, less_product<fused_nearest>>()},
    {"%fnms{.ftz}.f32 d, a, b, c", Unit::fp32, fused_meaning<less_both<fused>, less_both<fused_nearest>>()},
    // Quotients end with a product, which may be such a one.
    {"%fma.approx{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<false, single_rounding>()},
    {"%fms.approx{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<false, less_addend<single_rounding>>()},
    {"%fnma.approx{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<false, less_product<single_rounding>>()},
    {"%fnms.approx{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<false, less_both<single_rounding>>()},
    {"%fma.full{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<true, single_rounding>()},
    {"%fms.full{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<true, less_addend<single_rounding>>()},
    {"%fnma.full{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<true, less_product<single_rounding>>()},
    {"%fnms.full{.ftz}.f32 d, a, b, c", Unit::fp32, of_quotient_sum<true, less_both<single_rounding>>()},
    {"div(.rn,.rz,.rm,.rp){.ftz}.f32 d, a, b", Unit::fp32, lane_float<divide>()},
    {"div.full{.ftz}.f32 d, a, b", Unit::fp32, of_quotient<true>()},  // manual: 2 ulp; here as an H100
    {"div.approx{.ftz}.f32 d, a, b", Unit::fp32, of_quotient<false>()},
    {"rcp(.rn,.rz,.rm,.rp){.ftz}.f32 d, a", Unit::fp32, lane_float<reciprocal>()},
    {"rcp.approx{.ftz}.f32 d, a", Unit::sfu,
     of_unit<reciprocal_approx<false>, reciprocal_approx<true>>()},  // manual: 1 ulp; here as an H100
    {"sqrt(.rn,.rz,.rm,.rp){.ftz}.f32 d, a", Unit::fp32, lane_float<square_root>()},
    {"sqrt.approx{.ftz}.f32 d, a", Unit::sfu, of_unit<unit_root>()},  // manual: relative 2^-23; here as an H100
    {"rsqrt.approx{.ftz}.f32 d, a", Unit::sfu,
     of_unit<unit_inverse_root>()},  // manual: relative 2^-22.9; here as an H100

    // As an H100 (special_functions.h), but for tanh, the host's libm: below 1 ulp. The manual allows sin and cos an
    // absolute error of 2^-20.5 in [-2 pi, 2 pi], ex2 2 ulp, lg2 a relative one of 2^-22 (absolute near 1), tanh a
    // relative one of 2^-11.
    {"sin.approx{.ftz}.f32 d, a", Unit::sfu, of_unit<sine_at<0>>()},
    {"cos.approx{.ftz}.f32 d, a", Unit::sfu, of_unit<sine_at<1>>()},
    {"lg2.approx{.ftz}.f32 d, a", Unit::sfu, of_unit<unit_logarithm>()},
    {"ex2.approx{.ftz}.f32 d, a", Unit::sfu, of_unit<unit_power>()},
    {"tanh.approx.f32 d, a", Unit::sfu, lane_float_costly<tangent_hyperbolic>()},

    {"abs.f32 d, a", Unit::fp32, lane<absolute>()},
    {"abs.ftz.f32 d, a", Unit::fp32, lane<absolute_ftz>()},
    {"neg.f32 d, a", Unit::fp32, lane<negated>()},
    {"neg.ftz.f32 d, a", Unit::fp32, lane<negated_ftz>()},
    {"copysign.f32 d, a, b", Unit::fp32, lane<sign_copied>()},
    {"min{.ftz}.f32 d, a, b", Unit::fp32, lane_float<min>()},
    {"max{.ftz}.f32 d, a, b", Unit::fp32, lane_float<max>()},
    {"min{.ftz}.NaN.f32 d, a, b", Unit::fp32, lane_float<min_nan>()},
    {"max{.ftz}.NaN.f32 d, a, b", Unit::fp32, lane_float<max_nan>()},
    {"min{.ftz}.xorsign.abs.f32 d, a, b", Unit::fp32, lane_float<by_magnitude<min>>()},
    {"max{.ftz}.xorsign.abs.f32 d, a, b", Unit::fp32, lane_float<by_magnitude<max>>()},
    {"min{.ftz}.NaN.xorsign.abs.f32 d, a, b", Unit::fp32, lane_float<by_magnitude<min_nan>>()},
    {"max{.ftz}.NaN.xorsign.abs.f32 d, a, b", Unit::fp32, lane_float<by_magnitude<max_nan>>()},

    {"testp.finite.f32 p, a", Unit::fp32, lane<is_finite>()},
    {"testp.infinite.f32 p, a", Unit::fp32, lane<is_infinite>()},
    {"testp.number.f32 p, a", Unit::fp32, lane<is_number>()},
    {"testp.notanumber.f32 p, a", Unit::fp32, lane<is_nan>()},
    {"testp.normal.f32 p, a", Unit::fp32, lane<is_normal>()},
    {"testp.subnormal.f32 p, a", Unit::fp32, lane<is_subnormal>()},
};

}  // namespace

std::span<const Row> float32_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
