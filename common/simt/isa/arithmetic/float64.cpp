// Double precision (PTX ISA: Floating-Point Instructions, .f64). Subnormals are always honoured.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

constexpr auto add = [](double a, double b) { return a + b; };
constexpr auto sub = [](double a, double b) { return a - b; };
constexpr auto mul = [](double a, double b) { return a * b; };
constexpr auto divide = [](double a, double b) { return a / b; };
constexpr auto reciprocal = [](double a) { return 1.0 / a; };
constexpr auto square_root = [](double a) { return __builtin_sqrt(a); };
constexpr auto inverse_root = [](double a) { return 1.0 / __builtin_sqrt(a); };
#if defined(__FMA__) || !defined(__x86_64__)
constexpr auto fused = [](double a, double b, double c) { return __builtin_fma(a, b, c); };
#else  // a function of the C library's
constexpr auto fused = [](double a, double b, double c) {
  return with_first_nan([](double x, double y, double z) { return __builtin_fma(x, y, z); }, a, b, c);
};
#endif

// With signs, for sums that decode takes together with a product (contraction.h). A NaN keeps its sign.
constexpr auto less_addend = [](double a, double b, double c) {
  return with_first_nan([](double x, double y, double z) { return __builtin_fma(x, y, -z); }, a, b, c);
};
constexpr auto less_product = [](double a, double b, double c) {
  return with_first_nan([](double x, double y, double z) { return __builtin_fma(-x, y, z); }, a, b, c);
};
constexpr auto less_both = [](double a, double b, double c) {
  return with_first_nan([](double x, double y, double z) { return __builtin_fma(-x, y, -z); }, a, b, c);
};

// x86 gives the first operand that is a NaN, of a multiplication that is added to multiplicand, multiplier, summand
// (Intel's manual, volume 1, table "FMA Numeric Behavior"; seen on a Zen 4, too). Differences and quotients g++ leaves
// as they are.
#if defined(__AVX__)
template <>
struct InOrder<std::remove_cv_t<decltype(add)>> {
  static constexpr bool known = true;
  static Doubles of(Doubles a, Doubles b) {
    Doubles sum;
    asm("vaddpd %2, %1, %0" : "=v"(sum) : "v"(a), "vm"(b));
    return sum;
  }
};
template <>
struct InOrder<std::remove_cv_t<decltype(mul)>> {
  static constexpr bool known = true;
  static Doubles of(Doubles a, Doubles b) {
    Doubles product;
    asm("vmulpd %2, %1, %0" : "=v"(product) : "v"(a), "vm"(b));
    return product;
  }
};
#elif defined(__x86_64__)
template <>
struct InOrder<std::remove_cv_t<decltype(add)>> {
  static constexpr bool known = true;
  static Doubles of(Doubles a, Doubles b) {
    asm("addpd %1, %0" : "+x"(a) : "x"(b));
    return a;
  }
};
template <>
struct InOrder<std::remove_cv_t<decltype(mul)>> {
  static constexpr bool known = true;
  static Doubles of(Doubles a, Doubles b) {
    asm("mulpd %1, %0" : "+x"(a) : "x"(b));
    return a;
  }
};
#endif
#if defined(__FMA__)
template <>
struct InOrder<std::remove_cv_t<decltype(fused)>> {
  static constexpr bool known = true;
  static Doubles of(Doubles a, Doubles b, Doubles c) {
    asm("vfmadd132pd %2, %1, %0" : "+v"(a) : "v"(c), "vm"(b));
    return a;
  }
};
#endif

/// The gross approximations see and give only the upper 32 bits: 20 of the mantissa. Subnormals are flushed.
inline double upper_half(double x) {
  const u64 bits = bits_as<u64>(x) & 0xffffffff00000000u;
  return bits_as<double>((bits & 0x7ff0000000000000u) == 0 ? bits & 0x8000000000000000u : bits);
}
inline double quiet_upper(double x) { return x == x ? upper_half(x) : bits_as<double>(u64{0x7fffffff00000000u}); }
constexpr auto gross_reciprocal = [](double a) { return quiet_upper(1.0 / upper_half(a)); };
constexpr auto gross_inverse_root = [](double a) { return quiet_upper(1.0 / __builtin_sqrt(upper_half(a))); };

inline double with_sign(double x, u64 sign) {
  return bits_as<double>((bits_as<u64>(x) & 0x7fffffffffffffffu) | (sign & 0x8000000000000000u));
}
constexpr auto absolute = [](double a) { return with_sign(a, 0); };
constexpr auto negated = [](double a) { return with_sign(a, ~bits_as<u64>(a)); };
constexpr auto sign_copied = [](double a, double b) { return with_sign(b, bits_as<u64>(a)); };

// As in single precision: a NaN gives the other operand, -0 is below +0.
constexpr auto min = [](double a, double b) {
  const double less = a == b ? bits_as<double>(bits_as<u64>(a) | bits_as<u64>(b)) : a < b ? a : b;
  return a != a ? b : b != b ? a : less;
};
constexpr auto max = [](double a, double b) {
  const double more = a == b ? bits_as<double>(bits_as<u64>(a) & bits_as<u64>(b)) : a > b ? a : b;
  return a != a ? b : b != b ? a : more;
};

constexpr u64 exponent_bits = 0x7ff0000000000000u;
constexpr auto is_finite = [](double a) { return (bits_as<u64>(a) & exponent_bits) != exponent_bits; };
constexpr auto is_infinite = [](double a) { return bits_as<u64>(a) << 1 == exponent_bits << 1; };
constexpr auto is_number = [](double a) { return a == a; };
constexpr auto is_nan = [](double a) { return a != a; };
/// Zeros count as normal.
constexpr auto is_normal = [](double a) {
  const u64 exponent = bits_as<u64>(a) & exponent_bits;
  return (exponent != 0 && exponent != exponent_bits) || a == 0;
};
constexpr auto is_subnormal = [](double a) {
  return (bits_as<u64>(a) & exponent_bits) == 0 && bits_as<u64>(a) << 1 != 0;
};

constexpr Row rows[] = {
    {"add{.rn,.rz,.rm,.rp}.f64 d, a, b", Unit::fp64, lane_float<add>()},
    {"sub{.rn,.rz,.rm,.rp}.f64 d, a, b", Unit::fp64, lane_float<sub>()},
    {"mul{.rn,.rz,.rm,.rp}.f64 d, a, b", Unit::fp64, lane_float<mul>()},
    {"fma(.rn,.rz,.rm,.rp).f64 d, a, b, c", Unit::fp64, lane_float<fused>()},
    {"mad(.rn,.rz,.rm,.rp).f64 d, a, b, c", Unit::fp64, lane_float<fused>()},
    {"%fma.f64 d, a, b, c", Unit::fp64, lane_float<fused>()},
    {"%fms.f64 d, a, b, c", Unit::fp64, lane_float<less_addend>()},
    {"%fnma.f64 d, a, b, c", Unit::fp64, lane_float<less_product>()},
    {"%fnms.f64 d, a, b, c", Unit::fp64, lane_float<less_both>()},
    {"div(.rn,.rz,.rm,.rp).f64 d, a, b", Unit::fp64, lane_float<divide>()},
    {"rcp(.rn,.rz,.rm,.rp).f64 d, a", Unit::fp64, lane_float<reciprocal>()},
    {"sqrt(.rn,.rz,.rm,.rp).f64 d, a", Unit::fp64, lane_float<square_root>()},
    {"rsqrt.approx.f64 d, a", Unit::fp64, lane_float<inverse_root>()},  // manual: none given; here 1.5 ulp
    {"rcp.approx.ftz.f64 d, a", Unit::sfu, lane<gross_reciprocal>()},   // truncated at 20 mantissa bits
    {"rsqrt.approx.ftz.f64 d, a", Unit::sfu, lane<gross_inverse_root>()},

    {"abs.f64 d, a", Unit::fp64, lane<absolute>()},
    {"neg.f64 d, a", Unit::fp64, lane<negated>()},
    {"copysign.f64 d, a, b", Unit::fp64, lane<sign_copied>()},
    {"min.f64 d, a, b", Unit::fp64, lane<min>()},
    {"max.f64 d, a, b", Unit::fp64, lane<max>()},

    {"testp.finite.f64 p, a", Unit::fp64, lane<is_finite>()},
    {"testp.infinite.f64 p, a", Unit::fp64, lane<is_infinite>()},
    {"testp.number.f64 p, a", Unit::fp64, lane<is_number>()},
    {"testp.notanumber.f64 p, a", Unit::fp64, lane<is_nan>()},
    {"testp.normal.f64 p, a", Unit::fp64, lane<is_normal>()},
    {"testp.subnormal.f64 p, a", Unit::fp64, lane<is_subnormal>()},
};

}  // namespace

std::span<const Row> float64_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
