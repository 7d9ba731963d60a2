// What racecheck remembers of a granule: one writer, two readers, and lists where no order separates more.
#include "common/simt/observers/shadow.h"

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
  CHECK(shadow.last_reader(0).lanes == 0);
  CHECK(shadow.written(0).clock == UINT32_MAX);
  CHECK(shadow.written(0).thread == UINT32_MAX);
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

}  // namespace
}  // namespace gpulab::simt
