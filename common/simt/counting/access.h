#pragma once
// One access of a warp: the addresses of 32 lanes become a Pattern (offsets, contiguity, sectors, wavefronts). Most are
// recognised among the patterns that the instruction has shown lately (PatternCache); access.cpp works out the others.

#include <cstdint>

#include "common/simt/counting/statistics.h"

namespace gpulab::simt {

/// `relative` (0 in inactive lanes) are offsets in bytes from the first active lane's address,
/// which is `phase` modulo 32 (kSharedPhase is set where it is in shared memory). `width` bytes per lane, 1 to 16.
/// Works out distinct sectors and bytes (32 lanes on one word: 1 sector, 4 bytes), or the wavefronts of shared memory.
void analyse(Pattern& pattern, const std::int32_t* relative, std::uint32_t mask, std::uint32_t phase,
             std::uint32_t width, bool store);
/// The same where nobody counts: only what moving the values needs.
void analyse_shape(Pattern& pattern, const std::int32_t* relative, std::uint32_t mask, std::uint32_t phase,
                   std::uint32_t width);

/// 32-byte sectors of a local access: word w of lane l lies at w * 128 + 4 * l.
[[nodiscard]] std::uint32_t local_sectors(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t width);

/// Counts and marks of an access whose lanes are too far apart for a Pattern (more than 2 GiB).
struct FarCounts {
  std::uint32_t sectors = 0, distinct_bytes = 0, max_same_address = 0;
};
[[nodiscard]] FarCounts analyse_far(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t width);

}  // namespace gpulab::simt
