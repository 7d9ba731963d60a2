#pragma once
// A x = lambda B x and its like as eigenvalues of one Hermitian matrix, by Cholesky's factor of B: LAPACK's hegst.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`, whole, becomes L^-1 A L^-H (kind 1) or L^H A L (kinds 2 and 3: A B x, B A x). `l`: lower, n x n by columns.
template <typename W>
void to_standard(std::vector<W>& a, const std::vector<W>& l, i64 n, int kind);
/// Eigenvectors of that become the problem's: L^-H y, or L y (kind 3).
template <typename W>
void from_standard(std::vector<W>& vectors, const std::vector<W>& l, i64 n, int kind);

}  // namespace gpulab::libraries
