#include "common/cuda_api/libraries/dense/cholesky.h"

#include <algorithm>
#include <cmath>

#include "common/cuda_api/libraries/products/product.h"

namespace gpulab::libraries {
namespace {

constexpr i64 kBlock = 48;

}  // namespace

template <typename W>
i64 factorise_cholesky(W* a, i64 n) {
  for (i64 first = 0; first < n; first += kBlock) {
    const i64 behind = std::min(n, first + kBlock);
    for (i64 j = first; j < behind; ++j) {
      const RealOf<W> pivot = real_part(a[j * n + j]);
      if (!(pivot > 0)) return j + 1;
      const RealOf<W> root = std::sqrt(pivot);
      a[j * n + j] = root;
      for (i64 i = j + 1; i < n; ++i) a[j * n + i] /= root;
      for (i64 k = j + 1; k < behind; ++k) {
        const W factor = conjugate(a[j * n + k]);
        for (i64 i = k; i < n; ++i) a[k * n + i] -= a[j * n + i] * factor;
      }
    }
    // What is left: more than its lower triangle is made, and nobody reads that.
    const i64 rest = n - behind, depth = behind - first;
    add_product(rest, rest, depth, Factor<W>{a + first * n + behind, 1, n, false},
                Factor<W>{a + first * n + behind, n, 1, true}, -1, a + behind * n + behind, n);
  }
  return 0;
}

template i64 factorise_cholesky(double*, i64);
template i64 factorise_cholesky(Complex*, i64);
template i64 factorise_cholesky(Precise*, i64);
template i64 factorise_cholesky(PreciseComplex*, i64);

}  // namespace gpulab::libraries
