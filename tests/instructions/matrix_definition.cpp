#include "tests/instructions/matrix_definition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "tests/instructions/matrix_values.h"

namespace gpulab::tests {
namespace {

/// A floating-point format: bits of its exponent and its mantissa. tf32 keeps 10 bits of the 23 that it has room for.
struct FloatFormat {
  int exponent, mantissa;
  [[nodiscard]] int bias() const { return (1 << (exponent - 1)) - 1; }
};
FloatFormat format_of(const std::string& type) {
  if (type == "f16") return {5, 10};
  return {8, type == "bf16" ? 7 : 23};
}

/// A finite number other than zero: significand * 2^(exponent - point), where `exponent` is what is aligned.
struct Number {
  std::int64_t significand;
  int exponent, point;
};

double value_of(const std::string& type, std::uint64_t bits) {
  const FloatFormat f = format_of(type);
  const auto field = static_cast<int>(bits >> f.mantissa & ((1u << f.exponent) - 1));
  const auto fraction = static_cast<double>(bits & ((1u << f.mantissa) - 1));
  double magnitude = std::ldexp(fraction, 1 - f.bias() - f.mantissa);
  if (field == (1 << f.exponent) - 1)
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (field != 0)
    magnitude = std::ldexp(fraction + std::ldexp(1.0, f.mantissa), field - f.bias() - f.mantissa);
  return bits >> (f.exponent + f.mantissa) & 1 ? -magnitude : magnitude;
}

std::optional<Number> factor(const std::string& type, std::uint64_t bits) {
  const FloatFormat f = format_of(type);
  const auto field = static_cast<int>(bits >> f.mantissa & ((1u << f.exponent) - 1));
  auto significand = static_cast<std::int64_t>(bits & ((1u << f.mantissa) - 1));
  if (field != 0) significand |= std::int64_t{1} << f.mantissa;
  const int kept = std::min(f.mantissa, 10);
  significand >>= f.mantissa - kept;
  if (significand == 0) return std::nullopt;
  const bool negative = (bits >> (f.exponent + f.mantissa) & 1) != 0;
  return Number{negative ? -significand : significand, std::max(field, 1) - f.bias(), kept};
}

/// C is taken as single precision.
std::optional<Number> summand(double c) {
  if (c == 0) return std::nullopt;
  const int exponent = std::max(std::ilogb(c), -126);
  return Number{static_cast<std::int64_t>(std::ldexp(c, 23 - exponent)), exponent, 23};
}

/// sum * 2^weight in a format: to nearest, or towards zero.
std::uint64_t rounded(std::int64_t sum, int weight, FloatFormat f, bool nearest) {
  const std::uint64_t sign = static_cast<std::uint64_t>(sum < 0) << (f.exponent + f.mantissa);
  const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  if (magnitude == 0) return 0;
  const int lowest = 1 - f.bias(),
            exponent = std::max(static_cast<int>(std::bit_width(magnitude)) - 1 + weight, lowest);
  const int lost = exponent - f.mantissa - weight;
  std::uint64_t kept = lost <= 0 ? magnitude << -lost : lost > 62 ? 0 : magnitude >> lost;
  if (nearest && lost > 0 && lost <= 62) {
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << lost) - 1), half = std::uint64_t{1} << (lost - 1);
    kept += rest > half || (rest == half && (kept & 1) != 0);
  }
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent) - 1) << f.mantissa;
  return sign | std::min(kept + (static_cast<std::uint64_t>(exponent - lowest) << f.mantissa), infinity);
}

std::uint64_t float_element(const MatrixForm& form, std::span<const std::uint64_t> row,
                            std::span<const std::uint64_t> column, std::uint64_t c) {
  const bool half = form.d == "f16";
  double loose = value_of(form.c, c);  // which infinity, or NaN, where one is among the terms
  bool special = !std::isfinite(loose);
  std::vector<Number> terms;
  if (const auto number = summand(special ? 0 : loose)) terms.push_back(*number);
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double x = value_of(form.a, row[k]), y = value_of(form.b, column[k]);
    special = special || !std::isfinite(x) || !std::isfinite(y);
    loose += x * y;
    const auto a = factor(form.a, row[k]), b = factor(form.b, column[k]);
    if (a && b) terms.push_back({a->significand * b->significand, a->exponent + b->exponent, a->point + b->point});
  }
  if (special && std::isnan(loose)) return half ? 0x7fff : 0x7fffffff;
  if (special) return (half ? 0x7c00u : 0x7f800000u) | (loose < 0 ? half ? 0x8000u : 0x80000000u : 0);
  int top = -133;
  for (const auto& term : terms) top = std::max(top, term.exponent);
  std::int64_t sum = 0;
  for (const auto& term : terms) {
    const int up = term.exponent - term.point - (top - 25);
    const std::int64_t magnitude = std::abs(term.significand);
    const std::int64_t cut = up >= 0 ? magnitude << up : magnitude >> std::min(-up, 63);
    sum += term.significand < 0 ? -cut : cut;
  }
  return rounded(sum, top - 25, format_of(form.d), half);
}

std::int64_t integer(const std::string& type, std::uint64_t bits) {
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "s4") return static_cast<std::int64_t>(bits ^ 8) - 8;
  return static_cast<std::int64_t>(bits);
}
std::uint64_t integer_element(const MatrixForm& form, std::span<const std::uint64_t> row,
                              std::span<const std::uint64_t> column, std::uint64_t c) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::int64_t a = integer(form.a, row[k]), b = integer(form.b, column[k]);
    sum += form.operation == "xor" ? a ^ b : a * b;
  }
  if (form.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

/// Of NaNs the first of factor, factor and sum, quiet.
std::uint64_t double_element(std::span<const std::uint64_t> row, std::span<const std::uint64_t> column,
                             std::uint64_t c) {
  std::uint64_t sum = c;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::uint64_t terms[] = {row[k], column[k], sum};
    const double exact =
        std::fma(std::bit_cast<double>(terms[0]), std::bit_cast<double>(terms[1]), std::bit_cast<double>(terms[2]));
    sum = std::isnan(exact) ? 0xfff8000000000000u : std::bit_cast<std::uint64_t>(exact);
    for (int i = 2; i >= 0; --i)
      if (std::isnan(std::bit_cast<double>(terms[i]))) sum = terms[i] | std::uint64_t{1} << 51;
  }
  return sum;
}

}  // namespace

std::uint64_t defined_element(const MatrixForm& form, std::span<const std::uint64_t> row,
                              std::span<const std::uint64_t> column, std::uint64_t c) {
  if (form.a == "f64") return double_element(row, column, c);
  return is_float(form.a) ? float_element(form, row, column, c) : integer_element(form, row, column, c);
}

}  // namespace gpulab::tests
