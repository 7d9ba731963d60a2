#pragma once
// Colours for numbers of iterations.

#include <array>
#include <cstdint>
#include <vector>

namespace gpulab::labs::julia {

using Rgb = std::array<std::uint8_t, 3>;  ///< sRGB

/// One colour for each number of iterations from 0 to `iterations`: from dark blue over purple and orange to pale
/// yellow in steps that look equal, by the logarithm of the number, as most pixels escape after a few. Pixels that
/// never escape are black.
[[nodiscard]] std::vector<Rgb> palette(std::int64_t iterations);

}  // namespace gpulab::labs::julia
