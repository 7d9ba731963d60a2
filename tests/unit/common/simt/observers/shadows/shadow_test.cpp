// What racecheck remembers of a granule: one writer, two readers, and lists where no order separates more.
#include "common/simt/observers/shadows/shadow.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

std::vector<std::uint32_t> readers(RaceShadow& shadow, std::uint64_t cell) {
  std::vector<std::uint32_t> warps;
  shadow.erase_readers_if(cell, [&](const GroupCell& reader) {
    warps.push_back(reader.warp);
    return false;
  });
  return warps;
}

void add_readers(RaceShadow& shadow, std::uint64_t cell, std::uint32_t count) {
  shadow.touch(cell + 1);
  for (std::uint32_t warp = 0; warp < count; ++warp) shadow.add_reader(cell, {warp, 1, 1, 7});
}

TEST_CASE("all readers of a granule are kept, however many") {
  RaceShadow shadow(64);
  add_readers(shadow, 3, 5);
  CHECK(readers(shadow, 3) == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  CHECK(readers(shadow, 2).empty());
  shadow.erase_readers_if(3, [](const GroupCell& reader) { return reader.warp % 2 == 0; });
  CHECK(readers(shadow, 3) == std::vector<std::uint32_t>{1, 3});
  shadow.erase_readers_if(3, [](const GroupCell&) { return true; });
  CHECK(readers(shadow, 3).empty());
  add_readers(shadow, 3, 3);
  CHECK(readers(shadow, 3).size() == 3);
}

TEST_CASE("a granule that is cut in half takes its lists along, each half its own") {
  RaceShadow shadow(64);
  add_readers(shadow, 1, 4);
  shadow.make_list(1, {{9, 1, 2}, {{0, 1, 1, 3}}});
  shadow.refine(2);
  CHECK(shadow.granule() == 2);
  CHECK(readers(shadow, 2).size() == 4);
  CHECK(readers(shadow, 3).size() == 4);
  shadow.erase_readers_if(2, [](const GroupCell&) { return true; });
  CHECK(readers(shadow, 3).size() == 4);
  shadow.write(2, {5, 5, 5});
  CHECK(shadow.writers(2) == nullptr);
  CHECK(shadow.written(2).thread == 5);
  REQUIRE(shadow.writers(3));
  CHECK(shadow.writers(3)->plain.thread == 9);
  CHECK(shadow.writers(3)->atomics.size() == 1);
}

TEST_CASE("a list is nobody's access: of no thread, and newer than every barrier") {
  RaceShadow shadow(64);
  add_readers(shadow, 0, 3);
  shadow.make_list(0, {});
  CHECK(shadow.last_reader(0).clock == UINT32_MAX);
  CHECK(shadow.last_reader(0).warp == UINT32_MAX);
  CHECK(shadow.written(0).clock == UINT32_MAX);
  CHECK(shadow.written(0).thread == UINT32_MAX);
}

TEST_CASE("of a list of readers the newest clock is known, and it goes as a whole") {
  RaceShadow shadow(64);
  add_readers(shadow, 0, 2);
  shadow.add_reader(0, {2, 1, 5, 7});
  shadow.add_reader(0, {3, 1, 4, 7});
  CHECK(RaceShadow::newest_of(shadow.last_reader(0)) == 5);
  shadow.drop_list(shadow.last_reader(0));
  CHECK(readers(shadow, 0) == std::vector<std::uint32_t>{0});
}

TEST_CASE("a stretch that is cleared remembers nobody") {
  RaceShadow shadow(64);
  add_readers(shadow, 5, 4);
  shadow.make_list(5, {});
  shadow.clear();
  CHECK(readers(shadow, 5).empty());
  CHECK(shadow.writers(5) == nullptr);
  CHECK(shadow.written(5).clock == 0);
}

ShadowRow row_of_two_readers() {
  ShadowRow row;
  row.thread = 64, row.clock = 2, row.site = 5;
  row.readers[0] = {3, 4, 6};
  row.readers[1] = {9, 1, 7};
  return row;
}

TEST_CASE("a row of whole warps' accesses that is spread out tells each granule's writer and readers") {
  RaceShadow shadow(4 * 96);
  shadow.row(32) = row_of_two_readers();
  shadow.touch(64);
  for (const std::uint32_t i : {0u, 7u, 31u}) {
    const std::uint64_t cell = 32 + i;
    CHECK(shadow.written(cell).thread == 64 + i);
    CHECK(shadow.written(cell).clock == 2);
    CHECK(shadow.written(cell).site == 5);
    CHECK(shadow.first_reader(cell).warp == 3);
    CHECK(shadow.first_reader(cell).lanes == 1u << i);
    CHECK(shadow.first_reader(cell).clock == 4);
    CHECK(shadow.last_reader(cell).warp == 9);
    CHECK(shadow.last_reader(cell).site == 7);
  }
  CHECK(shadow.row(32).spread_out);
  CHECK(!shadow.row(0).spread_out);
  CHECK(shadow.written(31).clock == 0);
  CHECK(shadow.first_reader(64).clock == 0);
}

TEST_CASE("rows become granules of half the width, and those beside them stay empty") {
  RaceShadow shadow(4 * 70);
  shadow.row(32) = row_of_two_readers();
  shadow.touch(64);
  shadow.refine(1);
  CHECK(shadow.granule() == 1);
  for (std::uint64_t byte = 4 * 33; byte < 4 * 34; ++byte) {
    CHECK(shadow.written(byte).thread == 65);
    CHECK(readers(shadow, byte) == std::vector<std::uint32_t>{3, 9});
  }
  CHECK(shadow.written(4 * 32 - 1).clock == 0);
  CHECK(shadow.written(4 * 64).clock == 0);
  CHECK(shadow.written(4 * 70 - 1).clock == 0);
}

TEST_CASE("cells of a row that was spread out are forgotten with it") {
  RaceShadow shadow(4 * 64);
  shadow.row(0) = row_of_two_readers();
  add_readers(shadow, 40, 2);
  CHECK(readers(shadow, 3).size() == 2);
  shadow.clear();
  CHECK(!shadow.row(0).spread_out);
  CHECK(readers(shadow, 3).empty());
  CHECK(readers(shadow, 40).empty());
  CHECK(shadow.written(3).clock == 0);
}

TEST_CASE("what racecheck remembers takes memory where a kernel has been, not where it might go") {
  constexpr std::uint64_t bytes = std::uint64_t{5} << 30;
  RaceShadow shadow(bytes);
  CHECK(shadow.memory() < bytes / 500);
  shadow.refine(1);
  for (std::uint64_t at = 7; at < bytes; at += bytes / 8) {
    shadow.touch(at + 1);
    shadow.write(at, {3, 1, 2});
    CHECK(shadow.written(at).thread == 3);
    CHECK(shadow.written(at - 1).clock == 0);
  }
  CHECK(shadow.memory() < bytes / 200);
}

TEST_CASE("a page whose granules are cut in half becomes two, and pages between that nobody touched stay away") {
  constexpr std::uint64_t page = RaceShadow::kPageCells, far = 9 * page + 40;
  RaceShadow shadow(4 * 10 * page);
  shadow.touch(far + 1);
  shadow.write(6, {1, 2, 3});
  shadow.write(far, {4, 5, 6});
  const std::uint64_t before = shadow.memory();
  shadow.refine(1);
  CHECK(shadow.memory() < 5 * before);
  for (std::uint64_t byte = 4 * far; byte < 4 * far + 4; ++byte) CHECK(shadow.written(byte).thread == 4);
  for (std::uint64_t byte = 24; byte < 28; ++byte) CHECK(shadow.written(byte).thread == 1);
  CHECK(shadow.written(4 * far - 1).clock == 0);
  CHECK(shadow.written(28).clock == 0);
  shadow.clear();
  CHECK(shadow.written(4 * far).clock == 0);
}

}  // namespace
}  // namespace gpulab::simt
