// Sets of bytes by address.
#include "common/simt/observers/touched/byte_ranges.h"

#include <set>

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("ranges that meet become one, in whichever order they come") {
  ByteRanges ranges;
  ranges.add(10, 20);
  ranges.add(30, 40);
  ranges.add(0, 5);
  CHECK(ranges.all() == std::vector<ByteRange>{{0, 5}, {10, 20}, {30, 40}});
  ranges.add(5, 10);
  CHECK(ranges.all() == std::vector<ByteRange>{{0, 20}, {30, 40}});
  ranges.add(15, 60);
  CHECK(ranges.all() == std::vector<ByteRange>{{0, 60}});
  ranges.add(7, 7);
  CHECK(ranges.bytes() == 60);
}

TEST_CASE("what two sets share is what bytes of both are in") {
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  for (int round = 0; round < 200; ++round) {
    ByteRanges one, other;
    std::set<std::uint64_t> bytes_of_one, both;
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t first = random(100), bytes = random(10);
      one.add(first, first + bytes);
      for (auto at = first; at < first + bytes; ++at) bytes_of_one.insert(at);
    }
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t first = random(100), bytes = random(10);
      other.add(first, first + bytes);
      for (auto at = first; at < first + bytes; ++at)
        if (bytes_of_one.contains(at)) both.insert(at);
    }
    const ByteRanges common = one.common_with(other, 100);
    CHECK(common.bytes() == both.size());
    CHECK(one.overlaps(other) == !both.empty());
    for (std::uint64_t at = 0; at < 110; ++at) {
      CHECK(common.contains(at) == both.contains(at));
      CHECK(one.contains(at) == bytes_of_one.contains(at));
    }
  }
}

}  // namespace
}  // namespace gpulab::simt
