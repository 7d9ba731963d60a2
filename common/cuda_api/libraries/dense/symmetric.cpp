#include "common/cuda_api/libraries/dense/symmetric.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpulab::libraries {
namespace {

template <typename W>
struct Lower {
  W* data;
  i64 n;
  W& operator()(i64 i, i64 j) const { return data[j * n + i]; }
};

struct Pivot {
  i64 row = 0, steps = 1;
  bool none = false;  ///< all is 0
};

/// Which row is exchanged, and how large D's block is: as LAPACK's sytf2 chooses.
template <typename W>
Pivot choose(const Lower<W>& a, i64 k) {
  using R = RealOf<W>;
  const R alpha = (1 + std::sqrt(R(17))) / 8;
  const R own = taxi_size(a(k, k));
  i64 most = k;
  R column = 0;
  for (i64 i = k + 1; i < a.n; ++i)
    if (taxi_size(a(i, k)) > column) column = taxi_size(a(i, k)), most = i;
  if (std::max(own, column) == 0) return {k, 1, true};
  if (own >= alpha * column) return {k, 1};
  R row = 0;
  for (i64 j = k; j < most; ++j) row = std::max(row, taxi_size(a(most, j)));
  for (i64 i = most + 1; i < a.n; ++i) row = std::max(row, taxi_size(a(i, most)));
  if (own >= alpha * column * (column / row)) return {k, 1};
  return {most, taxi_size(a(most, most)) >= alpha * row ? 1 : 2};
}

template <typename W>
void exchange(const Lower<W>& a, i64 k, const Pivot& pivot) {
  const i64 one = k + pivot.steps - 1, other = pivot.row;
  if (one == other) return;
  for (i64 i = other + 1; i < a.n; ++i) std::swap(a(i, one), a(i, other));
  for (i64 j = one + 1; j < other; ++j) std::swap(a(j, one), a(other, j));
  std::swap(a(one, one), a(other, other));
  if (pivot.steps == 2) std::swap(a(k + 1, k), a(other, k));
}

template <typename W>
void eliminate_one(const Lower<W>& a, i64 k) {
  const W by = W(1) / a(k, k);
  for (i64 j = k + 1; j < a.n; ++j) {
    const W factor = by * a(j, k);
    for (i64 i = j; i < a.n; ++i) a(i, j) -= a(i, k) * factor;
  }
  for (i64 i = k + 1; i < a.n; ++i) a(i, k) *= by;
}
template <typename W>
void eliminate_two(const Lower<W>& a, i64 k) {
  if (k + 2 >= a.n) return;
  const W beside = a(k + 1, k), d11 = a(k + 1, k + 1) / beside, d22 = a(k, k) / beside;
  const W by = W(1) / (d11 * d22 - W(1)) / beside;
  for (i64 j = k + 2; j < a.n; ++j) {
    const W first = by * (d11 * a(j, k) - a(j, k + 1)), second = by * (d22 * a(j, k + 1) - a(j, k));
    for (i64 i = j; i < a.n; ++i) a(i, j) -= a(i, k) * first + a(i, k + 1) * second;
    a(j, k) = first;
    a(j, k + 1) = second;
  }
}

}  // namespace

template <typename W>
i64 factorise_symmetric(W* data, i64 n, std::vector<i64>& pivots, bool pivoting) {
  const Lower<W> a{data, n};
  pivots.assign(static_cast<std::size_t>(n), 0);
  i64 info = 0;
  for (i64 k = 0; k < n;) {
    Pivot pivot = pivoting ? choose(a, k) : Pivot{k, 1, a(k, k) == W(0)};
    if (pivot.none) {
      if (info == 0) info = k + 1;
    } else {
      exchange(a, k, pivot);
      pivot.steps == 1 ? eliminate_one(a, k) : eliminate_two(a, k);
    }
    for (i64 i = 0; i < pivot.steps; ++i)
      pivots[static_cast<std::size_t>(k + i)] = pivot.steps == 1 ? pivot.row + 1 : -(pivot.row + 1);
    k += pivot.steps;
  }
  return info;
}

template <typename W>
void solve_symmetric(const W* data, i64 n, const std::vector<i64>& pivots, W* b, i64 columns) {
  const auto a = [&](i64 i, i64 j) { return data[j * n + i]; };
  const auto row = [&](i64 k) {  // one that points nowhere: none is exchanged
    const i64 named = std::abs(pivots[static_cast<std::size_t>(k)]) - 1;
    return named >= 0 && named < n ? named : k;
  };
  const auto is_two = [&](i64 k) { return pivots[static_cast<std::size_t>(k)] < 0 && k + 1 < n; };
  for (i64 column = 0; column < columns; ++column) {
    W* x = b + column * n;
    std::vector<i64> starts;
    for (i64 k = 0; k < n;) {
      starts.push_back(k);
      const i64 steps = is_two(k) ? 2 : 1;
      std::swap(x[k + steps - 1], x[row(k)]);
      for (i64 step = 0; step < steps; ++step)
        for (i64 i = k + steps; i < n; ++i) x[i] -= a(i, k + step) * x[k + step];
      if (steps == 1) {
        x[k] = x[k] / a(k, k);
      } else {
        const W beside = a(k + 1, k), one = a(k, k) / beside, other = a(k + 1, k + 1) / beside;
        const W left = x[k] / beside, right = x[k + 1] / beside, by = one * other - W(1);
        x[k] = (other * left - right) / by;
        x[k + 1] = (one * right - left) / by;
      }
      k += steps;
    }
    for (std::size_t at = starts.size(); at-- > 0;) {
      const i64 k = starts[at], steps = is_two(k) ? 2 : 1;
      for (i64 step = 0; step < steps; ++step)
        for (i64 i = k + steps; i < n; ++i) x[k + step] -= a(i, k + step) * x[i];
      std::swap(x[k + steps - 1], x[row(k)]);
    }
  }
}

#define GPULAB_SYMMETRIC(W)                                           \
  template i64 factorise_symmetric(W*, i64, std::vector<i64>&, bool); \
  template void solve_symmetric(const W*, i64, const std::vector<i64>&, W*, i64);
GPULAB_SYMMETRIC(double)
GPULAB_SYMMETRIC(Complex)
GPULAB_SYMMETRIC(Precise)
GPULAB_SYMMETRIC(PreciseComplex)
#undef GPULAB_SYMMETRIC

}  // namespace gpulab::libraries
