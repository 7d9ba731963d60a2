#include "runner/report/ladder/break_even.h"

#include <cmath>

#include "tests/catch.h"

using namespace gpulab;

namespace {

const Lab& asking() {
  static const Lab lab = [] {
    Lab made;
    made.break_even = {"n", {"trip"}};
    return made;
  }();
  return lab;
}

Result at(std::int64_t n, double speedup, const std::string& variant = "trip", std::int64_t work = 1) {
  Result r;
  r.variant = variant;
  r.params = {{"n", n}, {"work", work}};
  r.metrics = {{"speedup_to_cpu", speedup, "x"}};
  return r;
}

}  // namespace

TEST_CASE("the break-even size lies where the speed-up passes 1, on logarithmic scales") {
  // Speed-up n / 2000: half at 1000, four times at 8000.
  const auto found = break_evens(asking(), {at(8000, 4), at(1000, 0.5), at(64000, 32)});
  REQUIRE(found.size() == 1);
  CHECK(std::lround(1000 * found[0].at.value()) == 2000000);
  CHECK(found[0].below == 1000);
  CHECK(found[0].above == 8000);
  CHECK(break_even_text(found[0]) ==
        "Break-even: from n = 2000 on, trip is faster than the CPU (measured at 1000 and 8000).");
}

TEST_CASE("where a speed-up passes 1 more than once, the last time counts") {
  const auto found = break_evens(asking(), {at(1, 2), at(4, 0.5), at(16, 2)});
  REQUIRE(found.size() == 1);
  CHECK(std::lround(1000 * found[0].at.value()) == 8000);
}

TEST_CASE("a sweep that does not reach the break-even says on which side it lies") {
  const auto fast = break_evens(asking(), {at(1024, 1.5), at(2048, 3)});
  REQUIRE(fast.size() == 1);
  CHECK_FALSE(fast[0].at);
  CHECK(break_even_text(fast[0]) ==
        "Break-even: trip is faster than the CPU at every size measured; sweep --n below 1024 (2^10).");
  const auto slow = break_evens(asking(), {at(1024, 0.25), at(2048, 1)});
  REQUIRE(slow.size() == 1);
  CHECK(break_even_text(slow[0]) ==
        "Break-even: the CPU is as fast as trip at the largest size measured; sweep --n beyond 2048 (2^11).");
}

TEST_CASE("each set of other parameters has a break-even of its own; one size and other variants have none") {
  const auto found = break_evens(asking(), {at(1, 0.5), at(4, 2), at(1, 0.25, "trip", 9), at(4, 4, "trip", 9),
                                            at(1, 0.5, "other"), at(4, 2, "other")});
  REQUIRE(found.size() == 2);
  CHECK(std::lround(1000 * found[0].at.value()) == 2000);
  CHECK(std::lround(1000 * found[1].at.value()) == 2000);
  CHECK(break_evens(asking(), {at(1, 0.5)}).empty());
  CHECK(break_evens({}, {at(1, 0.5), at(4, 2)}).empty());
  auto failed = at(4, 2);
  failed.status = CaseStatus::wrong;
  CHECK(break_evens(asking(), {at(1, 0.5), failed}).empty());
}
