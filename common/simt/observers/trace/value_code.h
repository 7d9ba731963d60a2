#pragma once
// The values of a register in a warp's lanes, packed: most are the same in all lanes, or one more from lane to lane.
// A vector is a byte that says how, then numbers in LEB128: 7 bits a byte, the lowest first.
//   0  not known
//   1  value: the same in all lanes
//   2  first value, step (zigzag): each lane's is that much more than the one before
//   3 + k, k = 1 … 8: the least value, then what each lane's is more, k bytes each, the lowest first
// Lanes are those of a mask, in their order. 32-bit values are extended with zeros; sums wrap at 64 bits. A predicate
// is a vector of 0 and 1.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulab::simt {

using LaneValues = std::array<std::uint64_t, 32>;

/// Appends the values of the lanes in `mask`; nothing known: `values` is null.
void pack_values(std::string& out, const LaneValues* values, std::uint32_t mask);
/// Reads what pack_values has written at `at`, and moves `at` behind it. Nothing where they are not known.
[[nodiscard]] std::optional<LaneValues> unpack_values(std::string_view packed, std::size_t& at, std::uint32_t mask);

}  // namespace gpulab::simt
