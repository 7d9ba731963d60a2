#include "common/cuda_api/libraries/dense/general_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/cuda_api/libraries/dense/qr.h"

namespace gpulab::libraries {
namespace {

template <typename W>
struct Square {
  W* data;
  i64 n;
  W& operator()(i64 i, i64 j) const { return data[j * n + i]; }
};

/// A becomes Q^H A Q, with nothing below the first diagonal under the main one.
template <typename W>
void to_hessenberg(const Square<W>& a, const Square<W>& q) {
  const i64 n = a.n;
  for (i64 k = 0; k + 2 < n; ++k) {
    const i64 count = n - k - 1;
    std::vector<W> v(&a(k + 1, k), &a(k + 1, k) + count);
    const W tau = reflection(v.data(), count);
    a(k + 1, k) = v[0];
    for (i64 i = k + 2; i < n; ++i) a(i, k) = 0;
    v[0] = 1;
    // H^H from the left, H from the right; H = I - tau v v^H.
    const auto right = [&](const Square<W>& of) {
      for (i64 i = 0; i < n; ++i) {
        W sum = 0;
        for (i64 j = 0; j < count; ++j) sum += of(i, k + 1 + j) * v[static_cast<std::size_t>(j)];
        for (i64 j = 0; j < count; ++j) of(i, k + 1 + j) -= sum * tau * std::conj(v[static_cast<std::size_t>(j)]);
      }
    };
    for (i64 j = k + 1; j < n; ++j) {
      W sum = 0;
      for (i64 i = 0; i < count; ++i) sum += std::conj(v[static_cast<std::size_t>(i)]) * a(k + 1 + i, j);
      for (i64 i = 0; i < count; ++i) a(k + 1 + i, j) -= std::conj(tau) * v[static_cast<std::size_t>(i)] * sum;
    }
    right(a);
    right(q);
  }
}

/// Of the lower right 2 x 2 of rows up to `at`: the eigenvalue nearer to its last element.
template <typename W>
W shift_of(const Square<W>& a, i64 at) {
  const W p = a(at - 1, at - 1), q = a(at - 1, at), r = a(at, at - 1), s = a(at, at);
  const W half = (p + s) / RealOf<W>(2), root = std::sqrt((p - s) * (p - s) / RealOf<W>(4) + q * r);
  return std::abs(half + root - s) < std::abs(half - root - s) ? half + root : half - root;
}

/// One QR step on rows and columns [low, high] by rotations of neighbours, applied to all of A and Q.
template <typename W>
void step(const Square<W>& a, const Square<W>& q, i64 low, i64 high, W shift) {
  using R = RealOf<W>;
  const i64 n = a.n;
  for (i64 i = low; i <= high; ++i) a(i, i) -= shift;
  std::vector<std::pair<R, W>> turns;
  for (i64 k = low; k < high; ++k) {
    const W x = a(k, k), y = a(k + 1, k);
    const R length = std::hypot(std::abs(x), std::abs(y));
    const W phase = std::abs(x) > 0 ? x / std::abs(x) : W(1);
    const R c = length > 0 ? std::abs(x) / length : R(1);
    const W s = length > 0 ? std::conj(phase) * y / length : W(0);  // row k: c x phase… , row k + 1 becomes 0
    turns.emplace_back(c, s);
    for (i64 j = k; j < n; ++j) {
      const W above = a(k, j), below = a(k + 1, j);
      a(k, j) = c * above + std::conj(s) * below;
      a(k + 1, j) = c * below - s * above;
    }
  }
  for (i64 k = low; k < high; ++k) {
    const auto [c, s] = turns[static_cast<std::size_t>(k - low)];
    const auto columns = [&, c = c, s = s](const Square<W>& of, i64 rows) {
      for (i64 i = 0; i < rows; ++i) {
        const W one = of(i, k), other = of(i, k + 1);
        of(i, k) = c * one + s * other;
        of(i, k + 1) = c * other - std::conj(s) * one;
      }
    };
    columns(a, std::min(high, k + 2) + 1);
    columns(q, n);
  }
  for (i64 i = low; i <= high; ++i) a(i, i) += shift;
}

/// A, Hessenberg's form, becomes upper triangular.
template <typename W>
bool to_triangle(const Square<W>& a, const Square<W>& q) {
  using R = RealOf<W>;
  constexpr int most = 60, unusual = 10;  // steps for each value; after so many a shift by chance
  int steps = 0;
  for (i64 high = a.n - 1; high > 0;) {
    i64 low = high;
    for (; low > 0; --low) {
      const R beside = std::abs(a(low, low)) + std::abs(a(low - 1, low - 1));
      if (!(std::abs(a(low, low - 1)) > std::numeric_limits<R>::epsilon() * beside)) {
        a(low, low - 1) = 0;
        break;
      }
    }
    if (low == high) {
      --high;
      steps = 0;
      continue;
    }
    if (++steps > most) return false;
    const W shift = steps % unusual == 0 ? W(std::abs(a(high, high - 1)) * R(0.75)) + a(high, high) : shift_of(a, high);
    step(a, q, low, high, shift);
  }
  return true;
}

/// Eigenvectors of the triangle, turned back by Q.
template <typename W>
std::vector<W> vectors_of(const Square<W>& t, const Square<W>& q) {
  using R = RealOf<W>;
  const i64 n = t.n;
  R norm = 0;
  for (i64 i = 0; i < n * n; ++i) norm = std::max(norm, std::abs(t.data[i]));
  const R least = std::max(std::numeric_limits<R>::epsilon() * norm, std::numeric_limits<R>::min());
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 k = 0; k < n; ++k) {
    std::vector<W> x(static_cast<std::size_t>(k + 1));
    x[static_cast<std::size_t>(k)] = 1;
    for (i64 i = k; i-- > 0;) {
      W sum = 0;
      for (i64 j = i + 1; j <= k; ++j) sum += t(i, j) * x[static_cast<std::size_t>(j)];
      W apart = t(i, i) - t(k, k);
      if (std::abs(apart) < least) apart = least;
      x[static_cast<std::size_t>(i)] = -sum / apart;
    }
    W* const to = made.data() + k * n;
    for (i64 j = 0; j <= k; ++j)
      for (i64 i = 0; i < n; ++i) to[i] += q(i, j) * x[static_cast<std::size_t>(j)];
    R length = 0;
    for (i64 i = 0; i < n; ++i) length += std::norm(to[i]);
    length = std::sqrt(length);
    const W largest = *std::max_element(to, to + n, [](W a, W b) { return std::norm(a) < std::norm(b); });
    const W by = std::conj(largest) / (std::abs(largest) * length);
    for (i64 i = 0; i < n; ++i) to[i] *= by;
  }
  return made;
}

/// Values of a real matrix: each is real, or its conjugate stands behind it.
template <typename W>
void pair_up(std::vector<W>& values, std::vector<W>* vectors, i64 n) {
  using R = RealOf<W>;
  std::vector<bool> placed(values.size());
  std::vector<W> ordered, columns;
  const auto put = [&](W value, i64 from, bool conjugated) {
    ordered.push_back(value);
    for (i64 i = 0; vectors != nullptr && i < n; ++i) {
      const W one = (*vectors)[static_cast<std::size_t>(from * n + i)];
      columns.push_back(value.imag() == 0 ? W(one.real()) : conjugated ? std::conj(one) : one);
    }
  };
  for (i64 k = 0; k < n; ++k) {
    if (placed[static_cast<std::size_t>(k)]) continue;
    const W one = values[static_cast<std::size_t>(k)];
    i64 nearest = k;
    R best = 2 * std::fabs(one.imag());
    for (i64 other = k + 1; other < n; ++other) {
      if (placed[static_cast<std::size_t>(other)]) continue;
      const R far = std::abs(values[static_cast<std::size_t>(other)] - std::conj(one));
      if (far < best) best = far, nearest = other;
    }
    placed[static_cast<std::size_t>(k)] = placed[static_cast<std::size_t>(nearest)] = true;
    if (nearest == k) {
      put(W(one.real()), k, false);
      continue;
    }
    const W mean = (one + std::conj(values[static_cast<std::size_t>(nearest)])) / R(2);
    const bool below = mean.imag() < 0;
    const W value(mean.real(), std::fabs(mean.imag()));
    put(value, k, below);
    put(std::conj(value), k, !below);
  }
  values = std::move(ordered);
  if (vectors != nullptr) *vectors = std::move(columns);
}

}  // namespace

template <typename W>
std::vector<W> general_eigen(std::vector<W> a, i64 n, bool real, std::vector<W>* vectors, bool& converged) {
  std::vector<W> q(a.size());
  for (i64 i = 0; i < n; ++i) q[static_cast<std::size_t>(i * n + i)] = 1;
  const Square<W> matrix{a.data(), n}, turned{q.data(), n};
  to_hessenberg(matrix, turned);
  converged = to_triangle(matrix, turned);
  std::vector<W> values;
  for (i64 i = 0; i < n; ++i) values.push_back(matrix(i, i));
  if (vectors != nullptr) *vectors = vectors_of(matrix, turned);
  if (real) pair_up(values, vectors, n);
  return values;
}

template std::vector<Complex> general_eigen(std::vector<Complex>, i64, bool, std::vector<Complex>*, bool&);
template std::vector<PreciseComplex> general_eigen(std::vector<PreciseComplex>, i64, bool, std::vector<PreciseComplex>*,
                                                   bool&);

}  // namespace gpulab::libraries
