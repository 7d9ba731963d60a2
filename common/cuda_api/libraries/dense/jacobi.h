#pragma once
// Eigenvalues of Hermitian matrices and singular values, by Jacobi's rotations: slower than other ways, and as exact as
// any.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: n x n by columns, whole; becomes the eigenvectors. Ascending values. `sweeps`: how often all were rotated. Not
/// `sorted`: in the order in which the rotations leave them.
template <typename W>
std::vector<RealOf<W>> eigen(std::vector<W>& a, i64 n, int* sweeps = nullptr, bool sorted = true);

/// `a`: m x n by columns, m >= n; becomes U (m x n). `v`: n x n. Descending values.
template <typename W>
std::vector<RealOf<W>> singular(std::vector<W>& a, i64 m, i64 n, std::vector<W>& v, int* sweeps = nullptr,
                                bool sorted = true);

/// A = U diag(values) V^H, of any shape. U has `left`, V has `right` columns, orthonormal ones.
template <typename W>
struct Singular {
  std::vector<RealOf<W>> values;  ///< min(m, n)
  std::vector<W> u, v;
  int sweeps = 0;
};
template <typename W>
Singular<W> decompose(std::vector<W> a, i64 m, i64 n, i64 left, i64 right, bool sorted = true);

}  // namespace gpulab::libraries
