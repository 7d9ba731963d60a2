#pragma once
// The CPU's answers.

#include "labs/lab.h"

namespace gpulab::labs::occupancy {

/// x = a * x + c modulo 2^32 (Knuth's linear congruential generator, as in Numerical Recipes). a is odd, so that a step
/// maps different numbers to different numbers: what went wrong in one step is still there after all of them.
constexpr std::uint32_t chain_a = 1664525, chain_c = 1013904223;
/// x = x / divisor + c. The divisor is no power of two, or the compiler would multiply.
constexpr float divisor = 1.0625F, division_c = 1;

[[nodiscard]] std::vector<std::byte> chains(const Case& c, const std::vector<std::byte>& in);
[[nodiscard]] std::vector<std::byte> divisions(const Case& c, const std::vector<std::byte>& in);

/// Where each element leads to: one cycle through all of them, in random order.
[[nodiscard]] std::vector<std::byte> links(const Case& c);
/// Where `hops` links from each element end.
[[nodiscard]] std::vector<std::byte> linked(const Case& c);

[[nodiscard]] std::vector<std::byte> table(const Case& c);  ///< as many words as the block's shared memory holds
[[nodiscard]] std::vector<std::byte> looked_up(const Case& c, const std::vector<std::byte>& in);

}  // namespace gpulab::labs::occupancy
