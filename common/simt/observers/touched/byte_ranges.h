#pragma once
// Sets of bytes by address: ranges in order that neither meet nor overlap.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulab::simt {

struct ByteRange {
  std::uint64_t first = 0, end = 0;  ///< end: behind the last byte
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

class ByteRanges {
 public:
  ByteRanges() = default;
  ByteRanges(std::uint64_t first, std::uint64_t bytes) { add(first, first + bytes); }

  /// Cheap at the end, where most come.
  void add(std::uint64_t first, std::uint64_t end);
  void add(const ByteRanges& other);
  void clear() { ranges_.clear(); }
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] const std::vector<ByteRange>& all() const { return ranges_; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] bool contains(std::uint64_t address) const;
  [[nodiscard]] bool overlaps(const ByteRanges& other) const;
  /// At most `most` ranges of it.
  [[nodiscard]] ByteRanges common_with(const ByteRanges& other, std::size_t most) const;

 private:
  std::vector<ByteRange> ranges_;
};

}  // namespace gpulab::simt
