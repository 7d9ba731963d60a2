#pragma once
// Counting, per worker and per PTX instruction, so that no count is shared while a launch runs. Reduced at its end.

#include <cstdint>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

struct Allocation;
struct Warp;

/// How often a basic block was entered by a warp, and by how many lanes.
struct BlockCount {
  std::uint64_t warps = 0, lanes = 0;
};

/// How many bytes an access moves for each lane.
[[nodiscard]] std::uint32_t bytes_per_lane(const Meaning& meaning);

/// One PTX instruction's own counts, sums but for max_same_address; plain executions follow from its basic block. A
/// cache line of what an access counts, which code adds to at once, and one of the rest.
struct alignas(64) SiteStatistics {
  std::uint64_t requests[2] = {0, 0};                  ///< by space: global (and local) 0, shared 1
  std::uint64_t lanes[2] = {0, 0};                     ///< Σ active lanes
  std::uint64_t distinct_bytes = 0;                    ///< global
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared
  std::uint64_t local_sectors = 0;
  std::uint64_t sectors = 0;                   ///< global: distinct 32-byte sectors; local: local_sectors
  std::uint64_t guard_skipped = 0;             ///< warps in which the guard was false for all active lanes
  std::uint64_t guard_lanes_off = 0;           ///< lanes that a false guard switched off
  std::uint64_t divergent = 0;                 ///< branch: lanes disagreed
  std::uint64_t max_same_address[2] = {0, 0};  ///< atomics: the most lanes of one request on one address
  std::uint64_t unused[2] = {0, 0};            ///< up to the line's end
  void add(const SiteStatistics& other);
};

/// Set in Pattern::phase of accesses to shared memory: a generic access may be either.
inline constexpr std::uint32_t kSharedPhase = 256;

/// What one warp access looks like, relative to its first active lane's address; computed once, then recognised.
struct alignas(64) Pattern {
  std::int32_t relative[kLanes];         ///< address - base, 0 in inactive lanes
  std::uint32_t mask = 0;                ///< active lanes; 0: empty entry
  std::uint32_t base = 0;                ///< of the first access that had it (lower 32 bits): tells banks by number
  std::uint32_t phase = 0;               ///< what of the base matters (access.h), kSharedPhase included
  std::int32_t lowest = 0, highest = 0;  ///< of relative
  std::uint16_t sectors = 0, distinct_bytes = 0;
  std::uint8_t wavefronts = 0, ideal_wavefronts = 0;
  std::uint8_t max_same_address = 0;  ///< of atomics
  bool contiguous = false;            ///< lane i is at relative i * width and the mask is a prefix of the warp
  bool uniform = false;               ///< every active lane at the same address
  bool window = false;                ///< 4-byte words, all within 128 bytes
  bool windows = false;               ///< 4-byte words, those of either half warp within 128 bytes
  bool aligned = true;
  std::uint8_t words_behind[2] = {};  ///< windows: of either half warp, those behind its lowest
  std::int32_t lowest_of[2] = {};     ///< of relative, of either half warp
  /// Distinct sectors, counted from the one that base lies in. An aligned access has at most one per lane.
  std::int32_t sector_list[kLanes * 2];
};

inline constexpr int kPatternWays = 16;

/// The patterns that one PTX instruction has shown lately, found by signature. It has as many ways as it has shown
/// patterns, up to kPatternWays: code may have hundreds of thousands of accesses.
struct PatternCache {
  alignas(64) std::uint32_t signatures[kPatternWays];  ///< 0: no pattern has it
  Pattern* ways = nullptr;                             ///< of the PatternTable; they move when there are more
  const Allocation* allocation = nullptr;              ///< that the last access lay in
  std::uint32_t capacity = 0;                          ///< of `ways`
  std::uint32_t oldest = 0;                            ///< the way that is given up next
  std::uint32_t scattered = 0;      ///< accesses from now on whose patterns nobody looks for (scattered_words.h)
  std::uint32_t misses = 0;         ///< patterns that were not there, of nearly all accesses of late
  std::uint64_t missed_before = 0;  ///< SiteStatistics::requests when the last one was not
};

/// The way for a pattern that a cache has not: a new one, or where its table has no more room the oldest.
[[nodiscard]] std::uint32_t next_way(Warp& warp, PatternCache& cache);

}  // namespace gpulab::simt
