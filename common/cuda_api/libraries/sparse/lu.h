#pragma once
// L U of a sparse matrix, column by column: A(rows, order) = L U, L with ones on its diagonal.

#include <vector>

#include "common/cuda_api/libraries/sparse/csr.h"

namespace gpulab::libraries {

/// A triangle by columns: elements in the order of no particular row.
template <typename W>
struct SparseColumns {
  std::vector<i64> starts{0};
  std::vector<i64> rows;
  std::vector<W> values;
};

template <typename W>
struct SparseLu {
  i64 n = 0;
  SparseColumns<W> l, u;   ///< without L's diagonal; U's stands last in each column
  std::vector<i64> rows;   ///< row k of L U is row rows[k] of A
  std::vector<i64> order;  ///< and column k column order[k]
  bool too_large = false;  ///< more elements than we keep
  i64 broken = -1;         ///< the first column without any pivot, from 0

  /// The first k with |U(k, k)| <= tolerance, or with one that is not positive where `positive`; -1: none.
  [[nodiscard]] i64 zero_pivot(double tolerance, bool positive) const;
  /// x := A^-1 b, in its place.
  void solve(std::vector<W>& x) const;
};

/// `values`: of the pattern's elements; duplicates add up. `threshold`: the diagonal is the pivot where it is that
/// large beside the column's largest (1: partial pivoting; 0: always).
template <typename W>
[[nodiscard]] SparseLu<W> factorise_sparse(const Pattern& a, const std::vector<W>& values, std::vector<i64> order,
                                           double threshold);

}  // namespace gpulab::libraries
