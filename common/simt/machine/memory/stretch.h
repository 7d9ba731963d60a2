#pragma once
// Bytes that lie together: of an allocation, a file, an array.

#include <cstdint>

namespace gpulab {

struct Stretch {
  std::uint64_t offset = 0, bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + bytes; }
  [[nodiscard]] bool operator==(const Stretch&) const = default;
};

}  // namespace gpulab
