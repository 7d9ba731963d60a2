// Which findings are one mistake.

#include "common/finding.h"

#include "tests/catch.h"

namespace gpulab {
namespace {

Finding race(const std::string& kernel, int first, int second, int reach) {
  Finding finding{"racecheck", Severity::error, "of " + std::to_string(reach), 3, {}};
  for (const int line : {first, second}) finding.at.emplace_back().line = line;
  finding.kernel = kernel;
  finding.reach = reach;
  return finding;
}

TEST_CASE("races of one kernel and pair of lines are one mistake, whichever thread came first") {
  CHECK(is_one_mistake(race("k", 4, 7, 1), race("k", 7, 4, 3)));
  CHECK_FALSE(is_one_mistake(race("k", 4, 7, 1), race("k", 4, 8, 1)));
  CHECK_FALSE(is_one_mistake(race("k", 4, 7, 1), race("other", 4, 7, 1)));
  CHECK_FALSE(is_one_mistake(race("k", 4, 7, 0), race("k", 4, 7, 0)));
}

TEST_CASE("of one mistake the race is told whose threads are farther apart, and all are counted") {
  std::vector<Finding> known{race("k", 1, 2, 2), race("k", 4, 7, 1)};
  Finding* const same = known_mistake(known, race("k", 7, 4, 3));
  REQUIRE(same == &known[1]);
  join(*same, race("k", 7, 4, 3));
  CHECK(same->message == "of 3");
  CHECK(same->count == 6);
  join(*same, race("k", 4, 7, 2));
  CHECK(same->message == "of 3");
  CHECK(same->count == 9);
  CHECK(known_mistake(known, race("k", 4, 9, 3)) == nullptr);
}

}  // namespace
}  // namespace gpulab
