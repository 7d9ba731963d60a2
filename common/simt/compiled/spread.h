#pragma once
// Loads of lanes that lie apart, each at a constant distance from lane 0's: members of structures, every second
// element, a row from its end. A few vectors have all of them, and constants say where.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/simt/compiled/flow.h"

namespace gpulab::simt::compiled {

struct Spread {
  std::uint32_t values = 0;             ///< of a vector, as many as the CPU's have
  std::vector<std::int64_t> vectors{};  ///< where each begins, in bytes behind the lowest lane's
  struct Place {
    std::uint32_t vector = 0, value = 0;
  };
  std::array<Place, kLanes> lanes{};
};

/// Nothing where they need too many vectors, where no vector fits between the lowest and the highest, or where not all
/// are aligned when one is. `width`: bytes of a lane, 4 or 8. No vector reaches beyond the highest lane's bytes.
[[nodiscard]] std::optional<Spread> spread_of(const Lanes& lanes, std::uint32_t width);

/// Bit k of [phase / 4]: lanes touch the sector k behind that of the lowest, which lies `phase` bytes within its own.
using SectorsByPhase = std::array<std::uint64_t, 8>;
[[nodiscard]] SectorsByPhase sectors_by_phase(const Lanes& lanes, std::uint32_t width);
/// Bytes that lanes touch, each once.
[[nodiscard]] std::uint64_t distinct_bytes(const Lanes& lanes, std::uint32_t width);

}  // namespace gpulab::simt::compiled
