// What the instructions of float_opcode.h must give, by exact_float.h. PTX ISA: Floating-Point Instructions, Half
// Precision Floating-Point Instructions, cvt, set, setp.

#include <algorithm>
#include <array>
#include <utility>

#include "tests/instructions/exact_float.h"
#include "tests/instructions/float_opcode.h"

namespace gpulab::simt {
namespace {

using u64 = std::uint64_t;
using Class = Exact::Class;

/// A type of an instruction: a floating-point format, or an integer.
struct Type {
  std::string_view name;
  FloatFormat format;  ///< of an integer: its bits alone
  bool is_float = true, is_signed = false;
  int elements = 1;
};
constexpr Type types[] = {{"f16", binary16},
                          {"bf16", brain16},
                          {"f32", binary32},
                          {"f64", binary64},
                          {"tf32", tensor32},
                          {"f16x2", binary16, true, false, 2},
                          {"bf16x2", brain16, true, false, 2},
                          {"e4m3x2", eight_e4m3, true, false, 2},
                          {"e5m2x2", eight_e5m2, true, false, 2},
                          {"u8", {8, 0, 0}, false, false},
                          {"s8", {8, 0, 0}, false, true},
                          {"u16", {16, 0, 0}, false, false},
                          {"s16", {16, 0, 0}, false, true},
                          {"b16", {16, 0, 0}, false, false},
                          {"u32", {32, 0, 0}, false, false},
                          {"s32", {32, 0, 0}, false, true},
                          {"u64", {64, 0, 0}, false, false},
                          {"s64", {64, 0, 0}, false, true}};

std::vector<Type> types_of(const FloatOpcode& opcode) {
  std::vector<Type> found;
  for (const auto& part : opcode.parts)
    for (const auto& type : types)
      if (type.name == part) found.push_back(type);
  return found;
}

u64 mask_of(int bits) { return bits == 64 ? ~u64{0} : (u64{1} << bits) - 1; }
u64 canonical_nan(FloatFormat format) { return format.sign() - 1; }
u64 one_of(FloatFormat format) { return static_cast<u64>(format.bias()) << format.mantissa; }

/// The modifiers of an opcode.
struct Modifiers {
  Round mode = Round::nearest_even;
  bool ftz, sat, relu, finite, nan, by_magnitude;
  explicit Modifiers(const FloatOpcode& o)
      : ftz(o.has("ftz")),
        sat(o.has("sat")),
        relu(o.has("relu")),
        finite(o.has("satfinite")),
        nan(o.has("NaN")),
        by_magnitude(o.has("xorsign")) {
    static constexpr std::pair<const char*, Round> modes[] = {
        {"rz", Round::zero},  {"rm", Round::down}, {"rp", Round::up},           {"rzi", Round::zero},
        {"rmi", Round::down}, {"rpi", Round::up},  {"rna", Round::nearest_away}};
    for (const auto& [name, round] : modes)
      if (o.has(name)) mode = round;
  }
};

u64 flushed(u64 x, FloatFormat format) { return format.is_subnormal(x) ? x & format.sign() : x; }

/// Whether a value is below the format's normal numbers once it is rounded to the format's digits, as if exponents had
/// no end (IEEE 754-2019, 7.5: tininess after rounding). What rounds to the smallest normal number only for want of
/// digits is tiny.
bool is_tiny(const Exact& x, FloatFormat format, Round mode) {
  const FloatFormat wider{format.bits + 2, format.mantissa, format.exponent + 2};
  const u64 magnitude = rounded(x, wider, mode) & (wider.sign() - 1);
  const int smallest = 1 - format.bias() + wider.bias();  // its exponent, as the wider format writes it
  return magnitude != 0 && (magnitude >> format.mantissa) < static_cast<u64>(smallest);
}

/// Rounding, then .ftz, .sat and .relu.
u64 finished(const Exact& x, FloatFormat format, const Modifiers& m) {
  u64 bits = rounded(x, format, m.mode);
  if (m.ftz && is_tiny(x, format, m.mode)) bits = x.negative ? format.sign() : 0;
  const bool negative = (bits & format.sign()) != 0;
  if (m.sat) {
    if (x.what == Class::nan || negative) return 0;
    return std::min(bits, one_of(format));  // positive numbers are ordered as their bits
  }
  if (m.relu && x.what != Class::nan && negative) return 0;
  return bits;
}

// ---- comparisons ----

/// Ordered as integers: -0 just below +0.
std::int64_t ordered(u64 x, FloatFormat format) {
  const auto magnitude = static_cast<std::int64_t>(x & (format.sign() - 1));
  return x & format.sign() ? -magnitude - 1 : magnitude;
}
bool holds(const std::string& comparison, u64 a, u64 b, FloatFormat format) {
  const bool unordered = format.is_nan(a) || format.is_nan(b);
  if (comparison == "nan" || comparison == "num") return (comparison == "nan") == unordered;
  if (unordered) return comparison.size() == 3;
  const auto zero_is_one = [&](u64 x) { return (x & (format.sign() - 1)) == 0 ? 0 : ordered(x, format); };
  const auto x = zero_is_one(a), y = zero_is_one(b);
  const auto kind = comparison.substr(0, 2);
  return kind == "eq"   ? x == y
         : kind == "ne" ? x != y
         : kind == "lt" ? x < y
         : kind == "le" ? x <= y
         : kind == "gt" ? x > y
                        : x >= y;
}

u64 extremum(bool least, u64 a, u64 b, FloatFormat format, const Modifiers& m) {
  const u64 sign = m.by_magnitude ? (a ^ b) & format.sign() : 0;
  if (m.by_magnitude) a &= ~format.sign(), b &= ~format.sign();
  const bool nan_a = format.is_nan(a), nan_b = format.is_nan(b);
  if ((nan_a && nan_b) || (m.nan && (nan_a || nan_b))) return canonical_nan(format);
  if (nan_a || nan_b) return (nan_a ? b : a) | sign;
  return ((ordered(a, format) < ordered(b, format)) == least ? a : b) | sign;
}

bool tested(const FloatOpcode& opcode, u64 a, FloatFormat format) {
  const bool nan = format.is_nan(a), infinite = (a & (format.sign() - 1)) == format.infinity();
  if (opcode.has("finite")) return !nan && !infinite;
  if (opcode.has("infinite")) return infinite;
  if (opcode.has("number")) return !nan;
  if (opcode.has("notanumber")) return nan;
  if (opcode.has("subnormal")) return format.is_subnormal(a);
  return !nan && !infinite && !format.is_subnormal(a);  // normal: a zero too, as an H200 has it
}

// ---- one element ----

using Inputs = std::array<u64, 3>;

/// Arithmetic on values of one format.
std::optional<Expected> arithmetic(const FloatOpcode& opcode, Inputs in, FloatFormat format) {
  const Modifiers m(opcode);
  const std::string& family = opcode.parts.front();
  const bool open_nan = format.bits == 64;
  if (m.ftz)
    for (auto& x : in) x = flushed(x, format);
  const u64 a = in[0], b = in[1];
  const Exact x = exact_of(a, format), y = exact_of(b, format), z = exact_of(in[2], format);
  const auto result = [&](const Exact& exact) { return Expected{finished(exact, format, m), open_nan}; };
  if (family == "add") return result(sum(x, y, m.mode));
  if (family == "sub") return result(sum(x, negative_of(y), m.mode));
  if (family == "mul") return result(product(x, y));
  if (family == "fma" || family == "mad") return result(sum(product(x, y), z, m.mode));
  if (family == "div") return result(quotient(x, y));
  if (family == "rcp") return result(quotient(exact_of(one_of(format), format), x));
  if (family == "sqrt") return result(square_root(x));
  if (family == "min" || family == "max") return Expected{extremum(family == "min", a, b, format, m), open_nan};
  const bool keeps_nan = format.bits >= 32;  // 16 bits: the hardware adds zero
  if (family == "abs" || family == "neg") {
    if (format.is_nan(a)) return Expected{canonical_nan(format), keeps_nan};
    return Expected{family == "abs" ? a & ~format.sign() : a ^ format.sign()};
  }
  if (family == "copysign") return Expected{(b & ~format.sign()) | (a & format.sign())};
  if (family == "testp") return Expected{tested(opcode, a, format) ? u64{1} : 0};
  return {};
}

Expected to_integer(u64 a, const Type& from, const Type& to, const Modifiers& m, int register_bits) {
  if (m.ftz) a = flushed(a, from.format);
  const Exact whole = integral(exact_of(a, from.format), m.mode);
  const int bits = to.format.bits;
  const auto cut = [&](u64 x) { return Expected{x & mask_of(register_bits)}; };
  const auto highest = static_cast<std::int64_t>(mask_of(bits - 1));
  const u64 top_bit = to.is_signed ? ~static_cast<u64>(highest) : u64{1} << (bits - 1);
  if (whole.what == Class::nan) return cut(from.format.bits == 64 || bits == 64 ? top_bit : 0);
  if (!to.is_signed) return cut(clamped_unsigned(whole, mask_of(bits)));
  return cut(static_cast<u64>(clamped(whole, -highest - 1, highest)));
}

Exact from_integer(u64 a, const Type& from) {
  const int bits = from.format.bits;
  a &= mask_of(bits);
  const bool negative = from.is_signed && (a >> (bits - 1) & 1);
  return exact_of_integer(negative ? (u64{0} - a) & mask_of(bits) : a, negative);
}

/// e4m3 has one NaN and no infinity; both 8-bit formats saturate.
Exact from_byte(u64 a, FloatFormat format) {
  if (format.exponent != 4 || (a & 0x78) != 0x78) return exact_of(a, format);
  Exact x = exact_of(a & ~u64{0x40}, format);  // the highest exponent is an ordinary one: 8 above
  x.e += 8;
  if ((a & 7) == 7) x.what = Class::nan;
  return x;
}
u64 to_byte(const Exact& x, FloatFormat format, const Modifiers& m) {
  if (x.what == Class::nan) return 0x7f;
  const u64 sign = x.negative ? 0x80 : 0;
  const bool e4m3 = format.exponent == 4;
  const u64 largest = e4m3 ? 0x7e : 0x7b;
  // One more bit of exponent than e4m3 has makes room for numbers that it has instead of infinity.
  u64 magnitude = 0;
  if (x.what == Class::infinite)
    magnitude = largest;
  else if (e4m3 && rounded(x, {9, 3, 5}, m.mode) % 256 >= ((15 - 7 + 15) << 3))
    magnitude = (rounded(x, {9, 3, 5}, m.mode) % 256) - (8 << 3);
  else
    magnitude = rounded(x, format, m.mode) & 0x7f;
  magnitude = std::min(magnitude, largest);
  return m.relu && sign ? 0 : sign | magnitude;
}

bool keeps_nan(const Type& from, const Type& to, const Modifiers& m) {
  if (m.sat || m.relu || m.finite) return false;
  return from.format.bits == 64 || to.format.bits == 64 || from.name == to.name ||
         (from.name == "bf16" && to.name == "f32") || to.name == "tf32";
}

Expected converted(const FloatOpcode& opcode, u64 a, const Type& from, const Type& to, int register_bits) {
  const Modifiers m(opcode);
  if (from.is_float && !to.is_float) return to_integer(a, from, to, m, register_bits);
  Exact x = !from.is_float ? from_integer(a, from) : from.format.bits == 8 ? from_byte(a, from.format) : Exact{};
  if (from.is_float && from.format.bits > 8) {
    // .ftz is for single precision; to half precision the hardware has none.
    if (m.ftz && from.name == "f32" && to.name != "f16") a = flushed(a, from.format);
    x = exact_of(a, from.format);
    const bool to_integral = opcode.parts[1].size() == 3 && opcode.parts[1].back() == 'i';
    if (to_integral) x = integral(x, m.mode);
  }
  if (to.format.bits == 8) return {to_byte(x, to.format, m)};
  if (x.what == Class::nan && m.mode == Round::nearest_away)  // ptxas cuts its lower bits off
    return {(a & 0xffffe000) - (m.finite ? 0x2000 : 0)};
  Modifiers finish = m;
  if (to.name == "f16" || to.name == "bf16" || to.format.bits == 64) finish.ftz = false;
  u64 bits = finished(x, to.format, finish);
  if (m.ftz && from.name == "bf16") bits = flushed(bits, to.format);
  if (m.finite && (bits & (to.format.sign() - 1)) == to.format.infinity()) --bits;
  if (to.name == "tf32") bits <<= 13;
  return {bits, x.what == Class::nan && keeps_nan(from, to, m)};
}

// ---- instructions ----

/// set: what its result has where the comparison holds.
u64 when_true(const Type& to) { return to.is_float ? one_of(to.format) : mask_of(to.format.bits); }

std::optional<std::vector<Expected>> compared(const FloatOpcode& opcode, std::span<const u64> in) {
  const auto list = types_of(opcode);
  const Type& from = list.back();
  if (!from.is_float) return {};
  const Modifiers m(opcode);
  std::array<bool, 2> truth{};
  for (int e = 0; e < from.elements; ++e) {
    u64 a = in[0] >> e * from.format.bits & mask_of(from.format.bits);
    u64 b = in[1] >> e * from.format.bits & mask_of(from.format.bits);
    if (m.ftz) a = flushed(a, from.format), b = flushed(b, from.format);
    truth[e] = holds(opcode.parts[1], a, b, from.format);
  }
  if (opcode.parts.front() == "setp")
    return std::vector<Expected>{{truth[0]}, {from.elements == 2 ? truth[1] : !truth[0]}};
  const Type& to = list.front();
  if (from.elements == 1) return std::vector<Expected>{{truth[0] ? when_true(to) : 0}};
  const u64 each = to.is_float ? one_of(to.format) : 0xffff;
  return std::vector<Expected>{{(truth[0] ? each : 0) | (truth[1] ? each << 16 : 0)}};
}

std::optional<std::vector<Expected>> conversion(const FloatOpcode& opcode, std::span<const u64> in) {
  const auto list = types_of(opcode);
  if (list.size() != 2) return {};
  const Type &to = list[0], &from = list[1];
  const int register_bits = width_of(opcode.shape.outputs.front().kind);
  if (to.elements == 1) return std::vector<Expected>{converted(opcode, in[0], from, to, register_bits)};
  u64 bits = 0;
  for (int e = 0; e < 2; ++e) {  // of two operands the first becomes the upper half
    const u64 a = in.size() == 2 ? in[1 - e] : in[0] >> e * from.format.bits & mask_of(from.format.bits);
    bits |= converted(opcode, a, from, to, register_bits).bits << e * to.format.bits;
  }
  return std::vector<Expected>{{bits}};
}

}  // namespace

std::optional<std::vector<Expected>> expected_of(const FloatOpcode& opcode, std::span<const u64> in) {
  const std::string& family = opcode.parts.front();
  if (family == "setp" || family == "set") return compared(opcode, in);
  if (family == "cvt") return conversion(opcode, in);
  const auto list = types_of(opcode);
  if (list.size() != 1 || !list[0].is_float) return {};
  const FloatFormat format = list[0].format;
  Expected all;
  for (int e = 0; e < list[0].elements; ++e) {
    Inputs element{};
    for (std::size_t k = 0; k < in.size(); ++k) element[k] = in[k] >> e * format.bits & mask_of(format.bits);
    const auto one = arithmetic(opcode, element, format);
    if (!one) return {};
    all.bits |= one->bits << e * format.bits;
    all.any_nan = one->any_nan;
  }
  return std::vector<Expected>{all};
}

bool is_nan_of(const FloatOpcode& opcode, u64 bits) {
  const auto list = types_of(opcode);
  const Type& to = list.front();
  if (opcode.parts.front() == "setp" || opcode.parts.front() == "testp" || !to.is_float) return false;
  return to.name == "tf32" ? binary32.is_nan(bits) : to.elements == 1 && to.format.is_nan(bits);
}

bool has_open_nan(const FloatOpcode& opcode) {
  const Kind kind = opcode.shape.outputs.front().kind;
  const bool sign_change = opcode.parts.front() == "neg" || opcode.parts.front() == "abs";
  return kind == Kind::f64 || (kind == Kind::f32 && sign_change);
}

u64 settled(const FloatOpcode& opcode, u64 bits) {
  return has_open_nan(opcode) && is_nan_of(opcode, bits) ? types_of(opcode).front().format.sign() - 1 : bits;
}

}  // namespace gpulab::simt
