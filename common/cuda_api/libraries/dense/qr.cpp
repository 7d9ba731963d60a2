#include "common/cuda_api/libraries/dense/qr.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gpulab::libraries {
namespace {

template <typename W>
RealOf<W> square_of(W x) {
  if constexpr (kIsComplex<W>)
    return std::norm(x);
  else
    return x * x;
}
template <typename W>
bool is_real(W x) {
  if constexpr (kIsComplex<W>)
    return x.imag() == 0;
  else
    return true;
}

/// C -= tau v (v^H C), v[0] being 1.
template <typename W>
void reflect(const W* v, W tau, W* c, i64 rows, i64 columns, i64 ld) {
  if (tau == W(0)) return;
  for (i64 j = 0; j < columns; ++j) {
    W* column = c + j * ld;
    W sum = column[0];
    for (i64 i = 1; i < rows; ++i) sum += conjugate(v[i]) * column[i];
    sum *= tau;
    column[0] -= sum;
    for (i64 i = 1; i < rows; ++i) column[i] -= v[i] * sum;
  }
}

/// C -= tau (C v) v^H
template <typename W>
void reflect_right(const W* v, W tau, W* c, i64 rows, i64 columns, i64 ld) {
  if (tau == W(0)) return;
  std::vector<W> sums(c, c + rows);
  for (i64 j = 1; j < columns; ++j)
    for (i64 i = 0; i < rows; ++i) sums[static_cast<std::size_t>(i)] += c[j * ld + i] * v[j];
  for (i64 j = 0; j < columns; ++j) {
    const W factor = tau * (j == 0 ? W(1) : conjugate(v[j]));
    for (i64 i = 0; i < rows; ++i) c[j * ld + i] -= sums[static_cast<std::size_t>(i)] * factor;
  }
}

}  // namespace

template <typename W>
W reflection(W* x, i64 n) {
  if (n <= 0) return 0;
  RealOf<W> rest = 0;
  for (i64 i = 1; i < n; ++i) rest += square_of(x[i]);
  if (rest == 0 && is_real(x[0])) return 0;
  const RealOf<W> norm = std::sqrt(square_of(x[0]) + rest);
  const RealOf<W> beta = real_part(x[0]) > 0 ? -norm : norm;
  const W tau = (W(beta) - x[0]) / beta;
  const W by = W(1) / (x[0] - W(beta));
  for (i64 i = 1; i < n; ++i) x[i] *= by;
  x[0] = beta;
  return tau;
}

template <typename W>
void factorise_qr(W* a, i64 m, i64 n, i64 ld, W* tau) {
  for (i64 j = 0; j < std::min(m, n); ++j) {
    W* column = a + j * ld + j;
    tau[j] = reflection(column, m - j);
    reflect(column, conjugate(tau[j]), column + ld, m - j, n - j - 1, ld);
  }
}

template <typename W>
void apply_q(const W* a, i64 ld, const W* tau, i64 count, bool right, bool adjoint, W* c, i64 m, i64 n) {
  // Q is H1 H2 …: Q C takes the last first; Q^H C, and C Q, the first first.
  const bool forward = right != adjoint;
  for (i64 step = 0; step < count; ++step) {
    const i64 j = forward ? step : count - 1 - step;
    const W* v = a + j * ld + j;
    const W factor = adjoint ? conjugate(tau[j]) : tau[j];
    if (right)
      reflect_right(v, factor, c + j * m, m, n - j, m);
    else
      reflect(v, factor, c + j, m - j, n, m);
  }
}

template double reflection(double*, i64);
template Complex reflection(Complex*, i64);
template void factorise_qr(double*, i64, i64, i64, double*);
template void factorise_qr(Complex*, i64, i64, i64, Complex*);
template void apply_q(const double*, i64, const double*, i64, bool, bool, double*, i64, i64);
template void apply_q(const Complex*, i64, const Complex*, i64, bool, bool, Complex*, i64, i64);
template Precise reflection(Precise*, i64);
template PreciseComplex reflection(PreciseComplex*, i64);
template void factorise_qr(Precise*, i64, i64, i64, Precise*);
template void factorise_qr(PreciseComplex*, i64, i64, i64, PreciseComplex*);
template void apply_q(const Precise*, i64, const Precise*, i64, bool, bool, Precise*, i64, i64);
template void apply_q(const PreciseComplex*, i64, const PreciseComplex*, i64, bool, bool, PreciseComplex*, i64, i64);

}  // namespace gpulab::libraries
