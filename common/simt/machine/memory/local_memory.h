#pragma once
// A warp's local memory, laid out as a GPU lays it out: word w of lane l lies at w * 128 + 4 * l, as the
// counter local_load_sectors has it. Most lanes are at the same place of their arrays: their words are one vector.

#include <cstddef>
#include <cstdint>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

inline constexpr std::size_t kLocalRow = std::size_t{4} * kLanes;  ///< bytes of one word of every lane

/// Where byte `at` of a lane's local memory lies, from Warp::local. The rest of its word follows it.
static inline std::size_t local_place(int lane, std::uint64_t at) {
  return at / 4 * kLocalRow + static_cast<std::size_t>(lane) * 4 + at % 4;
}

/// `bytes` bytes at `at` of a lane's local memory, which has that many (Warp::local_bytes).
void read_local(const Warp& warp, int lane, std::uint64_t at, void* to, std::size_t bytes);
void write_local(Warp& warp, int lane, std::uint64_t at, const void* from, std::size_t bytes);

/// Copies bytes of some lanes to another place of their local memory, which does not overlap the first.
void copy_local(Warp& warp, std::uint32_t lanes, std::uint64_t to, std::uint64_t from, std::size_t bytes);

}  // namespace gpulab::simt
