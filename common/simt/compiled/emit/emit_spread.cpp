// Loads of lanes that lie apart, at constant distances (spread.h): vectors that have them all, of which two at a time
// give a vector's lanes, and their sectors from a table.

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

/// `host`: of the lowest lane. LLVM has good code for lanes of two vectors, and takes them one by one of more.
Value Emitter::load_spread(const Operation& o, const Lanes& lanes, Value host) {
  const bool wide = o.width == 8;
  const Spread spread = *spread_of(lanes, o.width);
  const std::uint32_t values = spread.values;
  std::vector<Value> vectors;
  for (const std::int64_t from : spread.vectors)
    vectors.push_back(b_.load(b_.lanes(wide, values), b_.at(host, static_cast<std::uint64_t>(from)), o.width));

  std::vector<Value> parts;
  for (std::uint32_t first = 0; first < kLanes; first += values) {
    const auto place = [&](std::uint32_t i) { return spread.lanes[first + i]; };
    Value part = nullptr;
    for (std::uint32_t pair = 0; pair < vectors.size(); pair += 2) {
      std::vector<std::uint32_t> of_pair(values), of_both(values);
      bool any = false;
      for (std::uint32_t i = 0; i < values; ++i) {
        const bool here = place(i).vector / 2 == pair / 2;
        of_pair[i] = here ? place(i).vector % 2 * values + place(i).value : i;
        of_both[i] = here ? values + i : i;
        any = any || here;
      }
      if (!any) continue;
      const Value second = pair + 1 < vectors.size() ? vectors[pair + 1] : vectors[pair];
      const Value lanes_of_pair = b_.mixed(vectors[pair], second, of_pair);
      part = part ? b_.mixed(part, lanes_of_pair, of_both) : lanes_of_pair;
    }
    parts.push_back(part);
  }
  for (unsigned count = values; parts.size() > 1; count *= 2) {
    for (std::size_t k = 0; k < parts.size() / 2; ++k) parts[k] = b_.behind(parts[2 * k], parts[2 * k + 1], count);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

Value Emitter::sectors_apart(const Operation& o, const Lanes& lanes, const Place& place) {
  const SectorsByPhase& all = points_.sectors.emplace_back(sectors_by_phase(lanes, o.width));
  const Value of_phase = b_.op(kShl, b_.op(kLShr, b_.both(place.low, b_.k64(31)), b_.k64(2)), b_.k64(3));
  return b_.load(b_.integer(64), b_.at(pointer_to(all.data()), of_phase));
}

}  // namespace gpulab::simt::compiled
