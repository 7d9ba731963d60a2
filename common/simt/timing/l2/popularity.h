#pragma once
// What traced blocks ask of global memory, by sector; and which of the sectors that a grid reads here and there L2
// still holds: a table whose words are all as popular, or a tree whose root everybody comes by.

#include "common/simt/timing/trace/sector_set.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// Of all traced blocks of a grid.
struct AskedSectors {
  explicit AskedSectors(const GridTrace& trace);
  SectorSet unique, pairs;  ///< of two sectors
  SectorSet partial;        ///< that a store leaves bytes of as they were
  SectorSet random;         ///< that lanes ask for up and down
  double asked = 0, at_random = 0;
  double partial_bytes = 0;  ///< that such stores bring
  double site_bytes = 0;     ///< the same, of each instruction and sector once
};
constexpr double kWholeSector = 28;  ///< bytes that are stored of one, and more: all of them

/// What a grid asks for at random addresses, by its traced blocks and by all of them; in sectors.
struct Popularity {
  double asked = 0, distinct = 0;  ///< by the traced blocks
  double all = 0;                  ///< distinct ones of the whole grid
  double room = 0;                 ///< of L2
};

/// How likely what a block asks for first has left L2, beside how likely that were if all sectors were as popular; at
/// most 1. Popularity falls by a power of the rank (Zipf), by the one under which traced blocks would meet as many
/// different sectors as they do; of L2, which keeps what was asked for last, Che's approximation says what it misses.
[[nodiscard]] double misses_beside_uniform(const Popularity& popularity);

}  // namespace gpulab::simt
