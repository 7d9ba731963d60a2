#pragma once
// What of the device's memory has changed since somebody looked.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/machine/memory/stretch.h"

namespace gpulab {

/// Allocations are known by their addresses, which are never given twice.
class MemoryVersions {
 public:
  void changed(std::uint64_t allocation, Stretch where);
  /// Somebody has stored, and nobody knows where.
  void all_changed() { all_ = ++now_; }
  /// Of the last change.
  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// Whether some of these bytes have changed after that.
  [[nodiscard]] bool has_changed(std::uint64_t allocation, Stretch where, std::uint64_t since) const;

 private:
  struct Change {
    Stretch where;
    std::uint64_t version;
  };
  /// Changes of an allocation that are told apart, and allocations: programs allocate and free in loops.
  static constexpr std::size_t kMostChanges = 32, kMostAllocations = 1 << 16;
  std::unordered_map<std::uint64_t, std::vector<Change>> changes_;  ///< the last of each place, in their order
  std::uint64_t all_ = 0, now_ = 0;
};

}  // namespace gpulab
