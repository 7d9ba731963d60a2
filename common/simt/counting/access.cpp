#include "common/simt/counting/access.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/simt/of_thread.h"

namespace gpulab::simt {

namespace {

/// Tells which numbers are new, by a table that need not be emptied: what earlier accesses left in it does not count.
class SeenNumbers {
 public:
  struct Found {
    std::uint32_t place;  ///< below kPlaces, and no other number's
    bool is_new;
  };
  static constexpr std::uint32_t kPlaces = 512;  ///< of which an access takes 128 at most: few meet

  SeenNumbers() {
    Table& table = OfThread<Table>::one();
    if (++table.generation == 0) table = {};
    entries_ = table.entries.data();
    generation_ = std::uint64_t{table.generation} << 32;
  }
  /// Without a branch but for numbers that meet: whether one is new is nothing that a CPU could foretell.
  [[gnu::always_inline]] Found add(std::uint32_t number) const {
    const std::uint64_t wanted = generation_ | number;
    std::uint32_t place = (number * 0x9e3779b1u) >> 23;
    std::uint64_t there = entries_[place];
    while (static_cast<int>(there != wanted) & static_cast<int>((there ^ generation_) >> 32 == 0)) [[unlikely]] {
        place = (place + 1) % kPlaces;
        there = entries_[place];
      }
    entries_[place] = wanted;
    return {place, there != wanted};
  }

 private:
  struct Table {
    std::array<std::uint64_t, kPlaces> entries{};  ///< the generation, then the number
    std::uint32_t generation = 0;
  };
  std::uint64_t* entries_;
  std::uint64_t generation_;
};

/// The same for small numbers, which are places themselves: half the work.
class SeenSmallNumbers {
 public:
  static constexpr std::uint32_t kEnd = 8192;  ///< of the numbers

  SeenSmallNumbers() {
    Table& table = OfThread<Table>::one();
    if (++table.generation == 0) table = {{}, 1};
    entries_ = table.entries.data();
    generation_ = table.generation;
  }
  /// Whether it is new.
  [[gnu::always_inline]] bool add(std::uint32_t number) const {
    const bool is_new = entries_[number] != generation_;
    entries_[number] = generation_;
    return is_new;
  }

 private:
  struct Table {
    std::array<std::uint16_t, kEnd> entries{};
    std::uint16_t generation = 0;
  };
  std::uint16_t* entries_;
  std::uint16_t generation_;
};

/// Where an active lane is, from the sector that the pattern's base lies in.
std::int64_t address_of(const Pattern& pattern, int lane) {
  return std::int64_t{pattern.phase & ~kSharedPhase} + pattern.relative[lane];
}

/// The largest number of new words that lie in one bank. `words` of each lane.
template <typename IsNew>
[[gnu::always_inline]] inline int most_in_a_bank(const Pattern& pattern, std::uint32_t lanes, std::uint32_t words,
                                                 IsNew is_new) {
  std::array<std::uint8_t, kLanes> in_bank{};
  const auto phase = std::int64_t{pattern.phase & ~kSharedPhase};
  const auto lowest = static_cast<std::uint32_t>((phase + pattern.lowest) >> 2);
  for (; lanes; lanes &= lanes - 1) {
    const std::int32_t relative = pattern.relative[std::countr_zero(lanes)];
    const std::uint32_t first = static_cast<std::uint32_t>((phase + relative) >> 2) - lowest;
    for (std::uint32_t word = first; word != first + words; ++word)
      in_bank[word & 31] = static_cast<std::uint8_t>(in_bank[word & 31] + static_cast<int>(is_new(word)));
  }
  std::uint8_t most = 0;
  for (const std::uint8_t count : in_bank) most = std::max(most, count);
  return most;
}

/// Wavefronts of one pass: the largest number of distinct 4-byte words that lie in one of the 32 banks. Lanes on one
/// word share it (a broadcast); a word takes in its bytes and half words. Banks are told apart, not by their numbers.
int pass_wavefronts(const Pattern& pattern, std::uint32_t lanes, std::uint32_t width) {
  const std::uint32_t words = std::max(width / 4, 1u);
  const std::int64_t span = std::int64_t{pattern.highest} - pattern.lowest;
  if (span / 4 + words + 2 > SeenSmallNumbers::kEnd) {
    const SeenNumbers seen;
    return most_in_a_bank(pattern, lanes, words, [&](std::uint32_t word) { return seen.add(word).is_new; });
  }
  const SeenSmallNumbers seen;
  const auto is_new = [&](std::uint32_t word) { return seen.add(word); };
  return words == 1 ? most_in_a_bank(pattern, lanes, 1, is_new) : most_in_a_bank(pattern, lanes, words, is_new);
}

/// True if for every active lane n the lane n ^ distance has the same address or is inactive.
bool paired(const Pattern& pattern, int distance) {
  for (std::uint32_t left = pattern.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const int other = lane ^ distance;
    if ((pattern.mask >> other & 1) && pattern.relative[lane] != pattern.relative[other]) return false;
  }
  return true;
}

/// Lanes that one pass serves: 32 for accesses of up to 4 bytes, a half warp for 8 bytes, a quarter for 16. Passes of a
/// load serve twice as many lanes where every active lane n has the address of lane n^1, or every one that of lane n^2;
/// an inactive partner counts as equal. This holds for the whole warp or not at all. Stores never merge passes, nor do
/// larger distances. Measured on an H200: all 1287 loads and stores of tests/data/fidelity_h200.csv have these passes
/// and wavefronts.
int lanes_per_pass(const Pattern& pattern, std::uint32_t width, bool store) {
  if (width <= 4) return 32;
  const int lanes = width == 8 ? 16 : 8;
  return !store && (paired(pattern, 1) || paired(pattern, 2)) ? 2 * lanes : lanes;
}

/// A request's wavefronts are those of its passes together. One per pass is the ideal, so a clean store of 16 bytes per
/// lane has 4 wavefronts and no conflict.
void count_banks(Pattern& pattern, std::uint32_t width, bool store) {
  const int lanes = lanes_per_pass(pattern, width, store);
  int wavefronts = 0, passes = 0;
  for (int first = 0; first < kLanes; first += lanes) {
    const std::uint32_t of_pass = lanes == 32 ? pattern.mask : pattern.mask & (((1u << lanes) - 1) << first);
    if (!of_pass) continue;
    ++passes;
    wavefronts += pass_wavefronts(pattern, of_pass, width);
  }
  pattern.wavefronts = static_cast<std::uint8_t>(wavefronts);
  pattern.ideal_wavefronts = static_cast<std::uint8_t>(passes);
}

/// Each lane's bytes lie in one sector: an access that is not aligned faults.
void count_sectors(Pattern& pattern, std::uint32_t width) {
  const SeenNumbers seen;
  std::array<std::uint32_t, SeenNumbers::kPlaces> bytes;  // of the sectors seen, by their places: a bit for each
  std::array<std::uint32_t, kLanes> places;
  std::uint32_t sectors = 0, distinct_bytes = 0;
  const std::uint64_t of_lane = (std::uint64_t{1} << width) - 1;
  for (std::uint32_t left = pattern.mask; left; left &= left - 1) {
    const std::int64_t at = address_of(pattern, std::countr_zero(left));
    const auto sector = static_cast<std::int32_t>(at >> 5);
    const auto [place, is_new] = seen.add(static_cast<std::uint32_t>(sector));
    bytes[place] = (is_new ? 0 : bytes[place]) | static_cast<std::uint32_t>(of_lane << (at & 31));
    pattern.sector_list[sectors] = sector;
    places[sectors] = place;
    sectors += is_new;
  }
  for (std::uint32_t i = 0; i < sectors; ++i)
    distinct_bytes += static_cast<std::uint32_t>(std::popcount(bytes[places[i]]));
  pattern.sectors = static_cast<std::uint16_t>(sectors);
  pattern.distinct_bytes = static_cast<std::uint16_t>(distinct_bytes);
}

}  // namespace

std::uint32_t most_on_one_address(const Pattern& pattern) {
  const SeenNumbers seen;
  std::array<std::uint8_t, SeenNumbers::kPlaces> lanes;
  std::uint8_t most = 0;
  for (std::uint32_t left = pattern.mask; left; left &= left - 1) {
    const auto [place, is_new] = seen.add(static_cast<std::uint32_t>(pattern.relative[std::countr_zero(left)]));
    lanes[place] = static_cast<std::uint8_t>((is_new ? 0 : lanes[place]) + 1);
    most = std::max(most, lanes[place]);
  }
  return most;
}

void count_pattern(Pattern& pattern, std::uint32_t width, bool store, bool atomic) {
  pattern.sectors = pattern.distinct_bytes = 0;
  pattern.wavefronts = pattern.ideal_wavefronts = 0;
  pattern.max_same_address = atomic ? static_cast<std::uint8_t>(most_on_one_address(pattern)) : 0;
  if (pattern.phase & kSharedPhase)
    count_banks(pattern, width, store);
  else
    count_sectors(pattern, width);
}

std::uint32_t count_local_sectors(const std::uint32_t* places, std::uint32_t mask, std::uint32_t width) {
  const SeenNumbers seen;
  const std::uint32_t unit = std::max(width, 4u);
  std::uint32_t sectors = 0;
  for (; mask; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    sectors += seen.add(places[lane] / (unit * kLanes) * 4 + lane / 8).is_new;
  }
  return sectors * (unit / 4);
}

FarCounts analyse_far(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t width) {
  std::array<std::uint64_t, kLanes> starts;
  int lanes = 0;
  for (; mask; mask &= mask - 1) starts[lanes++] = addresses[std::countr_zero(mask)];
  std::sort(starts.begin(), starts.begin() + lanes);
  FarCounts counts;
  std::uint64_t covered = 0, next_sector = 0;
  std::uint32_t run = 0;
  for (int i = 0; i < lanes; ++i) {
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
