#pragma once
// Symmetric matrices that are not positive: L D L^T with pivots of one or two rows, as LAPACK's sytrf (Bunch and
// Kaufman). A complex one is symmetric, not Hermitian.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: n x n by columns, the lower triangle. pivots[k] > 0: row k was exchanged with that one (from 1), D has one
/// element there; < 0, twice in a row: two, the second of which was exchanged with row -pivots[k]. Not `pivoting`: D
/// is diagonal. Returns 0, or the first block (from 1) of D that is 0.
template <typename W>
i64 factorise_symmetric(W* a, i64 n, std::vector<i64>& pivots, bool pivoting);
/// B (n x columns) becomes what A makes B of.
template <typename W>
void solve_symmetric(const W* a, i64 n, const std::vector<i64>& pivots, W* b, i64 columns);

}  // namespace gpulab::libraries
