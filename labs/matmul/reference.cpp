#include "labs/matmul/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "common/short_float.h"

namespace gpulab::labs::matmul {
namespace {

/// Integers up to 99 as in the lectures; floating point in [-1, 1): sums stay small, and their error bounds sharp.
constexpr double largest_integer = 99;

std::vector<double> as_doubles(Scalar type, const std::vector<std::byte>& bytes) {
  const auto converted = [&](auto values, auto value_of) {
    std::vector<double> all(values.size());
    std::ranges::transform(values, all.begin(), value_of);
    return all;
  };
  if (type == Scalar::f16) return converted(view_as<std::uint16_t>(bytes), half_value);
  if (type == Scalar::bf16) return converted(view_as<std::uint16_t>(bytes), bfloat16_value);
  return with_element_type(type, [&](auto zero) {
    using T = decltype(zero);
    return converted(view_as<T>(bytes), [](T value) { return static_cast<double>(value); });
  });
}

/// Rows [first, last) of c += a b. Four rows at once share each row of b; strips of columns and slices of k stay in the
/// first two levels of cache.
void multiply_rows(const double* a, const double* b, double* c, const Sizes& size, std::int64_t first,
                   std::int64_t last) {
  constexpr std::int64_t rows = 4, strip = 512, depth = 128;
  for (std::int64_t left = 0; left < size.n; left += strip) {
    const std::int64_t columns = std::min(strip, size.n - left);
    for (std::int64_t top = 0; top < size.k; top += depth) {
      const std::int64_t end = std::min(size.k, top + depth);
      for (std::int64_t i = first; i < last; i += rows) {
        const std::int64_t count = std::min(rows, last - i);
        for (std::int64_t l = top; l < end; ++l) {
          const double* from = b + l * size.n + left;
          double* to = c + i * size.n + left;
          if (count < rows) {
            for (std::int64_t r = 0; r < count; ++r) {
              const double factor = a[(i + r) * size.k + l];
              for (std::int64_t j = 0; j < columns; ++j) to[r * size.n + j] += factor * from[j];
            }
            continue;
          }
          const double a0 = a[i * size.k + l], a1 = a[(i + 1) * size.k + l], a2 = a[(i + 2) * size.k + l],
                       a3 = a[(i + 3) * size.k + l];
          double* __restrict__ c0 = to;
          double* __restrict__ c1 = to + size.n;
          double* __restrict__ c2 = to + 2 * size.n;
          double* __restrict__ c3 = to + 3 * size.n;
          for (std::int64_t j = 0; j < columns; ++j) {
            c0[j] += a0 * from[j];
            c1[j] += a1 * from[j];
            c2[j] += a2 * from[j];
            c3[j] += a3 * from[j];
          }
        }
      }
    }
  }
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, const Sizes& size) {
  std::vector<double> c(static_cast<std::size_t>(size.m * size.n));
  // A thread is worth its start from some milliseconds of work on.
  const double work = static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
  const auto threads = static_cast<std::int64_t>(
      std::clamp(work / 0x1p24, 1.0, static_cast<double>(std::max(1U, std::thread::hardware_concurrency()))));
  const std::int64_t share = (size.m + threads - 1) / threads;
  std::vector<std::jthread> others;
  for (std::int64_t first = share; first < size.m; first += share) {
    others.emplace_back(
        [&, first] { multiply_rows(a.data(), b.data(), c.data(), size, first, std::min(size.m, first + share)); });
  }
  multiply_rows(a.data(), b.data(), c.data(), size, 0, std::min(size.m, share));
  others.clear();  // joins
  return c;
}

double unit_roundoff(Scalar type) {
  switch (type) {
    case Scalar::f16:
      return 0x1p-11;
    case Scalar::bf16:
      return 0x1p-8;
    case Scalar::f32:
      return 0x1p-24;
    default:
      return 0x1p-53;
  }
}

/// gamma_k = k u / (1 - k u).
double gamma(double k, double u) { return k * u < 1 ? k * u / (1 - k * u) : std::numeric_limits<double>::infinity(); }

/// At least the largest element of |a| |b|: by Cauchy and Schwarz it is at most the longest row of a times the longest
/// column of b, which costs no second product.
double largest_of_magnitudes(const std::vector<double>& a, const std::vector<double>& b, const Sizes& size) {
  const auto m = static_cast<std::size_t>(size.m), n = static_cast<std::size_t>(size.n),
             k = static_cast<std::size_t>(size.k);
  double row = 0;
  std::vector<double> columns(n);
  for (std::size_t i = 0; i < m; ++i) {
    double squares = 0;
    for (std::size_t l = 0; l < k; ++l) squares += a[i * k + l] * a[i * k + l];
    row = std::max(row, squares);
  }
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t j = 0; j < n; ++j) columns[j] += b[l * n + j] * b[l * n + j];
  }
  const double column = n > 0 ? *std::ranges::max_element(columns) : 0;
  return std::sqrt(row * column) * (1 + 0x1p-40);  // its own roundings
}

/// Each element of c is a sum of k products, in any order: its error is at most gamma_k (|a| |b|)_ij, where u is that
/// of the type of the sums (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.5). Products
/// of 16-bit factors are exact in float; the sum is rounded once more, to the type of c. Of double, the answer that we
/// compare with is no better than the one that is compared: twice the bound.
double tolerance(Scalar type, double k, double magnitudes, double largest_result, double u_of_sums) {
  const double sums = gamma(k, u_of_sums) * magnitudes;
  if (type == Scalar::f64) return 2 * sums;
  if (type == Scalar::f32) return sums;
  constexpr double least_step = 0x1p-24;  // of subnormal halves; those of bfloat16 are smaller
  return sums + unit_roundoff(type) * (largest_result + sums) + least_step / 2;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

/// Sums of integers are exact in double as long as they stay below 2^53, that is for k up to 2^39.
Expected wrapped(const std::vector<double>& sums) {
  std::vector<std::int32_t> results(sums.size());
  bool wraps = false;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto sum = static_cast<std::int64_t>(sums[i]);
    results[i] = static_cast<std::int32_t>(sum);
    wraps |= sum != results[i];
  }
  return {.buffer = "c",
          .exact = bytes_of(std::span<const std::int32_t>(results)),
          .note = wraps ? "sums wrap modulo 2^32" : ""};
}

template <typename T>
void multiply(std::span<const T> a, std::span<const T> b, std::span<T> c, const Sizes& size) {
  using Wrapping =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  const auto m = static_cast<std::size_t>(size.m), n = static_cast<std::size_t>(size.n),
             k = static_cast<std::size_t>(size.k);
  std::ranges::fill(c, T{0});
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) {
      const auto factor = static_cast<Wrapping>(a[i * k + l]);
      for (std::size_t j = 0; j < n; ++j) {
        c[i * n + j] =
            static_cast<T>(static_cast<Wrapping>(c[i * n + j]) + factor * static_cast<Wrapping>(b[l * n + j]));
      }
    }
  }
}

}  // namespace

Sizes sizes(const Params& params) { return {params.integer("m"), params.integer("n"), params.integer("k")}; }

Problem problem(const Case& c) {
  const Sizes size = sizes(c.params);
  const Scalar type = c.type();
  const double high = is_floating(type) ? 1 : largest_integer;
  const auto a_count = static_cast<std::size_t>(size.m * size.k), b_count = static_cast<std::size_t>(size.k * size.n);
  Problem p;
  p.buffers = {{"a", type, a_count, BufferRole::input, random_values(type, a_count, c.seed, -high, high, 0)},
               {"b", type, b_count, BufferRole::input, random_values(type, b_count, c.seed, -high, high, 1)},
               {"c", type, static_cast<std::size_t>(size.m * size.n), BufferRole::output}};
  const auto a = as_doubles(type, p.buffers[0].initial), b = as_doubles(type, p.buffers[1].initial);
  const auto sums = product(a, b, size);
  if (!is_floating(type)) {
    p.expected = {wrapped(sums)};
    return p;
  }
  const double u = type == Scalar::f64 ? 0x1p-53 : 0x1p-24;
  const double bound =
      tolerance(type, static_cast<double>(size.k), largest_of_magnitudes(a, b, size), largest(sums), u);
  p.expected = {{.buffer = "c", .real = sums, .tolerance = bound}};
  return p;
}

// A tensor core adds 4 to 16 exact products and the sum so far at once: it aligns them to the largest exponent and cuts
// off 0 (Volta) to 2 (Hopper) bits below float's last, instead of rounding. With s products each of the s + 2 cuts is
// below 2^-23 of the largest term, which is at most |a| |b|: over k / s such steps (1 + 2 / s) k 2^-23 <= k 2^-22.
// TF32 keeps 11 bits of a float, rounded to nearest: each factor is off by 2^-11 of itself, a product by 2^-10 + 2^-22.
//   M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh: Numerical behavior of NVIDIA tensor cores, PeerJ Comput. Sci. 7,
//   2021
namespace {

/// `lost`: of a product of two floats, relative to it, by shortening its factors.
void allow_for_short_factors(const Case& c, Problem& problem, double lost) {
  if (problem.expected[0].real.empty()) return;
  const Sizes size = sizes(c.params);
  const Scalar type = c.type();
  const auto a = as_doubles(type, problem.buffers[0].initial), b = as_doubles(type, problem.buffers[1].initial);
  const double magnitudes = largest_of_magnitudes(a, b, size);
  const double rounded_factors = type == Scalar::f32 ? lost : 0;
  problem.expected[0].tolerance =
      rounded_factors * magnitudes + tolerance(type, static_cast<double>(size.k), (1 + rounded_factors) * magnitudes,
                                               largest(problem.expected[0].real), 0x1p-22);
}

}  // namespace

void allow_for_tensor_core(const Case& c, Problem& problem) { allow_for_short_factors(c, problem, 0x1p-10 + 0x1p-22); }
void allow_for_truncation(const Case& c, Problem& problem) { allow_for_short_factors(c, problem, 0x1p-9 + 0x1p-20); }

void multiply_on_host(const HostCall& call) {
  with_element_type(*scalar_named(call.params->word("type")), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const std::byte> a = call.buffers.at("a"), b = call.buffers.at("b");
    multiply(view_as<T>(a), view_as<T>(b), view_as<T>(call.buffers.at("c")), sizes(*call.params));
  });
}

}  // namespace gpulab::labs::matmul
