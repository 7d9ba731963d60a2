#include "common/simt/compiled/spread.h"

#include <algorithm>
#include <set>

#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt::compiled {

namespace {
constexpr std::int64_t kMostBytes = 512;     ///< of vectors: beyond, a gather would be as quick
constexpr std::int64_t kMostSpan = 60 * 32;  ///< the sectors of any phase are bits of one word

std::int64_t vector_bytes() { return cpu_level() == "v4" ? 64 : cpu_level() == "v3" ? 32 : 16; }

/// How far each lies from the lowest, once.
std::set<std::int64_t> places_of(const Lanes& lanes) {
  const std::int64_t least = std::ranges::min(lanes);
  std::set<std::int64_t> places;
  for (const std::int64_t lane : lanes) places.insert(lane - least);
  return places;
}
}  // namespace

std::optional<Spread> spread_of(const Lanes& lanes, std::uint32_t width) {
  const std::set<std::int64_t> places = places_of(lanes);
  const std::int64_t bytes = vector_bytes(), span = *places.rbegin() + width;
  if ((width != 4 && width != 8) || span < bytes || span > kMostSpan) return std::nullopt;
  Spread spread{.values = static_cast<std::uint32_t>(bytes / width)};
  for (const std::int64_t place : places) {
    if (place % width != 0) return std::nullopt;
    if (!spread.vectors.empty() && place + width <= spread.vectors.back() + bytes) continue;
    if (std::ssize(spread.vectors) == kMostBytes / bytes) return std::nullopt;
    spread.vectors.push_back(std::min(place, span - bytes));
  }
  const std::int64_t least = std::ranges::min(lanes);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const auto behind = std::ranges::upper_bound(spread.vectors, lanes[i] - least);
    const auto vector = static_cast<std::size_t>(behind - spread.vectors.begin()) - 1;
    spread.lanes[i] = {static_cast<std::uint32_t>(vector),
                       static_cast<std::uint32_t>((lanes[i] - least - spread.vectors[vector]) / width)};
  }
  return spread;
}

SectorsByPhase sectors_by_phase(const Lanes& lanes, std::uint32_t width) {
  SectorsByPhase all{};
  const std::set<std::int64_t> places = places_of(lanes);
  for (std::size_t phase = 0; phase < 32; phase += width)
    for (const std::int64_t place : places)
      all[phase / 4] |= std::uint64_t{1} << ((place + static_cast<std::int64_t>(phase)) / 32);
  return all;
}

std::uint64_t distinct_bytes(const Lanes& lanes, std::uint32_t width) { return places_of(lanes).size() * width; }

}  // namespace gpulab::simt::compiled
