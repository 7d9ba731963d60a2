#include "common/cuda_api/libraries/dense/generalised.h"

namespace gpulab::libraries {
namespace {

template <typename W>
struct Lower {
  const W* data;
  i64 n;
  W operator()(i64 i, i64 j) const { return data[j * n + i]; }
};

/// x becomes L^-1 x.
template <typename W>
void solve_down(const Lower<W>& l, W* x) {
  for (i64 j = 0; j < l.n; ++j) {
    x[j] = x[j] / l(j, j);
    for (i64 i = j + 1; i < l.n; ++i) x[i] -= l(i, j) * x[j];
  }
}
/// x becomes L^-H x.
template <typename W>
void solve_up(const Lower<W>& l, W* x) {
  for (i64 j = l.n; j-- > 0;) {
    for (i64 i = j + 1; i < l.n; ++i) x[j] -= conjugate(l(i, j)) * x[i];
    x[j] = x[j] / conjugate(l(j, j));
  }
}
/// x becomes L x, or L^H x.
template <typename W>
void multiply_down(const Lower<W>& l, W* x) {
  for (i64 i = l.n; i-- > 0;) {
    W sum = 0;
    for (i64 j = 0; j <= i; ++j) sum += l(i, j) * x[j];
    x[i] = sum;
  }
}
template <typename W>
void multiply_up(const Lower<W>& l, W* x) {
  for (i64 j = 0; j < l.n; ++j) {
    W sum = 0;
    for (i64 i = j; i < l.n; ++i) sum += conjugate(l(i, j)) * x[i];
    x[j] = sum;
  }
}

template <typename W>
void adjoint(std::vector<W>& a, i64 n) {
  for (i64 j = 0; j < n; ++j)
    for (i64 i = 0; i <= j; ++i) {
      W& upper = a[static_cast<std::size_t>(j * n + i)];
      W& lower = a[static_cast<std::size_t>(i * n + j)];
      const W kept = conjugate(upper);
      upper = conjugate(lower);
      lower = kept;
    }
}

}  // namespace

template <typename W>
void to_standard(std::vector<W>& a, const std::vector<W>& l, i64 n, int kind) {
  const Lower<W> lower{l.data(), n};
  // F A F^H: F is applied to the columns, twice, and what is between is turned.
  for (int side = 0; side < 2; ++side) {
    for (i64 j = 0; j < n; ++j) kind == 1 ? solve_down(lower, a.data() + j * n) : multiply_up(lower, a.data() + j * n);
    adjoint(a, n);
  }
}

template <typename W>
void from_standard(std::vector<W>& vectors, const std::vector<W>& l, i64 n, int kind) {
  const Lower<W> lower{l.data(), n};
  for (i64 j = 0; j < n; ++j)
    kind == 3 ? multiply_down(lower, vectors.data() + j * n) : solve_up(lower, vectors.data() + j * n);
}

#define GPULAB_GENERALISED(W)                                                  \
  template void to_standard(std::vector<W>&, const std::vector<W>&, i64, int); \
  template void from_standard(std::vector<W>&, const std::vector<W>&, i64, int);
GPULAB_GENERALISED(double)
GPULAB_GENERALISED(Complex)
GPULAB_GENERALISED(Precise)
GPULAB_GENERALISED(PreciseComplex)
#undef GPULAB_GENERALISED

}  // namespace gpulab::libraries
