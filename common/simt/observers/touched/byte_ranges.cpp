#include "common/simt/observers/touched/byte_ranges.h"

#include <algorithm>

namespace gpulab::simt {

void ByteRanges::add(std::uint64_t first, std::uint64_t end) {
  if (first >= end) return;
  if (ranges_.empty() || first > ranges_.back().end) {
    ranges_.push_back({first, end});
    return;
  }
  // All that meet the new one become one with it.
  const auto begin = std::ranges::lower_bound(ranges_, first, {}, &ByteRange::end);
  auto behind = begin;
  for (; behind != ranges_.end() && behind->first <= end; ++behind) {
    first = std::min(first, behind->first);
    end = std::max(end, behind->end);
  }
  if (begin == behind) {
    ranges_.insert(begin, {first, end});
    return;
  }
  *begin = {first, end};
  ranges_.erase(begin + 1, behind);
}

void ByteRanges::add(const ByteRanges& other) {
  for (const auto& range : other.ranges_) add(range.first, range.end);
}

std::uint64_t ByteRanges::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& range : ranges_) sum += range.end - range.first;
  return sum;
}

bool ByteRanges::contains(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &ByteRange::end);
  return next != ranges_.end() && next->first <= address;
}

bool ByteRanges::overlaps(const ByteRanges& other) const { return !common_with(other, 1).empty(); }

ByteRanges ByteRanges::common_with(const ByteRanges& other, std::size_t most) const {
  ByteRanges both;
  if (empty() || other.empty()) return both;
  // From the first that may meet the other's first: most sets are of other memory.
  auto one = std::ranges::upper_bound(ranges_, other.ranges_.front().first, {}, &ByteRange::end);
  auto two = std::ranges::upper_bound(other.ranges_, ranges_.front().first, {}, &ByteRange::end);
  while (one != ranges_.end() && two != other.ranges_.end() && both.ranges_.size() < most) {
    both.add(std::max(one->first, two->first), std::min(one->end, two->end));
    one->end < two->end ? ++one : ++two;
  }
  return both;
}

}  // namespace gpulab::simt
