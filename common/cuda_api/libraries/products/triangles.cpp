#include "common/cuda_api/libraries/products/triangles.h"

#include <algorithm>

#include "common/cuda_api/libraries/products/product.h"

namespace gpulab::libraries {
namespace {

constexpr i64 kBlock = 48;

template <typename W>
struct Blocks {
  const Triangle<W>& t;
  W* b;
  i64 columns;

  [[nodiscard]] const W* at(i64 i, i64 j) const { return t.all.data() + j * t.n + i; }

  /// b[rows] += sign * T[rows, by] * b[by]
  void add(i64 row, i64 rows, i64 by, i64 count, double sign) {
    if (rows <= 0 || count <= 0) return;
    add_product(rows, columns, count, Factor<W>{at(row, by), 1, t.n}, Factor<W>{b + by, 1, t.n}, sign, b + row, t.n);
  }
  /// Within a block of the diagonal.
  void within(i64 first, i64 count, bool solves) {
    const bool ascending = t.lower == solves;
    for (i64 column = 0; column < columns; ++column) {
      W* x = b + column * t.n + first;
      for (i64 step = 0; step < count; ++step) {
        const i64 j = ascending ? step : count - 1 - step;
        const W* diagonal = at(first + j, first + j);
        if (solves && !t.unit) x[j] = x[j] / *diagonal;
        const W factor = solves ? -x[j] : x[j];
        const i64 from = t.lower ? j + 1 : 0, end = t.lower ? count : j;
        for (i64 i = from; i < end; ++i) x[i] += at(first, first + j)[i] * factor;
        if (!solves && !t.unit) x[j] *= *diagonal;
      }
    }
  }
  void all(bool solves) {
    const i64 blocks = (t.n + kBlock - 1) / kBlock;
    const bool ascending = t.lower == solves;
    for (i64 step = 0; step < blocks; ++step) {
      const i64 first = (ascending ? step : blocks - 1 - step) * kBlock, count = std::min(kBlock, t.n - first);
      const i64 behind = first + count;
      if (solves) {
        within(first, count, true);
        t.lower ? add(behind, t.n - behind, first, count, -1) : add(0, first, first, count, -1);
      } else {
        // What lies beside the diagonal takes values that have not changed yet.
        within(first, count, false);
        t.lower ? add(first, count, 0, first, 1) : add(first, count, behind, t.n - behind, 1);
      }
    }
  }
};

}  // namespace

template <typename W>
Triangle<W>::Triangle(const Values<W>& a, bool upper, bool transposed, bool conjugated, bool unit_diagonal)
    : n(a.operand.columns), all(static_cast<std::size_t>(n * n)), lower(upper == transposed), unit(unit_diagonal) {
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      const W one = conjugated ? conjugate(a.column(j)[k]) : a.column(j)[k];
      all[static_cast<std::size_t>(transposed ? i * n + j : j * n + i)] = one;
    }
  }
}

template <typename W>
void multiply(const Triangle<W>& t, W* b, i64 columns) {
  Blocks<W>{t, b, columns}.all(false);
}
template <typename W>
void solve(const Triangle<W>& t, W* b, i64 columns) {
  Blocks<W>{t, b, columns}.all(true);
}

template <typename W>
std::vector<W> transposed(const std::vector<W>& a, i64 rows, i64 columns) {
  std::vector<W> made(a.size());
  for (i64 j = 0; j < columns; ++j)
    for (i64 i = 0; i < rows; ++i)
      made[static_cast<std::size_t>(i * columns + j)] = a[static_cast<std::size_t>(j * rows + i)];
  return made;
}

#define GPULAB_TRIANGLES(W)                            \
  template struct Triangle<W>;                         \
  template void multiply(const Triangle<W>&, W*, i64); \
  template void solve(const Triangle<W>&, W*, i64);    \
  template std::vector<W> transposed(const std::vector<W>&, i64, i64);
GPULAB_TRIANGLES(double)
GPULAB_TRIANGLES(Complex)
GPULAB_TRIANGLES(Precise)
GPULAB_TRIANGLES(PreciseComplex)
#undef GPULAB_TRIANGLES

}  // namespace gpulab::libraries
