#include "labs/reduce/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace gpulab::labs::reduce {
namespace {

enum class Op { sum, product, min, max };
Op op_of(const Params& params) {
  const std::string& word = params.word("op");
  return word == "sum" ? Op::sum : word == "product" ? Op::product : word == "min" ? Op::min : Op::max;
}

/// Magnitude of floating-point summands: uniform over [-1, 1), so that partial sums stay small and the bound on their
/// rounding errors sharp enough to notice a lost element.
constexpr double largest_summand = 1;

bool counts_up(const Case& c) { return c.params.word("data") == "iota"; }

template <typename T>
T combine(Op op, T a, T b) {
  using Wrapping =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  switch (op) {
    case Op::sum:
      return static_cast<T>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
    case Op::product:
      return static_cast<T>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
    case Op::min:
      return b < a ? b : a;
    default:
      return a < b ? b : a;
  }
}

template <typename T>
T neutral_of(Op op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case Op::sum:
      return 0;
    case Op::product:
      return 1;
    case Op::min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    default:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
}

/// Folds `in` into `lanes` accumulators by turns, then those into one: no chain of dependent operations as long as the
/// input, and room for the compiler to vectorise.
template <typename Accumulator, typename T, typename F>
Accumulator fold(std::span<const T> in, Accumulator start, F f) {
  constexpr std::size_t lanes = 8;
  std::array<Accumulator, lanes> partial;
  partial.fill(start);
  std::size_t i = 0;
  for (; i + lanes <= in.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) partial[lane] = f(partial[lane], Accumulator(in[i + lane]));
  }
  for (; i < in.size(); ++i) partial[0] = f(partial[0], Accumulator(in[i]));
  Accumulator total = partial[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) total = f(total, partial[lane]);
  return total;
}

/// A sum with its rounding errors kept beside it: twice the precision of double.
struct Compensated {
  double value, error;
  explicit Compensated(double value, double error = 0) : value(value), error(error) {}
  Compensated() : Compensated(0) {}
};
Compensated plus(const Compensated& a, const Compensated& b) {
  const double sum = a.value + b.value;  // Knuth's TwoSum: the rounding error of a double sum is a double
  const double part = sum - a.value;
  const double error = (a.value - (sum - part)) + (b.value - part);
  return Compensated(sum, a.error + b.error + error);
}

template <typename T>
double real_answer(Op op, std::span<const T> in) {
  if (op == Op::product) {
    using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
    return static_cast<double>(fold(in, Wide{1}, [](Wide a, Wide b) { return a * b; }));
  }
  if constexpr (std::is_same_v<T, float>) return fold(in, 0.0, [](double a, double b) { return a + b; });
  const Compensated sum = fold(in, Compensated(0), plus);
  return sum.value + sum.error;
}

/// Does the true result lie outside T? Sums exactly; products by magnitude, in a range that takes any of ours.
template <typename T>
bool wraps(Op op, std::span<const T> in) {
  if (op == Op::product) {
    const double size = fold(in, 1.0, [](double a, double b) { return a * std::fabs(b); });  // inf says so, too
    return size >= std::ldexp(1.0, std::numeric_limits<T>::digits);
  }
  if (op != Op::sum) return false;
  using Wide = std::conditional_t<sizeof(T) == 4, std::int64_t, __int128>;
  const Wide sum = fold(in, Wide{0}, [](Wide a, Wide b) { return a + b; });
  return sum != static_cast<T>(sum);
}

template <typename T>
Expected answer_of(Op op, std::span<const T> in) {
  Expected expected;
  expected.buffer = "out";
  if constexpr (std::is_floating_point_v<T>) {
    if (op == Op::sum || op == Op::product) {
      expected.real = {real_answer(op, in)};
      if (std::fabs(expected.real[0]) <= double{std::numeric_limits<T>::max()}) return expected;
      // Of factors from 1 on: what has left the range does not come back, whatever the order.
      const T beyond = std::numeric_limits<T>::infinity();
      return {.buffer = "out",
              .exact = bytes_of(std::span(&beyond, 1)),
              .note = "the result is infinite: beyond the type's range"};
    }
  }
  const T result = fold(in, neutral_of<T>(op), [op](T a, T b) { return combine(op, a, b); });
  expected.exact = bytes_of(std::span(&result, 1));
  if constexpr (std::is_integral_v<T>) {
    if (wraps(op, in)) expected.note = sizeof(T) == 4 ? "the result wraps modulo 2^32" : "the result wraps modulo 2^64";
  }
  return expected;
}

/// Factors: floats near 1, the nearer the more there are, so that no partial product leaves float's range (the
/// logarithm of n of them has mean -11 and deviation 5); integers odd, so that no product becomes 0 modulo 2^32.
std::vector<std::byte> factors(const Case& c) {
  const auto count = static_cast<std::size_t>(c.n());
  if (is_floating(c.type())) {
    const double spread = std::min(0.5, 8 / std::sqrt(static_cast<double>(count) + 1));
    return random_values(c.type(), count, c.seed, 1 - spread, 1 + spread);
  }
  auto bytes = random_values(c.type(), count, c.seed, -99, 99);
  with_element_type(c.type(), [&](auto zero) {
    if constexpr (std::is_integral_v<decltype(zero)>) {
      for (auto& factor : view_as<decltype(zero)>(bytes)) factor |= 1;
    }
  });
  return bytes;
}

}  // namespace

// Integer sums take the lecture's 0 to 99 (64-bit ones more, so that the upper half counts); minima and maxima the
// whole range, so that hardly two elements are equal and a lost one shows.
std::vector<std::byte> inputs(const Case& c) {
  const auto random = [&](double low, double high) {
    return random_values(c.type(), static_cast<std::size_t>(c.n()), c.seed, low, high);
  };
  const Op op = op_of(c.params);
  if (counts_up(c)) return counting_values(c.type(), static_cast<std::size_t>(c.n()));
  if (op == Op::product) return factors(c);
  if (is_floating(c.type())) return random(-largest_summand, largest_summand);
  if (op == Op::sum) return random(0, c.type() == Scalar::i64 ? 0x1p40 : 99);
  return random(-0x1p63, 0x1p63);
}

std::vector<std::byte> neutral(const Case& c) {
  return with_element_type(c.type(), [&](auto zero) {
    const auto value = neutral_of<decltype(zero)>(op_of(c.params));
    return bytes_of(std::span(&value, 1));
  });
}

Expected answer(const Case& c, const std::vector<std::byte>& in) {
  return with_element_type(c.type(),
                           [&](auto zero) { return answer_of(op_of(c.params), view_as<decltype(zero)>(in)); });
}

// Every operation rounds with a relative error of at most u, the unit roundoff.
//
// Sums: the error is, to first order, the sum of (partial sum x rounding error) over all additions. In the worst case
// that is gamma_d * sum |x|, gamma_d = d u / (1 - d u). Rounding errors do not conspire, though, and neither do our
// independent summands of mean 0 and magnitude C: with a probability beyond 1 - 1e-7 a partial sum of m of them is
// below lambda C sqrt(m), and the errors add up to less than lambda u sqrt(sum of squared partial sums). The m of all
// additions sum up to at most n d, so the error is below lambda^2 C u sqrt(n d), lambda = 6.
//   N. J. Higham, T. Mary: A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019;
//   Sharper Probabilistic Backward Error Analysis for Basic Linear Algebra Kernels with Random Data, 42, 2020.
// Products: each of the n - 1 roundings is a factor of the result, whatever their order: its relative error is below
// exp(lambda sqrt(n) u + n u^2) - 1.
double tolerance(const Case& c, double depth, double answer) {
  constexpr double lambda = 6;
  const double u = c.type() == Scalar::f32 ? 0x1p-24 : 0x1p-53;
  const double n = static_cast<double>(c.n());
  // 1, 2, 3 … are no random numbers of mean 0, and all of one sign: sum |x| is the answer, and every order's error is
  // below ((1 + u)^d - 1) sum |x|. For long chains that is wide; --type int is exact.
  if (counts_up(c) && op_of(c.params) == Op::sum) return std::expm1(depth * std::log1p(u)) * std::fabs(answer);
  if (op_of(c.params) == Op::product) return std::fabs(answer) * std::expm1(lambda * std::sqrt(n) * u + n * u * u);
  const double likely = lambda * lambda * largest_summand * u * std::sqrt(n * depth);
  if (depth * u >= 1) return likely;
  return std::min(likely, depth * u / (1 - depth * u) * n * largest_summand);
}

void fold_on_host(const HostCall& call) {
  const Op op = op_of(*call.params);
  with_element_type(*scalar_named(call.params->word("type")), [&](auto zero) {
    using T = decltype(zero);
    T total = neutral_of<T>(op);
    for (const T x : view_as<T>(std::span<const std::byte>(call.buffers.at("in")))) total = combine(op, total, x);
    view_as<T>(call.buffers.at("out"))[0] = total;
  });
}

}  // namespace gpulab::labs::reduce
