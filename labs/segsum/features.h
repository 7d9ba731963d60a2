#pragma once
#include <cstddef>

namespace gpulab::labs::segsum {

constexpr std::size_t features = 128;  ///< floats in a row: a warp reads 32 at a time

}  // namespace gpulab::labs::segsum
