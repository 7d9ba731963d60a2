#include "common/cuda_api/libraries/products/product.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "common/cuda_api/libraries/library.h"

namespace gpulab::libraries {
namespace {

// A block of a (kRowsAtOnce x kDepth) stays in the second cache while the columns of b pass by, kWide at a time.
constexpr i64 kHigh = 8, kWide = 6, kDepth = 64, kRowsAtOnce = 96, kColumnsAtOnce = 1536;

using Vector = double __attribute__((vector_size(kHigh * sizeof(double))));

/// Sums of a strip of kHigh rows by kWide columns over `depth`.
[[gnu::always_inline]] inline void strip(i64 depth, const double* a, const double* b, double* sums) {
  Vector s[kWide] = {};
  for (i64 p = 0; p < depth; ++p) {
    Vector column;
    __builtin_memcpy(&column, a + p * kHigh, sizeof column);
#pragma GCC unroll 6
    for (int j = 0; j < kWide; ++j) s[j] += column * b[p * kWide + j];
  }
  __builtin_memcpy(sums, s, sizeof s);
}

using Strip = void (*)(i64, const double*, const double*, double*);
void strip_anywhere(i64 depth, const double* a, const double* b, double* sums) { strip(depth, a, b, sums); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void strip_avx2(i64 depth, const double* a, const double* b, double* sums) {
  strip(depth, a, b, sums);
}
[[gnu::target("avx512f,fma")]] void strip_avx512(i64 depth, const double* a, const double* b, double* sums) {
  strip(depth, a, b, sums);
}
Strip best_strip() {
  if (__builtin_cpu_supports("avx512f") != 0) return strip_avx512;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return strip_avx2;
  return strip_anywhere;
}
#else
Strip best_strip() { return strip_anywhere; }
#endif

/// Strips of `step` rows (or columns), depth by depth, padded with zeros.
void pack(const double* from, i64 along, i64 deep, i64 count, i64 depth, i64 step, double* to) {
  for (i64 first = 0; first < count; first += step) {
    const i64 real = std::min(step, count - first);
    for (i64 p = 0; p < depth; ++p) {
      const double* source = from + first * along + p * deep;
      for (i64 i = 0; i < real; ++i) to[i] = source[i * along];
      for (i64 i = real; i < step; ++i) to[i] = 0;
      to += step;
    }
  }
}

struct Problem {
  i64 m, n, k;
  View a, b;
  double sign;
  Target c;
};

void add_strip(const Problem& p, i64 row, i64 column, const double* sums) {
  const i64 high = std::min(kHigh, p.m - row), wide = std::min(kWide, p.n - column);
  for (i64 j = 0; j < wide; ++j)
    for (i64 i = 0; i < high; ++i)
      p.c.data[(row + i) * p.c.down + (column + j) * p.c.right] += p.sign * sums[j * kHigh + i];
}

/// Columns [first, end) of c.
void columns(const Problem& p, i64 first, i64 end) {
  static const Strip best = best_strip();
  const auto up = [](i64 x, i64 step) { return (x + step - 1) / step * step; };
  const i64 most_depth = std::min(kDepth, p.k), most_wide = std::min(kColumnsAtOnce, up(end - first, kWide));
  std::vector<double> b(static_cast<std::size_t>(most_depth * most_wide));
  std::vector<double> a(static_cast<std::size_t>(most_depth * std::min(kRowsAtOnce, up(p.m, kHigh))));
  alignas(64) double sums[kHigh * kWide];
  for (i64 j = first; j < end; j += kColumnsAtOnce) {
    const i64 wide = std::min(kColumnsAtOnce, end - j);
    for (i64 deep = 0; deep < p.k; deep += kDepth) {
      const i64 depth = std::min(kDepth, p.k - deep);
      pack(p.b.data + deep * p.b.down + j * p.b.right, p.b.right, p.b.down, wide, depth, kWide, b.data());
      for (i64 i = 0; i < p.m; i += kRowsAtOnce) {
        const i64 high = std::min(kRowsAtOnce, p.m - i);
        pack(p.a.data + i * p.a.down + deep * p.a.right, p.a.down, p.a.right, high, depth, kHigh, a.data());
        for (i64 jj = 0; jj < wide; jj += kWide)
          for (i64 ii = 0; ii < high; ii += kHigh) {
            best(depth, a.data() + ii * depth, b.data() + jj * depth, sums);
            add_strip(p, i + ii, j + jj, sums);
          }
      }
    }
  }
}

/// A strip of `high` rows by one column: sums that do not wait for each other.
template <i64 high>
void precise_strip(i64 k, const Precise* a, i64 down, i64 right, const Precise* b, Precise sign, Precise* c,
                   i64 c_down) {
  Precise sums[high] = {};
  for (i64 p = 0; p < k; ++p)
    for (i64 i = 0; i < high; ++i) sums[i] += a[i * down + p * right] * b[p];
  for (i64 i = 0; i < high; ++i) c[i * c_down] += sign * sums[i];
}

/// Parts of numbers: element (i, j) of a is a[i * a_down + j * a_right], as of a View.
struct PreciseView {
  const Precise* data;
  i64 down, right;
};
void add_precise(i64 m, i64 n, i64 k, const PreciseView& a, const PreciseView& b, Precise sign, Precise* c, i64 c_down,
                 i64 c_right) {
  constexpr i64 high = 4;
  std::vector<Precise> column(static_cast<std::size_t>(std::max<i64>(k, 0)));
  for (i64 j = 0; j < n && k > 0; ++j) {
    for (i64 p = 0; p < k; ++p) column[static_cast<std::size_t>(p)] = b.data[p * b.down + j * b.right];
    Precise* const to = c + j * c_right;
    i64 i = 0;
    for (; i + high <= m; i += high)
      precise_strip<high>(k, a.data + i * a.down, a.down, a.right, column.data(), sign, to + i * c_down, c_down);
    for (; i < m; ++i)
      precise_strip<1>(k, a.data + i * a.down, a.down, a.right, column.data(), sign, to + i * c_down, c_down);
  }
}

}  // namespace

bool byte_product_exists(bool transposed_a, bool transposed_b, i64 m, i64 n, i64 k, bool single) {
  constexpr i64 word = 4, few = 16, low = 32, deep = 128, wide = 32, tile = 8;
  const bool splits = m < low || k >= deep;
  const bool rows_of_tiles = !transposed_a || m % wide == 0;
  if (!transposed_b) {
    if (n <= few) return true;
    if (k % word == 0 && (transposed_a || (m % word == 0 && splits))) return true;
    return single && n % wide == 0 && rows_of_tiles;
  }
  if (m % word == 0 && splits && (!transposed_a || (n % word == 0 && k % word == 0))) return true;
  return single && n % tile == 0 && rows_of_tiles;
}

void add_product(i64 m, i64 n, i64 k, const View& a, const View& b, double sign, const Target& c) {
  if (m <= 0 || n <= 0 || k <= 0) return;
  const Problem problem{m, n, k, a, b, sign, c};
  constexpr double worth_a_thread = 4e6;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto most = static_cast<i64>(std::min(work / worth_a_thread, 256.0));
  const i64 threads =
      work < 2 * worth_a_thread ? 1 : std::min({most, i64{runtime().threads()}, (n + kWide - 1) / kWide});
  if (threads <= 1) {
    columns(problem, 0, n);
    return;
  }
  const i64 share = ((n + threads - 1) / threads + kWide - 1) / kWide * kWide;
  std::vector<std::thread> helpers;
  for (i64 first = share; first < n; first += share)
    helpers.emplace_back([&, first] { columns(problem, first, std::min(n, first + share)); });
  columns(problem, 0, std::min(n, share));
  for (auto& helper : helpers) helper.join();
}

void add_product(i64 m, i64 n, i64 k, const Factor<double>& a, const Factor<double>& b, double sign, double* c,
                 i64 c_right) {
  add_product(m, n, k, View{a.data, a.down, a.right}, View{b.data, b.down, b.right}, sign, Target{c, 1, c_right});
}

void add_product(i64 m, i64 n, i64 k, const Factor<Complex>& a, const Factor<Complex>& b, double sign, Complex* c,
                 i64 c_right) {
  const auto part = [](const Factor<Complex>& f, int which) {
    return View{reinterpret_cast<const double*>(f.data) + which, 2 * f.down, 2 * f.right};
  };
  auto* const sums = reinterpret_cast<double*>(c);
  const Target real{sums, 2, 2 * c_right}, imaginary{sums + 1, 2, 2 * c_right};
  const double of_a = a.conjugated ? -1 : 1, of_b = b.conjugated ? -1 : 1;
  add_product(m, n, k, part(a, 0), part(b, 0), sign, real);
  add_product(m, n, k, part(a, 1), part(b, 1), -sign * of_a * of_b, real);
  add_product(m, n, k, part(a, 0), part(b, 1), sign * of_b, imaginary);
  add_product(m, n, k, part(a, 1), part(b, 0), sign * of_a, imaginary);
}

void add_product(i64 m, i64 n, i64 k, const Factor<Precise>& a, const Factor<Precise>& b, double sign, Precise* c,
                 i64 c_right) {
  add_precise(m, n, k, {a.data, a.down, a.right}, {b.data, b.down, b.right}, sign, c, 1, c_right);
}

void add_product(i64 m, i64 n, i64 k, const Factor<PreciseComplex>& a, const Factor<PreciseComplex>& b, double sign,
                 PreciseComplex* c, i64 c_right) {
  const auto part = [](const Factor<PreciseComplex>& f, int which) {
    return PreciseView{reinterpret_cast<const Precise*>(f.data) + which, 2 * f.down, 2 * f.right};
  };
  auto* const sums = reinterpret_cast<Precise*>(c);
  const double of_a = a.conjugated ? -1 : 1, of_b = b.conjugated ? -1 : 1;
  add_precise(m, n, k, part(a, 0), part(b, 0), sign, sums, 2, 2 * c_right);
  add_precise(m, n, k, part(a, 1), part(b, 1), -sign * of_a * of_b, sums, 2, 2 * c_right);
  add_precise(m, n, k, part(a, 0), part(b, 1), sign * of_b, sums + 1, 2, 2 * c_right);
  add_precise(m, n, k, part(a, 1), part(b, 0), sign * of_a, sums + 1, 2, 2 * c_right);
}

}  // namespace gpulab::libraries
