#pragma once
// What a launch, with all that its kernels launch, has touched of global memory.

#include <cstdint>
#include <map>
#include <string>

#include "common/simt/observers/touched/byte_ranges.h"

namespace gpulab::simt {

/// Of which memory it is kept.
enum class Touches : std::uint8_t {
  none,
  of_host,  ///< that the host sees, too: pinned, managed
  all
};

struct TouchedBytes {
  ByteRanges read, written;
  /// By atomics, volatile and .relaxed, .acquire, .release: of the device's own memory, and of what the host sees, too.
  ByteRanges atomic, shared_atomic;
  std::map<std::uint64_t, std::string> names;  ///< of the allocations, by their first byte
  /// All that takes memory here.
  [[nodiscard]] std::size_t ranges() const {
    return read.all().size() + written.all().size() + atomic.all().size() + shared_atomic.all().size();
  }
};

}  // namespace gpulab::simt
