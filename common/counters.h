#pragma once
// Counters of a launch, PTX-level, as metrics.md defines them. Counting is exact; ratios derive from counts.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gpulab {

/// Raw counts. Sums over launches; `atomic_*_max_lanes` are maxima.
struct Counters {
  std::uint64_t warps = 0;  ///< warps launched
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::uint64_t branches = 0, divergent_branches = 0;
  std::uint64_t global_load_requests = 0, global_store_requests = 0;
  std::uint64_t global_ordered_load_requests = 0;  ///< of the load requests, the volatile, relaxed and acquire ones
  std::uint64_t global_load_sectors = 0, global_store_sectors = 0;
  std::uint64_t global_bytes_loaded = 0, global_bytes_stored = 0;                    ///< sum of lane bytes
  std::uint64_t global_distinct_bytes_loaded = 0, global_distinct_bytes_stored = 0;  ///< per request, duplicates once
  std::uint64_t global_read_footprint_bytes = 0, global_write_footprint_bytes = 0;
  std::uint64_t shared_load_requests = 0, shared_store_requests = 0;
  std::uint64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0;
  std::uint64_t shared_load_bank_conflicts = 0, shared_store_bank_conflicts = 0;
  std::uint64_t local_load_sectors = 0, local_store_sectors = 0;
  std::uint64_t global_atomic_requests = 0, shared_atomic_requests = 0;
  std::uint64_t global_atomic_max_lanes = 0, shared_atomic_max_lanes = 0;  ///< lanes of one request on one address
  std::uint64_t barriers = 0;                                              ///< barrier instructions per warp, summed
  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;
};

/// One reported counter: its flat JSON name, the names lectures and profilers use, and how to get it.
struct CounterInfo {
  std::string_view name, ncu, nvprof, meaning;
  bool ratio;  ///< 0..1 rather than a count
  /// Absent where the ratio has no denominator (no loads: no load efficiency).
  std::optional<double> (*value)(const Counters&);
  std::uint64_t Counters::*field;  ///< null for ratios
};

/// Every reported counter, in report order.
[[nodiscard]] std::span<const CounterInfo> counter_table();

}  // namespace gpulab
