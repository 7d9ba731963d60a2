// Which of many accusations of the same two instructions is the example that a person reads.

#include "common/simt/observers/accusations.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

Accusation race(std::uint32_t first, std::uint32_t second, Reach reach) {
  return {.tool = "racecheck",
          .message = "shared",
          .address = "s[" + std::to_string(first) + "]",
          .first = {0, first, 3},
          .second = {0, second, 5},
          .reach = reach};
}

TEST_CASE("the example of a race is one of two warps where there is one, and of the lowest threads of those") {
  Accusations accusations;
  accusations.add(race(40, 31, Reach::block));
  accusations.add(race(2, 1, Reach::warp));
  const Accusation& told = accusations.add(race(32, 31, Reach::block));
  CHECK(told.reach == Reach::block);
  CHECK(told.first.thread == 32);
  CHECK(told.address == "s[32]");
  CHECK(told.count == 3);
}

TEST_CASE("a race that reaches farther gives its example, whatever came before") {
  Accusations accusations;
  accusations.add(race(2, 1, Reach::warp));
  const Accusation& told = accusations.add(race(32, 31, Reach::block));
  CHECK(told.reach == Reach::block);
  CHECK(told.first.thread == 32);
  CHECK(told.second.thread == 31);
}

}  // namespace
}  // namespace gpulab::simt
