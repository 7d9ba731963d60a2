#include "labs/scan/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace gpulab::labs::scan {
namespace {

enum class Op { sum, product, max };
Op op_of(const Case& c) {
  const std::string& word = c.params.word("op");
  return word == "sum" ? Op::sum : word == "product" ? Op::product : Op::max;
}
bool is_inclusive(const Case& c) { return c.params.word("kind") == "inclusive"; }

/// Floating-point sums and products round; the rest is exact.
bool rounds(const Case& c) { return is_floating(c.type()) && op_of(c) != Op::max; }

template <typename T>
T combine(Op op, T a, T b) {
  using Wrapping =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  if (op == Op::sum) return static_cast<T>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
  if (op == Op::product) return static_cast<T>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
  return a < b ? b : a;
}

template <typename T>
T neutral_of(Op op) {
  using Limits = std::numeric_limits<T>;
  if (op == Op::sum) return 0;
  if (op == Op::product) return 1;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

/// The loop that all kernels must agree with, in the precision of Accumulator.
template <typename Accumulator, typename T, typename Result>
void scan(const Case& c, std::span<const T> in, std::span<Result> out) {
  const Op op = op_of(c);
  const bool inclusive = is_inclusive(c);
  auto total = neutral_of<Accumulator>(op);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Accumulator before = total;
    total = combine(op, total, static_cast<Accumulator>(in[i]));
    out[i] = static_cast<Result>(inclusive ? total : before);
  }
}

/// Does a sum or product leave 32 bits? By magnitude, in a range that takes any of ours.
bool wraps(const Case& c, std::span<const std::int32_t> in) {
  const Op op = op_of(c);
  if (op == Op::max) return false;
  double total = neutral_of<double>(op);
  for (const auto x : in) total = combine(op, total, std::fabs(static_cast<double>(x)));
  return total >= 0x1p31;
}

/// Factors whose products neither grow nor vanish, so that one absolute tolerance suits all of them: each of magnitude
/// 1 to 1.5, or the reciprocal, whichever leads back to 1. Every product lies within [1/1.5, 1.5], either sign.
std::vector<std::byte> float_factors(const Case& c, std::size_t count) {
  auto bytes = random_values(Scalar::f32, count, c.seed, 1, 1.5);
  const auto signs = random_values(Scalar::u8, count, c.seed, 0, 1, 1);
  double product = 1;
  auto factors = view_as<float>(std::span<std::byte>(bytes));
  for (std::size_t i = 0; i < count; ++i) {
    const float grows = factors[i];
    factors[i] = (product > 1 ? 1 / grows : grows) * (signs[i] == std::byte{0} ? 1.0f : -1.0f);
    product *= std::fabs(static_cast<double>(factors[i]));
  }
  return bytes;
}

/// Values that rise from one end of the range to the other, with noise of 32 steps: the maximum so far changes every
/// few elements, all along, and most elements are not it. (The maximum of unordered values hardly ever changes.)
template <typename T>
std::vector<std::byte> rising(const Case& c, std::size_t count, double low, double high) {
  const auto noise = random_values(Scalar::f32, count, c.seed, 0, 32);
  std::vector<std::byte> bytes(count * sizeof(T));
  const auto out = view_as<T>(std::span<std::byte>(bytes));
  const double step = (high - low) / (static_cast<double>(count) + 32);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(low + step * (static_cast<double>(i) + static_cast<double>(view_as<float>(noise)[i])));
  }
  return bytes;
}

/// Integer sums take 0 to 99, as everywhere; products odd factors, or they would soon be 0 modulo 2^32. Sums of floats
/// take [-1, 1): they stay small, and the bound on their rounding errors sharp.
std::vector<std::byte> inputs(const Case& c) {
  const auto count = static_cast<std::size_t>(c.n());
  const bool floating = is_floating(c.type());
  if (op_of(c) == Op::max) return floating ? rising<float>(c, count, -1, 1) : rising<int>(c, count, -0x1p31, 0x1p31);
  if (op_of(c) == Op::sum) return random_values(c.type(), count, c.seed, floating ? -1 : 0, floating ? 1 : 99);
  if (floating) return float_factors(c, count);
  auto bytes = random_values(c.type(), count, c.seed, -99, 99);
  for (auto& factor : view_as<std::int32_t>(bytes)) factor |= 1;
  return bytes;
}

Expected answer(const Case& c, const std::vector<std::byte>& in) {
  Expected expected;
  expected.buffer = "out";
  if (rounds(c)) {
    expected.real.resize(view_as<float>(in).size());
    scan<double>(c, view_as<float>(in), std::span(expected.real));
    return expected;
  }
  expected.exact.resize(in.size());
  if (is_floating(c.type())) {
    scan<float>(c, view_as<float>(in), view_as<float>(expected.exact));
  } else {
    scan<std::int32_t>(c, view_as<std::int32_t>(in), view_as<std::int32_t>(expected.exact));
    if (wraps(c, view_as<std::int32_t>(in))) expected.note = "results wrap modulo 2^32";
  }
  return expected;
}

// Every operation rounds with a relative error of at most u. To first order the error of one result is the sum of
// (partial result x rounding error) over the operations that lead to it.
//
// Sums: in the worst case that is gamma_d * sum |x|, gamma_d = d u / (1 - d u), for a depth of d operations. Rounding
// errors do not conspire, though, and neither do our independent summands of mean 0 and magnitude 1: by Azuma's
// inequality a partial sum of m of them exceeds lambda sqrt(m) with a probability of at most 2 exp(-lambda^2 / 2), and
// the errors, weighted by partial sums whose m add up to at most n d, exceed lambda u sqrt(lambda^2 n d) as rarely.
// There are n results of about n operations' errors: lambda = sqrt(2 ln(2e7 n)) leaves each kind a chance of 1e-7.
//   N. J. Higham, T. Mary: A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019;
//   Sharper Probabilistic Backward Error Analysis for Basic Linear Algebra Kernels with Random Data, 42, 2020.
// Products: each of at most n roundings is a factor of the result, whatever their order: its relative error is below
// exp(lambda sqrt(n) u + n u^2) - 1, and no result is larger than 1.5.
// The reference's own error, in double, is 2^29 times smaller.
double tolerance(const Case& c, double depth) {
  const double u = 0x1p-24, n = std::max(1.0, static_cast<double>(c.n()));
  const double lambda = std::sqrt(2 * std::log(2e7 * n));
  if (op_of(c) == Op::product) return 1.5 * std::expm1(lambda * std::sqrt(n) * u + n * u * u);
  const double likely = lambda * lambda * u * std::sqrt(n * depth);
  return depth * u < 1 ? std::min(likely, depth * u / (1 - depth * u) * n) : likely;
}

}  // namespace

Problem problem(const Case& c) {
  const auto count = static_cast<std::size_t>(c.n());
  Problem p;
  p.buffers = {{"in", c.type(), count, BufferRole::input, inputs(c)}, {"out", c.type(), count, BufferRole::output}};
  p.expected = {answer(c, p.buffers[0].initial)};
  return p;
}

std::vector<std::byte> neutral(const Case& c) {
  return with_element_type(c.type(), [&](auto zero) {
    const auto value = neutral_of<decltype(zero)>(op_of(c));
    return bytes_of(std::span(&value, 1));
  });
}

std::function<void(const Case&, Problem&)> within(Depth depth) {
  return [depth = std::move(depth)](const Case& c, Problem& problem) {
    if (rounds(c)) problem.expected[0].tolerance = tolerance(c, depth(c));
  };
}

}  // namespace gpulab::labs::scan
