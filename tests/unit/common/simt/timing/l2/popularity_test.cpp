// What L2 has kept of what a grid reads here and there.
#include "common/simt/timing/l2/popularity.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("of sectors that are all as popular L2 misses what it has no room for; of a tree's far less") {
  constexpr double all = 2 << 20, room = 1.6e6;
  // 221,000 loads of a binary search through 64 MB meet 90,000 sectors, so many of a table as there are.
  CHECK(misses_beside_uniform({221000, 221000, all, room}) == 1);
  const double tree = misses_beside_uniform({221000, 90000, all, room});
  CHECK(tree > 0.1);
  CHECK(tree < 0.4);
  CHECK(misses_beside_uniform({221000, 150000, all, room}) > tree);
}

TEST_CASE("where L2 has room for all, or nothing is read at random, popularity says nothing") {
  CHECK(misses_beside_uniform({1000, 500, 2000, 2000}) == 1);
  CHECK(misses_beside_uniform({0, 0, 1e6, 1e5}) == 1);
  CHECK(misses_beside_uniform({1e6, 5e5, 4e5, 1e5}) == 1);
}

}  // namespace
}  // namespace gpulab::simt
