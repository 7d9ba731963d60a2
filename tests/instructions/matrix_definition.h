#pragma once
// What one element of a tensor core's product is, worked out by itself and in integers, as
// common/simt/isa/warp/tensor_core.h says in words: what the rows, which compute in vectors, are compared with.

#include <cstdint>
#include <span>

#include "tests/instructions/matrix_kernel.h"

namespace gpulab::tests {

/// Bits of c + the sum of the products of a row of A and a column of B.
[[nodiscard]] std::uint64_t defined_element(const MatrixForm& form, std::span<const std::uint64_t> row,
                                            std::span<const std::uint64_t> column, std::uint64_t c);

}  // namespace gpulab::tests
