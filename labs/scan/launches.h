#pragma once
// How the tiles of a scan come to one answer: by further scans of their totals, or by looking back.

#include "labs/lab.h"

namespace gpulab::labs::scan {

/// Sizes of the scans that follow each other: the array, its tiles' totals, the totals of their tiles … The last is
/// done by one block (one tile).
struct Pass {
  std::int64_t n;
  std::uint32_t grid;
};
[[nodiscard]] std::vector<Pass> passes(const Case& c, std::uint32_t per_thread);

/// Completes a variant whose kernel scans each tile by itself and leaves its total: totals are scanned by the same
/// kernel, and scan_add_offsets brings them back. `per_thread` elements make a tile.
[[nodiscard]] Variant scan_then_add(Variant variant, std::uint32_t per_thread);

/// Completes the variant that reduces tiles, scans their totals the same way, and scans each tile from its offset.
[[nodiscard]] Variant reduce_then_scan(Variant variant, std::uint32_t per_thread);

/// Completes the single pass: what tiles publish, and the ticket.
[[nodiscard]] Variant look_back(Variant variant, std::uint32_t per_thread);

[[nodiscard]] double levels(const Case& c);  ///< of a tree over a block's threads

}  // namespace gpulab::labs::scan
