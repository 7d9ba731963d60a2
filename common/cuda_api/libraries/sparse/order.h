#pragma once
// Orders of a square matrix's rows and columns in which its factors have few elements.

#include <vector>

#include "common/cuda_api/libraries/sparse/csr.h"

namespace gpulab::libraries {

/// Row i of the new matrix is row order[i] of the old one. Of the pattern of A + A^T.
[[nodiscard]] std::vector<i64> reverse_cuthill_mckee(const Pattern& a);
[[nodiscard]] std::vector<i64> least_degree(const Pattern& a);

}  // namespace gpulab::libraries
