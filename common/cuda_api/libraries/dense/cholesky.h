#pragma once
// Cholesky's factors, as LAPACK's potrf and potrs: A = L L^H or U^H U, in the triangle that is stored.

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: n x n by columns, the lower triangle. Returns 0, or the first minor (from 1) that is not positive.
template <typename W>
i64 factorise_cholesky(W* a, i64 n);

}  // namespace gpulab::libraries
