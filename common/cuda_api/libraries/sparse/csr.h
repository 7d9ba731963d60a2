#pragma once
// A sparse matrix by rows, from 0.

#include <optional>
#include <vector>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

struct Pattern {
  i64 rows = 0, columns = 0;
  std::vector<i64> starts;   ///< of each row, and the end
  std::vector<i64> indices;  ///< the column of each element
};

/// `base`: 0 or 1. Nothing where rows or columns are none of the matrix's.
[[nodiscard]] std::optional<Pattern> pattern_of(i64 rows, i64 columns, i64 elements, const int* starts,
                                                const int* indices, int base);

/// The same by columns; `places`, where not null: where each element stood.
[[nodiscard]] Pattern transposed(const Pattern& of, std::vector<i64>* places = nullptr);

}  // namespace gpulab::libraries
