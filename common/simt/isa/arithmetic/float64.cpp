// Double precision (PTX ISA: Floating-Point Instructions, .f64). Subnormals are always honoured.

#include "common/simt/isa/arithmetic/special_functions.h"
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

// The gross approximations see and give only the upper 32 bits: 20 of the mantissa, cut off what the special function
// unit gives for a float of these digits. Subnormals are flushed. All that an H100 gave (4 million results) is this.

/// cut_square() of one number.
constexpr u32 cut_square_of(u32 x) {
  const u32 upper = x >> 9;
  u32 sum = upper * upper;
  for (u32 i = 2; i < 9; ++i) sum += (x >> i & 1) * (upper >> (9 - i)) * 2;
  return sum >> 1;
}
inline s64 parabola(const Segment& s, int constant_shift, s64 place, s64 square) {
  return (static_cast<s64>(s.constant) << constant_shift) + s.slope * place + s.curve * square;
}
constexpr u32 kUpperInfinity = 0x7ff00000;
inline double of_upper(u32 bits) { return bits_as<double>(u64{bits} << 32); }
constexpr auto gross_reciprocal = [](double a) {
  const u32 bits = static_cast<u32>(bits_as<u64>(a) >> 32), sign = bits & 0x80000000, exponent = bits >> 20 & 0x7ff;
  const u32 t = (bits & 0xfffff) << 3, x = t & 0xffff;
  const s64 digits = (parabola(kReciprocal[t >> 16], 13, x, cut_square_of(x << 1)) + 0x47e7) >> 15;  // 2^23 to 2^24
  const s32 finite = (2045 - static_cast<s32>(exponent)) * (1 << 20) + static_cast<s32>((digits - 0x800000) >> 3);
  const u32 normal = finite < (1 << 20) ? 0 : static_cast<u32>(finite);
  const u32 in_range = exponent == 0 ? kUpperInfinity : exponent == 2047 ? 0 : normal;
  return of_upper(a != a ? 0x7fffffff : in_range | sign);
};
constexpr auto gross_inverse_root = [](double a) {
  const u32 bits = static_cast<u32>(bits_as<u64>(a) >> 32), sign = bits & 0x80000000, exponent = bits >> 20 & 0x7ff;
  const u32 raised = exponent + 1, t = (bits & 0xfffff) << 3 | (raised & 1) << 23, x = t & 0x1ffff;
  const s64 root = (parabola(kInverseRoot[t >> 17], 14, x, cut_square_of(x) * s64{4}) + 0x7fff) >> 16;  // 2^23 to 2^24
  const s64 digits = t == 0 ? 0x1000000 : root;
  const u32 normal = ((1022 + 512 - (raised >> 1)) << 20) + static_cast<u32>((digits - 0x800000) >> 3);
  const u32 in_range = exponent == 0 ? kUpperInfinity | sign : sign != 0 ? 0x7fffffff : exponent == 2047 ? 0 : normal;
  return of_upper(a != a ? 0x7fffffff : in_range);
};

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
    {"rcp.approx.ftz.f64 d, a", Unit::sfu, lane<gross_reciprocal>()},
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
