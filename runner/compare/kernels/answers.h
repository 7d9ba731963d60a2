#pragma once
// What two kernels have left in the same buffers, where nobody says what is right.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/scalar.h"

namespace gpulab {

struct AnswerDifference {
  std::string apart{};  ///< "y[5] is 3 for A and 4 for B (12 of 1,024 elements differ)"; empty: the same, or rounding
  double rounding = 0;  ///< the largest relative difference of floating-point numbers that is taken for rounding
};

/// Integers are the same or not. Floating-point numbers may differ by the rounding of another order of operations:
/// 1e-4 of the larger one, or of what the buffer's numbers are like, for f32; 1e-9 for f64, 1e-2 for 16 bits.
[[nodiscard]] AnswerDifference answer_difference(const std::string& buffer, Scalar type, std::span<const std::byte> a,
                                                 std::span<const std::byte> b);

}  // namespace gpulab
