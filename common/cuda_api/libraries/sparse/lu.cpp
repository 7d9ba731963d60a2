#include "common/cuda_api/libraries/sparse/lu.h"

#include <cmath>
#include <numeric>

namespace gpulab::libraries {
namespace {

constexpr std::size_t kMostElements = std::size_t{1} << 26;  // 1 GB of complex doubles

template <typename W>
class Factorisation {
 public:
  Factorisation(const Pattern& a, const std::vector<W>& values, SparseLu<W>& made, double threshold)
      : values_(values), made_(made), threshold_(threshold), by_columns_(transposed(a, &places_)) {
    const auto n = static_cast<std::size_t>(made.n);
    position_.assign(n, -1);
    mark_.assign(n, -1);
    x_.assign(n, W(0));
  }

  void run() {
    for (i64 k = 0; k < made_.n && !made_.too_large; ++k) column(k);
  }

 private:
  static std::size_t at(i64 i) { return static_cast<std::size_t>(i); }

  /// Rows that the column's elements reach by way of L, each behind all that reach it.
  void reach(i64 from, i64 k) {
    std::vector<std::pair<i64, i64>> path{{from, -1}};
    mark_[at(from)] = k;
    while (!path.empty()) {
      auto& [row, next] = path.back();
      const i64 column = position_[at(row)];
      if (next < 0) next = column < 0 ? 0 : made_.l.starts[at(column)];
      const i64 end = column < 0 ? 0 : made_.l.starts[at(column + 1)];
      i64 further = -1;
      while (next < end && further < 0) {
        const i64 other = made_.l.rows[at(next++)];
        if (mark_[at(other)] != k) further = other;
      }
      if (further < 0) {
        reached_.push_back(row);
        path.pop_back();
      } else {
        mark_[at(further)] = k;
        path.emplace_back(further, -1);
      }
    }
  }

  void column(i64 k) {
    const i64 source = made_.order[at(k)];
    reached_.clear();
    for (i64 i = by_columns_.starts[at(source)]; i < by_columns_.starts[at(source + 1)]; ++i) {
      const i64 row = by_columns_.indices[at(i)];
      if (mark_[at(row)] != k) reach(row, k);
      x_[at(row)] += values_[at(places_[at(i)])];
    }
    for (std::size_t i = reached_.size(); i-- > 0;) {  // L x = the column
      const i64 column = position_[at(reached_[i])];
      const W value = x_[at(reached_[i])];
      if (column < 0 || value == W(0)) continue;
      for (i64 j = made_.l.starts[at(column)]; j < made_.l.starts[at(column + 1)]; ++j)
        x_[at(made_.l.rows[at(j)])] -= made_.l.values[at(j)] * value;
    }
    split(k, choose(source));
  }

  /// The row that is this column's pivot.
  i64 choose(i64 diagonal) const {
    i64 best = -1;
    RealOf<W> most = -1;
    for (const i64 row : reached_)
      if (position_[at(row)] < 0 && std::abs(x_[at(row)]) > most) most = std::abs(x_[at(row)]), best = row;
    const bool there = position_[at(diagonal)] < 0;
    if (there && (best < 0 || std::abs(x_[at(diagonal)]) >= static_cast<RealOf<W>>(threshold_) * most)) return diagonal;
    if (best >= 0) return best;
    for (i64 row = 0; row < made_.n; ++row)  // a column of zeros: any row that is left
      if (position_[at(row)] < 0) return row;
    return diagonal;
  }

  void split(i64 k, i64 pivot) {
    const W value = x_[at(pivot)];
    x_[at(pivot)] = 0;
    if (value == W(0) && made_.broken < 0) made_.broken = k;
    for (const i64 row : reached_) {
      if (row == pivot) continue;
      const W one = x_[at(row)];
      x_[at(row)] = 0;
      const i64 above = position_[at(row)];
      if (above >= 0) {
        made_.u.rows.push_back(above);
        made_.u.values.push_back(one);
      } else {
        made_.l.rows.push_back(row);
        made_.l.values.push_back(value == W(0) ? W(0) : one / value);
      }
    }
    made_.u.rows.push_back(k);
    made_.u.values.push_back(value);
    made_.l.starts.push_back(static_cast<i64>(made_.l.rows.size()));
    made_.u.starts.push_back(static_cast<i64>(made_.u.rows.size()));
    position_[at(pivot)] = k;
    made_.rows.push_back(pivot);
    made_.too_large = made_.l.rows.size() + made_.u.rows.size() > kMostElements;
  }

  const std::vector<W>& values_;
  SparseLu<W>& made_;
  double threshold_;
  std::vector<i64> places_;
  Pattern by_columns_;
  std::vector<i64> position_;  ///< of each row of A among L's, or -1
  std::vector<i64> mark_;      ///< the column that reached it last
  std::vector<i64> reached_;
  std::vector<W> x_;
};

}  // namespace

template <typename W>
SparseLu<W> factorise_sparse(const Pattern& a, const std::vector<W>& values, std::vector<i64> order, double threshold) {
  SparseLu<W> made;
  made.n = a.rows;
  made.order = std::move(order);
  Factorisation<W>(a, values, made, threshold).run();
  if (made.too_large) return made;
  // L's rows are those of A until all have their place.
  std::vector<i64> places(static_cast<std::size_t>(made.n));
  for (i64 k = 0; k < made.n; ++k) places[static_cast<std::size_t>(made.rows[static_cast<std::size_t>(k)])] = k;
  for (i64& row : made.l.rows) row = places[static_cast<std::size_t>(row)];
  return made;
}

template <typename W>
i64 SparseLu<W>::zero_pivot(double tolerance, bool positive) const {
  for (i64 k = 0; k < n; ++k) {
    const W value = u.values[static_cast<std::size_t>(u.starts[static_cast<std::size_t>(k + 1)] - 1)];
    if (!(std::abs(value) > static_cast<RealOf<W>>(tolerance)) || (positive && !(real_part(value) > 0))) return k;
  }
  return -1;
}

template <typename W>
void SparseLu<W>::solve(std::vector<W>& x) const {
  const auto at = [](i64 i) { return static_cast<std::size_t>(i); };
  std::vector<W> y(x.size());
  for (i64 k = 0; k < n; ++k) y[at(k)] = x[at(rows[at(k)])];
  for (i64 k = 0; k < n; ++k)
    for (i64 i = l.starts[at(k)]; i < l.starts[at(k + 1)]; ++i) y[at(l.rows[at(i)])] -= l.values[at(i)] * y[at(k)];
  for (i64 k = n; k-- > 0;) {
    const i64 last = u.starts[at(k + 1)] - 1;
    y[at(k)] = y[at(k)] / u.values[at(last)];
    for (i64 i = u.starts[at(k)]; i < last; ++i) y[at(u.rows[at(i)])] -= u.values[at(i)] * y[at(k)];
  }
  for (i64 k = 0; k < n; ++k) x[at(order[at(k)])] = y[at(k)];
}

#define GPULAB_SPARSE_LU(W)    \
  template struct SparseLu<W>; \
  template SparseLu<W> factorise_sparse(const Pattern&, const std::vector<W>&, std::vector<i64>, double);
GPULAB_SPARSE_LU(double)
GPULAB_SPARSE_LU(Complex)
GPULAB_SPARSE_LU(Precise)
GPULAB_SPARSE_LU(PreciseComplex)
#undef GPULAB_SPARSE_LU

}  // namespace gpulab::libraries
