#pragma once
// Eigenvalues of any square matrix, by Hessenberg's form and complex QR steps with shifts.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// `a`: n x n by columns. Returns the values; `vectors`, where not null, becomes the right eigenvectors, each of
/// length 1 and with its largest part real. Of a `real` matrix values come in pairs, that of positive imaginary part
/// first. `converged`: false where the steps did not suffice.
template <typename W>
std::vector<W> general_eigen(std::vector<W> a, i64 n, bool real, std::vector<W>* vectors, bool& converged);

}  // namespace gpulab::libraries
