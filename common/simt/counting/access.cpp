#include "common/simt/counting/access.h"

#include <algorithm>
#include <array>
#include <bit>

namespace gpulab::simt {

namespace {

/// The lanes of a mask, in order.
struct LaneList {
  std::array<int, kLanes> lane{};
  int count = 0;
  explicit LaneList(std::uint32_t mask) {
    for (; mask; mask &= mask - 1) lane[count++] = std::countr_zero(mask);
  }
};

/// Wavefronts of one pass: the largest number of distinct 4-byte words that lie in one of the 32 banks. Lanes on one
/// word share it (a broadcast); a word takes in its bytes and half words.
int pass_wavefronts(const std::int64_t* addresses, std::uint32_t lanes, std::uint32_t width) {
  std::array<std::int64_t, kLanes * 4> words;
  int count = 0;
  for (; lanes; lanes &= lanes - 1) {
    const std::int64_t first = addresses[std::countr_zero(lanes)] >> 2;
    for (std::uint32_t k = 0; k < std::max(width / 4, 1u); ++k) words[count++] = first + k;
  }
  std::sort(words.begin(), words.begin() + count);
  const int distinct = static_cast<int>(std::unique(words.begin(), words.begin() + count) - words.begin());
  std::array<int, kLanes> in_bank{};
  int most = 0;
  for (int i = 0; i < distinct; ++i) most = std::max(most, ++in_bank[words[i] & 31]);
  return most;
}

/// True if for every active lane n the lane n ^ distance has the same address or is inactive.
bool paired(const std::int64_t* addresses, std::uint32_t mask, int distance) {
  for (std::uint32_t left = mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const int other = lane ^ distance;
    if ((mask >> other & 1) && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

/// Lanes that one pass serves: 32 for accesses of up to 4 bytes, a half warp for 8 bytes, a quarter for 16. Passes of a
/// load serve twice as many lanes where every active lane n has the address of lane n^1, or every one that of lane n^2;
/// an inactive partner counts as equal. This holds for the whole warp or not at all. Stores never merge passes, nor do
/// larger distances. Measured on an H200: all 1287 loads and stores of tests/data/fidelity_h200.csv have these passes
/// and wavefronts.
int lanes_per_pass(const std::int64_t* addresses, std::uint32_t mask, std::uint32_t width, bool store) {
  if (width <= 4) return 32;
  const int lanes = width == 8 ? 16 : 8;
  return !store && (paired(addresses, mask, 1) || paired(addresses, mask, 2)) ? 2 * lanes : lanes;
}

/// A request's wavefronts are those of its passes together. One per pass is the ideal, so a clean store of 16 bytes per
/// lane has 4 wavefronts and no conflict.
void analyse_banks(Pattern& pattern, const std::int64_t* addresses, std::uint32_t width, bool store) {
  const int lanes = lanes_per_pass(addresses, pattern.mask, width, store);
  int wavefronts = 0, passes = 0;
  for (int first = 0; first < kLanes; first += lanes) {
    const std::uint32_t of_pass = lanes == 32 ? pattern.mask : pattern.mask & (((1u << lanes) - 1) << first);
    if (!of_pass) continue;
    ++passes;
    wavefronts += pass_wavefronts(addresses, of_pass, width);
  }
  pattern.wavefronts = static_cast<std::uint8_t>(wavefronts);
  pattern.ideal_wavefronts = static_cast<std::uint8_t>(passes);
}

void analyse_sectors(Pattern& pattern, const std::int64_t* addresses, const LaneList& lanes, std::uint32_t width) {
  std::array<std::int64_t, kLanes> starts;
  for (int i = 0; i < lanes.count; ++i) starts[i] = addresses[lanes.lane[i]];
  std::sort(starts.begin(), starts.begin() + lanes.count);
  std::int64_t covered = INT64_MIN, last_sector = INT64_MIN;
  for (int i = 0; i < lanes.count; ++i) {
    const std::int64_t begin = std::max(starts[i], covered), end = starts[i] + width;
    if (begin < end) pattern.distinct_bytes = static_cast<std::uint16_t>(pattern.distinct_bytes + (end - begin));
    covered = std::max(covered, end);
    for (std::int64_t sector = starts[i] >> 5; sector <= (end - 1) >> 5; ++sector)
      if (sector > last_sector) {
        pattern.sector_list[pattern.sectors++] = static_cast<std::int32_t>(sector);
        last_sector = sector;
      }
  }
}

std::uint32_t most_on_one_address(const std::int64_t* addresses, const LaneList& lanes) {
  std::array<std::int64_t, kLanes> sorted;
  for (int i = 0; i < lanes.count; ++i) sorted[i] = addresses[lanes.lane[i]];
  std::sort(sorted.begin(), sorted.begin() + lanes.count);
  std::uint32_t most = 0, run = 0;
  for (int i = 0; i < lanes.count; ++i) {
    run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

}  // namespace

void analyse(Pattern& pattern, const std::int32_t* relative, std::uint32_t mask, std::uint32_t phase,
             std::uint32_t width, bool store) {
  pattern = Pattern{};
  std::copy_n(relative, kLanes, pattern.relative);
  pattern.mask = mask;
  pattern.phase = phase;
  const LaneList lanes(mask);
  std::array<std::int64_t, kLanes> addresses{};
  pattern.contiguous = (mask & (mask + 1)) == 0;  // a prefix of the warp
  pattern.uniform = true;
  for (int i = 0; i < lanes.count; ++i) {
    const int lane = lanes.lane[i];
    addresses[lane] = std::int64_t{phase & ~kSharedPhase} + relative[lane];
    pattern.lowest = std::min(pattern.lowest, relative[lane]);
    pattern.highest = std::max(pattern.highest, relative[lane]);
    pattern.contiguous = pattern.contiguous && relative[lane] == static_cast<std::int32_t>(i * width);
    pattern.uniform = pattern.uniform && relative[lane] == 0;
    pattern.aligned = pattern.aligned && (addresses[lane] & (width - 1)) == 0;
  }
  pattern.max_same_address = static_cast<std::uint8_t>(most_on_one_address(addresses.data(), lanes));
  pattern.window = width == 4 && pattern.aligned && std::int64_t{pattern.highest} - pattern.lowest < 4 * kLanes;
  if (phase & kSharedPhase)
    analyse_banks(pattern, addresses.data(), width, store);
  else
    analyse_sectors(pattern, addresses.data(), lanes, width);
}

std::uint32_t local_sectors(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t width) {
  std::array<std::uint64_t, kLanes * 4> sectors;
  int count = 0;
  for (const LaneList lanes(mask); const int lane : std::span(lanes.lane.data(), lanes.count))
    for (std::uint64_t word = addresses[lane] >> 2; word <= (addresses[lane] + width - 1) >> 2; ++word)
      sectors[count++] = (word * 128 + 4 * static_cast<std::uint64_t>(lane)) >> 5;
  std::sort(sectors.begin(), sectors.begin() + count);
  return static_cast<std::uint32_t>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
}

FarCounts analyse_far(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t width) {
  const LaneList lanes(mask);
  std::array<std::uint64_t, kLanes> starts;
  for (int i = 0; i < lanes.count; ++i) starts[i] = addresses[lanes.lane[i]];
  std::sort(starts.begin(), starts.begin() + lanes.count);
  FarCounts counts;
  std::uint64_t covered = 0, next_sector = 0;
  std::uint32_t run = 0;
  for (int i = 0; i < lanes.count; ++i) {
    run = i && starts[i] == starts[i - 1] ? run + 1 : 1;
    counts.max_same_address = std::max(counts.max_same_address, run);
    const std::uint64_t end = starts[i] + width;
    if (end > covered) counts.distinct_bytes += static_cast<std::uint32_t>(end - std::max(starts[i], covered));
    covered = std::max(covered, end);
    for (std::uint64_t sector = starts[i] >> 5; sector <= (end - 1) >> 5; ++sector)
      if (sector >= next_sector) {
        ++counts.sectors;
        next_sector = sector + 1;
      }
  }
  return counts;
}

}  // namespace gpulab::simt
