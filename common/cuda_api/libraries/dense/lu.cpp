#include "common/cuda_api/libraries/dense/lu.h"

#include <algorithm>
#include <cmath>

#include "common/cuda_api/libraries/products/product.h"

namespace gpulab::libraries {
namespace {

constexpr i64 kPanel = 32;

template <typename W>
void exchange(W* a, i64 ld, i64 columns, i64 one, i64 other) {
  if (one == other) return;
  for (i64 j = 0; j < columns; ++j) std::swap(a[j * ld + one], a[j * ld + other]);
}

/// Columns [first, first + count), all rows from `first` on.
template <typename W>
void panel(W* a, i64 m, i64 n, i64 first, i64 count, std::vector<i64>& pivots, bool pivoting, i64& info) {
  for (i64 j = first; j < first + count; ++j) {
    W* column = a + j * m;
    i64 best = j;
    for (i64 i = j + 1; pivoting && i < m; ++i)
      if (taxi_size(column[i]) > taxi_size(column[best])) best = i;  // as izamax: LAPACK's pivots
    pivots[static_cast<std::size_t>(j)] = best;
    if (column[best] == W(0)) {
      if (info == 0) info = j + 1;
      continue;
    }
    exchange(a, m, n, j, best);
    for (i64 i = j + 1; i < m; ++i) column[i] = column[i] / column[j];
    for (i64 k = j + 1; k < first + count; ++k) {
      const W factor = a[k * m + j];
      if (factor == W(0)) continue;
      for (i64 i = j + 1; i < m; ++i) a[k * m + i] -= column[i] * factor;
    }
  }
}

}  // namespace

template <typename W>
i64 factorise_lu(W* a, i64 m, i64 n, std::vector<i64>& pivots, bool pivoting) {
  const i64 steps = std::min(m, n);
  pivots.assign(static_cast<std::size_t>(steps), 0);
  i64 info = 0;
  for (i64 first = 0; first < steps; first += kPanel) {
    const i64 count = std::min(kPanel, steps - first), behind = first + count;
    panel(a, m, n, first, count, pivots, pivoting, info);
    // The rows of U beside the panel, and what is left below.
    for (i64 k = behind; k < n; ++k)
      for (i64 j = first; j < behind; ++j) {
        const W factor = a[k * m + j];
        for (i64 i = j + 1; i < behind; ++i) a[k * m + i] -= a[j * m + i] * factor;
      }
    add_product(m - behind, n - behind, count, Factor<W>{a + first * m + behind, 1, m},
                Factor<W>{a + behind * m + first, 1, m}, -1, a + behind * m + behind, m);
  }
  return info;
}

template <typename W>
void solve_lu(const W* a, i64 n, const std::vector<i64>& pivots, Solve how, W* b, i64 columns) {
  const auto at = [&](i64 i, i64 j) { return how == Solve::conjugated ? conjugate(a[j * n + i]) : a[j * n + i]; };
  const auto count = static_cast<i64>(pivots.size());
  if (how == Solve::plain)
    for (i64 i = 0; i < count; ++i) exchange(b, n, columns, i, pivots[static_cast<std::size_t>(i)]);
  for (i64 column = 0; column < columns; ++column) {
    W* x = b + column * n;
    if (how == Solve::plain) {
      for (i64 j = 0; j < n; ++j)
        for (i64 i = j + 1; i < n; ++i) x[i] -= at(i, j) * x[j];
      for (i64 j = n; j-- > 0;) {
        x[j] = x[j] / at(j, j);
        for (i64 i = 0; i < j; ++i) x[i] -= at(i, j) * x[j];
      }
    } else {
      for (i64 j = 0; j < n; ++j) {
        for (i64 i = 0; i < j; ++i) x[j] -= at(i, j) * x[i];
        x[j] = x[j] / at(j, j);
      }
      for (i64 j = n; j-- > 0;)
        for (i64 i = j + 1; i < n; ++i) x[j] -= at(i, j) * x[i];
    }
  }
  if (how != Solve::plain)
    for (i64 i = count; i-- > 0;) exchange(b, n, columns, i, pivots[static_cast<std::size_t>(i)]);
}

template i64 factorise_lu(double*, i64, i64, std::vector<i64>&, bool);
template i64 factorise_lu(Complex*, i64, i64, std::vector<i64>&, bool);
template void solve_lu(const double*, i64, const std::vector<i64>&, Solve, double*, i64);
template void solve_lu(const Complex*, i64, const std::vector<i64>&, Solve, Complex*, i64);
template i64 factorise_lu(Precise*, i64, i64, std::vector<i64>&, bool);
template i64 factorise_lu(PreciseComplex*, i64, i64, std::vector<i64>&, bool);
template void solve_lu(const Precise*, i64, const std::vector<i64>&, Solve, Precise*, i64);
template void solve_lu(const PreciseComplex*, i64, const std::vector<i64>&, Solve, PreciseComplex*, i64);

}  // namespace gpulab::libraries
