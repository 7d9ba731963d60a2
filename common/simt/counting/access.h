#pragma once
// One access of a warp: the addresses of 32 lanes become a Pattern (offsets, contiguity, sectors, wavefronts). Most are
// recognised among the patterns that the instruction has shown lately (PatternCache); access.cpp works out the others.

#include <cstdint>

#include "common/simt/counting/statistics.h"

namespace gpulab::simt {

/// `relative` (0 in inactive lanes) are offsets in bytes from the first active lane's address,
/// which is `phase` modulo 32 (kSharedPhase is set where it is in shared memory). `width` bytes per lane, 1 to 16.
/// Sets what moving the values needs, which is all where nobody counts. All 32 lanes at once: inactive ones are at 0,
/// where the first active one is. Compiled for each x86-64 level, so `static`.
static inline void set_shape(Pattern& pattern, const std::int32_t* relative, std::uint32_t mask, std::uint32_t phase,
                             std::uint32_t width) {
  pattern.mask = mask;
  pattern.phase = phase;
  std::int32_t low[2] = {INT32_MAX, INT32_MAX}, high[2] = {INT32_MIN, INT32_MIN};
  std::uint32_t any = 0, apart = 0;
  constexpr int half_warp = kLanes / 2;
  for (int half = 0; half < 2; ++half) {
    for (int k = 0; k < half_warp; ++k) {
      const int i = half * half_warp + k;
      const std::int32_t at = relative[i];
      pattern.relative[i] = at;
      low[half] = at < low[half] ? at : low[half];
      high[half] = at > high[half] ? at : high[half];
      any |= static_cast<std::uint32_t>(at);
      apart |= (static_cast<std::uint32_t>(at) ^ static_cast<std::uint32_t>(i) * width) & (0 - (mask >> i & 1));
    }
    pattern.lowest_of[half] = low[half];
    pattern.words_behind[half] = static_cast<std::uint8_t>((std::int64_t{high[half]} - low[half]) / 4);
  }
  const std::int32_t lowest = low[0] < low[1] ? low[0] : low[1], highest = high[0] > high[1] ? high[0] : high[1];
  pattern.lowest = lowest;
  pattern.highest = highest;
  pattern.contiguous = (mask & (mask + 1)) == 0 && apart == 0;  // a prefix of the warp
  pattern.uniform = any == 0;
  pattern.aligned = (((phase & ~kSharedPhase) | any) & (width - 1)) == 0;
  const bool words = width == 4 && pattern.aligned;
  pattern.window = words && std::int64_t{highest} - lowest < 4 * kLanes;
  pattern.windows = words && std::int64_t{high[0]} - low[0] < 4 * kLanes && std::int64_t{high[1]} - low[1] < 4 * kLanes;
}
/// Works out what is counted of a pattern that has its shape: distinct sectors and bytes (32 lanes on one word: 1
/// sector, 4 bytes), or the wavefronts of shared memory. max_same_address of atomics alone: it stays 0 for others.
void count_pattern(Pattern& pattern, std::uint32_t width, bool store, bool atomic);
/// Pattern::max_same_address, of any pattern.
[[nodiscard]] std::uint32_t most_on_one_address(const Pattern& pattern);

/// 32-byte sectors of a local access whose lanes' bytes begin at these places (machine/memory/local_memory.h).
[[nodiscard]] std::uint32_t count_local_sectors(const std::uint32_t* places, std::uint32_t mask, std::uint32_t width);

/// Counts and marks of an access whose lanes are too far apart for a Pattern (more than 2 GiB).
struct FarCounts {
  std::uint32_t sectors = 0, distinct_bytes = 0, max_same_address = 0;
};
[[nodiscard]] FarCounts analyse_far(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t width);

}  // namespace gpulab::simt
