#pragma once
// Eigenvalues of Hermitian matrices and singular values, by Jacobi's rotations: slower than other ways, and as exact as
// any.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: n x n by columns, whole; becomes the eigenvectors. Ascending values.
template <typename W>
std::vector<RealOf<W>> eigen(std::vector<W>& a, i64 n);

/// `a`: m x n by columns, m >= n; becomes U (m x n). `v`: n x n. Descending values.
template <typename W>
std::vector<RealOf<W>> singular(std::vector<W>& a, i64 m, i64 n, std::vector<W>& v);

}  // namespace gpulab::libraries
