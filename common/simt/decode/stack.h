#pragma once
// What calls take of a lane's local memory in the simulator.

#include <cstdint>

namespace gpulab::simt {

inline constexpr std::uint32_t kRecursiveStack = 32 << 10;  ///< bytes per lane for frames of recursive functions
/// What a call of a recursive function takes at least, so that recursion without variables ends, too.
inline constexpr std::uint32_t kLeastFrame = 16;

}  // namespace gpulab::simt
