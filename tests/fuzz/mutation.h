#pragma once
// PTX texts that nearly say what another one said: most of them still parse, so that what is decoded and what runs is
// tried, not only what is read.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::tests {

/// `ptx` with up to three changes that `seed` decides: statements deleted, repeated, exchanged, borrowed from `donors`
/// (other PTX texts, may be empty); registers, labels, types, state spaces, offsets, sizes and constants replaced.
/// The same arguments give the same text.
[[nodiscard]] std::string mutated(std::string_view ptx, std::uint64_t seed, const std::vector<std::string>& donors);

}  // namespace gpulab::tests
