#pragma once
// LU with partial pivoting, as LAPACK's getrf and getrs: P A = L U, L below the diagonal with ones on it.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: m x n by columns. `pivots`: row i was exchanged with row pivots[i] (from 0); none where `pivoting` is off.
/// Returns 0, or the first column (from 1) whose pivot is 0.
template <typename W>
i64 factorise_lu(W* a, i64 m, i64 n, std::vector<i64>& pivots, bool pivoting = true);

enum class Solve : std::uint8_t { plain, transposed, conjugated };
/// B (n x columns) becomes what op(A) makes B of, by the factors.
template <typename W>
void solve_lu(const W* a, i64 n, const std::vector<i64>& pivots, Solve how, W* b, i64 columns);

}  // namespace gpulab::libraries
