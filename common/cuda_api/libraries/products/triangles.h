#pragma once
// A triangular matrix beside others: what is multiplied or solved, block by block.

#include <vector>

#include "common/cuda_api/libraries/numbers.h"
#include "common/cuda_api/libraries/operands.h"

namespace gpulab::libraries {

/// op(A) of a triangle, whole, zeros in the other one. `lower`: what became of it.
template <typename W>
struct Triangle {
  i64 n = 0;
  std::vector<W> all;
  bool lower = false, unit = false;
  /// `transposed` beside what `op` does: for products from the right.
  Triangle(const Values<W>& a, bool upper, bool transposed, bool conjugated, bool unit_diagonal);
};

/// B (n rows, `columns`) becomes T * B, or what T makes B of.
template <typename W>
void multiply(const Triangle<W>& t, W* b, i64 columns);
template <typename W>
void solve(const Triangle<W>& t, W* b, i64 columns);

template <typename W>
[[nodiscard]] std::vector<W> transposed(const std::vector<W>& a, i64 rows, i64 columns);

}  // namespace gpulab::libraries
