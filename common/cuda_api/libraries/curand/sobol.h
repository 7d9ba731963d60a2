#pragma once
// Sobol's sequences by the direction numbers of Joe and Kuo, in 32 and 64 bits.

#include <array>
#include <cstdint>

namespace gpulab::curand {

/// Dimensions that there are numbers for.
inline constexpr unsigned kMostDimensions = 1111;

/// Of a dimension from 0; `bits`: 32 or 64, the first ones of the array.
[[nodiscard]] std::array<std::uint64_t, 64> direction_numbers(unsigned dimension, int bits);

/// Element i of a dimension, in Gray code's order.
[[nodiscard]] std::uint64_t sobol(const std::array<std::uint64_t, 64>& directions, std::uint64_t index);

}  // namespace gpulab::curand
