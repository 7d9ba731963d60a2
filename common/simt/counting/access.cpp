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
  // The distinct words of each bank: a chain, most of them short.
  std::array<std::int64_t, kLanes * 4> words;
  constexpr std::uint8_t none = 255;
  std::array<std::uint8_t, kLanes * 4> next;
  std::array<std::uint8_t, kLanes> last, in_bank{};
  last.fill(none);
  std::uint8_t count = 0;
  int most = 0;
  for (; lanes; lanes &= lanes - 1) {
    const std::int64_t first = addresses[std::countr_zero(lanes)] >> 2;
    for (std::uint32_t k = 0; k < std::max(width / 4, 1u); ++k) {
      const std::int64_t word = first + k;
      const auto bank = static_cast<std::size_t>(word & 31);
      std::uint8_t other = last[bank];
      while (other != none && words[other] != word) other = next[other];
      if (other != none) continue;
      words[count] = word;
      next[count] = last[bank];
      last[bank] = count++;
      most = std::max<int>(most, ++in_bank[bank]);
    }
  }
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
  // A table of lanes by address, twice as large as a warp.
  constexpr std::uint32_t kPlaces = 2 * kLanes;
  std::array<std::int64_t, kPlaces> at;
  std::array<std::uint8_t, kPlaces> count{};
  std::uint32_t most = 0;
  for (int i = 0; i < lanes.count; ++i) {
    const std::int64_t address = addresses[lanes.lane[i]];
    std::uint32_t place = (static_cast<std::uint32_t>(address) * 0x9e3779b1u) >> 26;
    while (count[place] && at[place] != address) place = (place + 1) % kPlaces;
    at[place] = address;
    most = std::max<std::uint32_t>(most, ++count[place]);
  }
  return most;
}

}  // namespace

// All 32 lanes at once: inactive ones are at 0, where the first active one is.
void analyse_shape(Pattern& pattern, const std::int32_t* relative, std::uint32_t mask, std::uint32_t phase,
                   std::uint32_t width) {
  pattern.mask = mask;
  pattern.phase = phase;
  std::int32_t lowest = 0, highest = 0;
  std::uint32_t any = 0, apart = 0, bits = phase & ~kSharedPhase;
  for (int i = 0; i < kLanes; ++i) {
    const std::int32_t at = relative[i];
    pattern.relative[i] = at;
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
    any |= static_cast<std::uint32_t>(at);
    apart |= (static_cast<std::uint32_t>(at) ^ static_cast<std::uint32_t>(i) * width) &
             (mask >> i & 1 ? ~std::uint32_t{0} : 0);
    bits |= static_cast<std::uint32_t>(at);
  }
  pattern.lowest = lowest;
  pattern.highest = highest;
  pattern.contiguous = (mask & (mask + 1)) == 0 && apart == 0;  // a prefix of the warp
  pattern.uniform = any == 0;
  pattern.aligned = (bits & (width - 1)) == 0;
  pattern.window = width == 4 && pattern.aligned && std::int64_t{highest} - lowest < 4 * kLanes;
}

void analyse(Pattern& pattern, const std::int32_t* relative, std::uint32_t mask, std::uint32_t phase,
             std::uint32_t width, bool store) {
  pattern.sectors = pattern.distinct_bytes = 0;
  pattern.wavefronts = pattern.ideal_wavefronts = 0;
  analyse_shape(pattern, relative, mask, phase, width);
  const LaneList lanes(mask);
  std::array<std::int64_t, kLanes> addresses;
  for (int i = 0; i < kLanes; ++i) addresses[i] = std::int64_t{phase & ~kSharedPhase} + relative[i];
  pattern.max_same_address = static_cast<std::uint8_t>(most_on_one_address(addresses.data(), lanes));
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
