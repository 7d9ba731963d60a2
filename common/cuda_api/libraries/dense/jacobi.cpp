#include "common/cuda_api/libraries/dense/jacobi.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/cuda_api/libraries/dense/qr.h"

namespace gpulab::libraries {
namespace {

constexpr int kMostSweeps = 60;
/// Rotations end where what is left is this small beside the rest.
template <typename W>
constexpr RealOf<W> kSmall = 4 * std::numeric_limits<RealOf<W>>::epsilon();

template <typename W>
RealOf<W> size_of(W x) {
  return std::abs(x);
}

/// Columns p and q become c p - s phase^* q and s phase p + c q, so that what stood between them is 0.
template <typename W>
struct Rotation {
  using R = RealOf<W>;
  R c = 1, s = 0;
  W phase = 1;

  /// Of two diagonal entries and what stands between them.
  Rotation(R pp, R qq, W pq) {
    const R between = size_of(pq);
    phase = pq / between;
    const R zeta = (qq - pp) / (2 * between);
    const R t = (zeta >= 0 ? 1 : -1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
    c = 1 / std::sqrt(1 + t * t);
    s = c * t;
  }
  void turn(W* p, W* q, i64 count) const {
    for (i64 i = 0; i < count; ++i) {
      const W one = p[i], other = q[i];
      p[i] = c * one - s * conjugate(phase) * other;
      q[i] = s * phase * one + c * other;
    }
  }
};

template <typename W>
std::vector<W> identity(i64 n) {
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 i = 0; i < n; ++i) made[static_cast<std::size_t>(i * n + i)] = 1;
  return made;
}

/// The columns in the order of their values.
template <typename W>
void sort(std::vector<RealOf<W>>& values, std::vector<W>& columns, i64 rows, bool ascending,
          std::vector<i64>* order = nullptr) {
  std::vector<i64> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](i64 a, i64 b) {
    const RealOf<W> x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
    return ascending ? x < y : x > y;
  });
  std::vector<RealOf<W>> sorted;
  std::vector<W> moved;
  for (const i64 place : places) {
    sorted.push_back(values[static_cast<std::size_t>(place)]);
    const auto first = columns.begin() + place * rows;
    moved.insert(moved.end(), first, first + rows);
  }
  values = std::move(sorted);
  columns = std::move(moved);
  if (order != nullptr) *order = std::move(places);
}

}  // namespace

template <typename W>
std::vector<RealOf<W>> eigen(std::vector<W>& a, i64 n, int* sweeps, bool sorted) {
  std::vector<W> vectors = identity<W>(n);
  W* const at = a.data();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    RealOf<W> beside = 0, all = 0;
    for (i64 j = 0; j < n; ++j)
      for (i64 i = 0; i < n; ++i) (i == j ? all : beside) += size_of(at[j * n + i]) * size_of(at[j * n + i]);
    if (sweeps != nullptr) *sweeps = sweep;
    if (!(std::sqrt(beside) > kSmall<W> * std::sqrt(all + beside))) break;
    for (i64 p = 0; p < n; ++p)
      for (i64 q = p + 1; q < n; ++q) {
        const W pq = at[q * n + p];
        const RealOf<W> pp = real_part(at[p * n + p]), qq = real_part(at[q * n + q]);
        if (!(size_of(pq) > RealOf<W>(1e-22) * std::sqrt(std::fabs(pp * qq))) || size_of(pq) < 1e-300) continue;
        const Rotation<W> rotation(pp, qq, pq);
        rotation.turn(at + p * n, at + q * n, n);
        for (i64 i = 0; i < n; ++i) {  // the rows: the same, conjugated
          const W one = at[i * n + p], other = at[i * n + q];
          at[i * n + p] = rotation.c * one - rotation.s * rotation.phase * other;
          at[i * n + q] = rotation.s * conjugate(rotation.phase) * one + rotation.c * other;
        }
        rotation.turn(vectors.data() + p * n, vectors.data() + q * n, n);
      }
  }
  std::vector<RealOf<W>> values;
  for (i64 i = 0; i < n; ++i) values.push_back(real_part(at[i * n + i]));
  a = std::move(vectors);
  if (sorted) sort(values, a, n, true);
  return values;
}

template <typename W>
std::vector<RealOf<W>> singular(std::vector<W>& a, i64 m, i64 n, std::vector<W>& v, int* sweeps, bool sorted) {
  v = identity<W>(n);
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    if (sweeps != nullptr) *sweeps = sweep;
    turned = false;
    for (i64 p = 0; p < n; ++p)
      for (i64 q = p + 1; q < n; ++q) {
        W* const one = a.data() + p * m;
        W* const other = a.data() + q * m;
        RealOf<W> pp = 0, qq = 0;
        W pq = 0;
        for (i64 i = 0; i < m; ++i) {
          pp += size_of(one[i]) * size_of(one[i]);
          qq += size_of(other[i]) * size_of(other[i]);
          pq += conjugate(one[i]) * other[i];
        }
        if (!(size_of(pq) > kSmall<W> * std::sqrt(pp * qq)) || size_of(pq) < 1e-300) continue;
        turned = true;
        const Rotation<W> rotation(pp, qq, pq);
        rotation.turn(one, other, m);
        rotation.turn(v.data() + p * n, v.data() + q * n, n);
      }
  }
  std::vector<RealOf<W>> values;
  for (i64 j = 0; j < n; ++j) {
    RealOf<W> sum = 0;
    for (i64 i = 0; i < m; ++i)
      sum += size_of(a[static_cast<std::size_t>(j * m + i)]) * size_of(a[static_cast<std::size_t>(j * m + i)]);
    values.push_back(std::sqrt(sum));
    for (i64 i = 0; i < m && sum > 0; ++i) a[static_cast<std::size_t>(j * m + i)] /= values.back();
  }
  if (!sorted) return values;
  auto again = values;
  sort(values, a, m, false);
  sort(again, v, n, false);
  return values;
}

template <typename W>
Singular<W> decompose(std::vector<W> a, i64 m, i64 n, i64 left, i64 right, bool sorted) {
  if (m < n) {  // A^H = V diag(values) U^H
    std::vector<W> turned(a.size());
    for (i64 j = 0; j < n; ++j)
      for (i64 i = 0; i < m; ++i)
        turned[static_cast<std::size_t>(i * n + j)] = conjugate(a[static_cast<std::size_t>(j * m + i)]);
    Singular<W> made = decompose(std::move(turned), n, m, right, left, sorted);
    std::swap(made.u, made.v);
    return made;
  }
  Singular<W> made;
  made.values = singular(a, m, n, made.v, &made.sweeps, sorted);
  made.v.resize(static_cast<std::size_t>(n * std::min(n, right)));
  if (left == 0) return made;
  // What completes the columns: the reflections that make them a triangle.
  auto reflected = a;
  std::vector<W> tau(static_cast<std::size_t>(n));
  factorise_qr(reflected.data(), m, n, m, tau.data());
  made.u.resize(static_cast<std::size_t>(m * left));
  for (i64 i = 0; i < left; ++i) made.u[static_cast<std::size_t>(i * m + i)] = 1;
  apply_q(reflected.data(), m, tau.data(), n, false, false, made.u.data(), m, left);
  for (i64 j = 0; j < std::min(n, left); ++j)
    if (made.values[static_cast<std::size_t>(j)] > 0) std::copy_n(a.begin() + j * m, m, made.u.begin() + j * m);
  return made;
}

#define GPULAB_JACOBI(W)                                                                            \
  template std::vector<RealOf<W>> eigen(std::vector<W>&, i64, int*, bool);                          \
  template std::vector<RealOf<W>> singular(std::vector<W>&, i64, i64, std::vector<W>&, int*, bool); \
  template Singular<W> decompose(std::vector<W>, i64, i64, i64, i64, bool);
GPULAB_JACOBI(double)
GPULAB_JACOBI(Complex)
GPULAB_JACOBI(Precise)
GPULAB_JACOBI(PreciseComplex)
#undef GPULAB_JACOBI

}  // namespace gpulab::libraries
