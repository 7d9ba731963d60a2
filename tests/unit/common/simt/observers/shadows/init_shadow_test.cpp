// What initcheck remembers of bytes, and of bits.
#include "common/simt/observers/shadows/init_shadow.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("of a byte some bits may hold a value, until all do or it is forgotten") {
  InitShadow shadow(64);
  CHECK(shadow.unknown_bits(4, 4) == 0xffffffff);
  CHECK_FALSE(shadow.in_parts(4, 4));
  shadow.set_bits(4, 4, 0xff0ff000);
  CHECK(shadow.unknown_bits(4, 4) == 0xff0ff000);
  CHECK(shadow.unknown(4, 4) == 0b1110);
  CHECK(shadow.unknown_bits(5, 1) == 0xf0);
  CHECK(shadow.in_parts(6, 1));
  CHECK_FALSE(shadow.in_parts(7, 1));  // of which nothing is known
  shadow.set(5, 1);
  CHECK(shadow.unknown_bits(4, 4) == 0xff0f0000);
  CHECK_FALSE(shadow.in_parts(4, 2));
  shadow.set_range(4, 4, false);
  CHECK(shadow.unknown_bits(4, 4) == 0xffffffff);
  CHECK_FALSE(shadow.in_parts(0, 16));
  shadow.set_bits(8, 8, 0x0100000000000000);
  CHECK(shadow.unknown_bits(8, 8) == 0x0100000000000000);
  shadow.set_bits(8, 8, 0);
  CHECK(shadow.known(8, 8));
}

TEST_CASE("ranges of bytes that hold a value are found over pages of any kind") {
  constexpr std::uint64_t page = InitShadow::kPageBytes, bytes = 5 * page + 7;
  InitShadow shadow(bytes);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  const auto look = [&] {
    found.clear();
    shadow.for_each_range(bytes, [&](std::uint64_t first, std::uint64_t end) { found.emplace_back(first, end); });
    return found;
  };
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  CHECK(look().empty());
  shadow.set(3, 2);
  shadow.set(63, 2);
  shadow.set_range(page - 1, 2 * page + 1, true);
  shadow.set_range(bytes - 1, 1, true);
  CHECK(look() == Ranges{{3, 5}, {63, 65}, {page - 1, 3 * page}, {bytes - 1, bytes}});
  shadow.set_range(0, bytes, true);
  CHECK(look() == Ranges{{0, bytes}});
}

TEST_CASE("which bytes hold a value takes memory where some of a page do and others do not") {
  constexpr std::uint64_t bytes = std::uint64_t{5} << 30;
  InitShadow shadow(bytes);
  const std::uint64_t before = shadow.memory();
  CHECK(before < bytes / 1000);
  shadow.set_range(3, bytes - 5, true);
  CHECK(shadow.memory() < before + (20 << 10));
  CHECK_FALSE(shadow.known(2, 2));
  CHECK(shadow.known_range(3, bytes - 5));
  CHECK_FALSE(shadow.known(bytes - 3, 2));
  shadow.set(bytes / 2, 16);  // which is known: no page of its own
  CHECK(shadow.memory() < before + (20 << 10));
  shadow.set_range(bytes / 2 + 1, 1, false);
  CHECK(shadow.unknown(bytes / 2, 4) == 0b0010);
  shadow.set_range(0, bytes, false);
  CHECK(shadow.unknown(bytes / 2, 16) == 0xffff);
  CHECK(shadow.unknown(bytes - 16, 16) == 0xffff);
}

TEST_CASE("bytes on both sides of a page's end are told apart") {
  constexpr std::uint64_t end = InitShadow::kPageBytes;
  InitShadow shadow(2 * end);
  shadow.set(end - 4, 16);
  CHECK(shadow.known(end - 4, 16));
  CHECK_FALSE(shadow.known(end - 5, 1));
  CHECK_FALSE(shadow.known(end + 12, 1));
  CHECK(shadow.unknown(end - 6, 8) == 0b11);
  shadow.set_range(end - 64, 128, true);
  CHECK(shadow.known_range(end - 64, 128));
  shadow.set_bits(end - 1, 2, 0x0100);
  CHECK(shadow.in_parts(end, 1));
  CHECK(shadow.known(end - 1, 1));
}

}  // namespace
TEST_CASE("stretches without a value are told by offset, across words and pages, and only so many") {
  InitShadow shadow(4 * InitShadow::kPageBytes);
  const auto unknown = [&](std::uint64_t at, std::uint64_t bytes, std::size_t most = 9) {
    std::vector<Stretch> found;
    shadow.add_unknown({at, bytes}, found, most);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto& range : found) all.emplace_back(range.offset, range.bytes);
    return all;
  };
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const std::uint64_t page = InitShadow::kPageBytes;
  CHECK(unknown(10, 3 * page) == Pairs{{10, 3 * page}});
  shadow.set_range(0, 2 * page, true);
  CHECK(unknown(10, page) == Pairs{});
  CHECK(unknown(10, 3 * page) == Pairs{{2 * page, page + 10}});
  shadow.set_range(60, 10, false);
  shadow.set_range(page - 3, 6, false);
  CHECK(unknown(0, 2 * page) == Pairs{{60, 10}, {page - 3, 6}});
  CHECK(unknown(65, 2) == Pairs{{65, 2}});
  CHECK(unknown(0, 2 * page, 1) == Pairs{{60, 10}});
}

}  // namespace gpulab::simt
