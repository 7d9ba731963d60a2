#include "tests/instructions/approximation.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace gpulab::simt {
namespace {

using Real = long double;

constexpr double kPi = 3.14159265358979323846;
const double kSmall = std::ldexp(1, -126), kLarge = std::ldexp(1, 126), kLargest = std::ldexp(1, 127);

const Approximation table[] = {
    {"rcp.approx.f32", "2^-126 … 2^126", kSmall, kLarge, ErrorIn::ulp, 1, 0.98, [](Real a, Real) { return 1 / a; }},
    {"div.approx.f32", "2^-126 … 2^126", kSmall, kLarge, ErrorIn::ulp, 2, 1.99, [](Real a, Real b) { return a / b; }},
    {"div.full.f32", "2^-126 … 2^127", kSmall, kLargest, ErrorIn::ulp, 2, 1.99, [](Real a, Real b) { return a / b; }},
    {"sqrt.approx.f32", "2^-126 … 2^127", kSmall, kLargest, ErrorIn::relative, std::exp2(-23), std::exp2(-23.25),
     [](Real a, Real) { return std::sqrt(a); }},
    {"rsqrt.approx.f32", "2^-126 … 2^127", kSmall, kLargest, ErrorIn::relative, std::exp2(-22.9), std::exp2(-22.93),
     [](Real a, Real) { return 1 / std::sqrt(a); }},
    {"sin.approx.f32", "-2 pi … 2 pi", -2 * kPi, 2 * kPi, ErrorIn::absolute, std::exp2(-20.5), std::exp2(-20.58),
     [](Real a, Real) { return std::sin(a); }},
    {"sin.approx.f32", "-100 pi … 100 pi", -100 * kPi, 100 * kPi, ErrorIn::absolute, std::exp2(-14.7),
     std::exp2(-14.74), [](Real a, Real) { return std::sin(a); }},
    {"cos.approx.f32", "-2 pi … 2 pi", -2 * kPi, 2 * kPi, ErrorIn::absolute, std::exp2(-20.5), std::exp2(-20.47),
     [](Real a, Real) { return std::cos(a); }},
    {"cos.approx.f32", "-100 pi … 100 pi", -100 * kPi, 100 * kPi, ErrorIn::absolute, std::exp2(-14.7),
     std::exp2(-14.75), [](Real a, Real) { return std::cos(a); }},
    {"lg2.approx.f32", "0.5 … 2", 0.5, 2, ErrorIn::absolute, std::exp2(-22), std::exp2(-22.28),
     [](Real a, Real) { return std::log2(a); }},
    {"lg2.approx.f32", "2 … 2^127", 2, kLargest, ErrorIn::relative, std::exp2(-22), std::exp2(-23.01),
     [](Real a, Real) { return std::log2(a); }},
    {"lg2.approx.f32", "2^-126 … 0.5", kSmall, 0.5, ErrorIn::relative, std::exp2(-22), std::exp2(-22.18),
     [](Real a, Real) { return std::log2(a); }},
    {"ex2.approx.f32", "-126 … 127.99", -126, 127.99, ErrorIn::ulp, 2, 2.06, [](Real a, Real) { return std::exp2(a); }},
    {"tanh.approx.f32", "-20 … 20", -20, 20, ErrorIn::relative, std::exp2(-11), std::exp2(-22),
     [](Real a, Real) { return std::tanh(a); }},
    {"ex2.approx.f16", "-14 … 15.99", -14, 15.99, ErrorIn::relative, std::exp2(-9.9), std::exp2(-10.99),
     [](Real a, Real) { return std::exp2(a); }},
    {"tanh.approx.f16", "all", -65504, 65504, ErrorIn::absolute, std::exp2(-10.987), std::exp2(-11.99),
     [](Real a, Real) { return std::tanh(a); }},
    {"ex2.approx.ftz.bf16", "-126 … 127", -126, 127, ErrorIn::relative, std::exp2(-7), std::exp2(-7.99),
     [](Real a, Real) { return std::exp2(a); }},
    {"tanh.approx.bf16", "all", -1e38, 1e38, ErrorIn::absolute, std::exp2(-8), std::exp2(-8.99),
     [](Real a, Real) { return std::tanh(a); }},
    {"rsqrt.approx.f64", "2^-126 … 2^127", kSmall, kLargest, ErrorIn::relative, 0, std::exp2(-52),
     [](Real a, Real) { return 1 / std::sqrt(a); }},
    {"rcp.approx.ftz.f64", "2^-126 … 2^126", kSmall, kLarge, ErrorIn::relative, 0, std::exp2(-19),
     [](Real a, Real) { return 1 / a; }},
    {"rsqrt.approx.ftz.f64", "2^-126 … 2^127", kSmall, kLargest, ErrorIn::relative, 0, std::exp2(-19),
     [](Real a, Real) { return 1 / std::sqrt(a); }},
};

double value_of(std::uint64_t bits, Kind kind) {
  if (kind == Kind::f64) return std::bit_cast<double>(bits);
  if (kind == Kind::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (kind == Kind::bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double mantissa = static_cast<double>(bits & 0x3ff) + (exponent > 0 ? 1024 : 0);
  const double magnitude = exponent == 31 ? NAN : std::ldexp(mantissa, (exponent > 0 ? exponent : 1) - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

std::uint64_t bits_of(double value, Kind kind) {
  return kind == Kind::f64 ? std::bit_cast<std::uint64_t>(value)
                           : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// Spread over the range both evenly and, where it spans exponents, by its bits.
double spread(const Approximation& one, Kind kind, double fraction, bool by_bits) {
  if (!by_bits) return one.low + (one.high - one.low) * fraction;
  if (one.low > 0) {
    const auto low = bits_of(one.low, kind), high = bits_of(one.high, kind);
    return value_of(low + static_cast<std::uint64_t>(static_cast<double>(high - low) * fraction), kind);
  }
  const double magnitude = std::exp2(40 * std::fabs(2 * fraction - 1) - 40);  // towards zero
  return (fraction < 0.5 ? one.low : one.high) * magnitude;
}

}  // namespace

std::span<const Approximation> approximations() { return table; }

FloatOpcode opcode_of(const Approximation& approximation) {
  for (const auto& entry : instruction_set().find(approximation.opcode))
    return float_opcode(*entry.row, approximation.opcode);
  throw std::runtime_error(std::string("no row for ") + approximation.opcode);
}

Columns range_operands(const Approximation& approximation, std::size_t count) {
  const auto opcode = opcode_of(approximation);
  const Kind kind = opcode.shape.inputs.front().kind;
  Columns columns(opcode.shape.inputs.size());
  if (width_of(kind) == 16) {
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double a = value_of(bits, kind);
      if (a >= approximation.low && a <= approximation.high) columns[0].push_back(bits);
    }
    return columns;
  }
  const double golden = 0.61803398874989484820;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pair = i / 2;
    const double fraction = (static_cast<double>(pair) + 0.5) / (static_cast<double>(count) / 2);
    const double a = spread(approximation, kind, fraction, i % 2 == 0);
    if (columns.size() == 1) {
      columns[0].push_back(bits_of(a, kind));
    } else {  // quotients of all sizes, near one
      const double numerator = a * (1 + std::fmod(static_cast<double>(i) * golden, 1.0));
      columns[0].push_back(bits_of(numerator, kind));
      columns[1].push_back(bits_of(a, kind));
    }
  }
  return columns;
}

LargestError largest_error(const Approximation& approximation, const Columns& columns, const Results& results) {
  const auto opcode = opcode_of(approximation);
  const Kind kind = opcode.shape.inputs.front().kind;
  LargestError largest;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double a = value_of(columns[0][i], kind);
    const double b = columns.size() == 2 ? value_of(columns[1][i], kind) : 0;
    const Real exact = approximation.exact(a, b);
    if (exact != 0 && std::fabs(exact) < kSmall) continue;  // subnormal results: no bound holds
    Real error = std::fabs(value_of(results[i], kind) - exact);
    if (approximation.unit == ErrorIn::relative && exact != 0) error /= std::fabs(exact);
    if (approximation.unit == ErrorIn::ulp) error /= std::exp2(std::floor(std::log2(std::fabs(exact))) - 23);
    if (error > largest.error || std::isnan(error)) {
      largest.error = std::isnan(error) ? INFINITY : static_cast<double>(error);
      largest.where = shown_try(opcode, columns, i) + " = " + shown(results[i], kind);
    }
  }
  return largest;
}

std::string shown_error(const Approximation& approximation, double error) {
  if (error == 0) return approximation.documented == 0 ? "-" : "0";
  return approximation.unit == ErrorIn::ulp ? fmt::format("{:.2f} ulp", error)
                                            : fmt::format("2^{:.2f}", std::log2(error));
}

}  // namespace gpulab::simt
