#include "runner/case/problem_cache.h"

#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

TEST_CASE("a problem is made once per parameters, seed and block, and never for a grid") {
  auto lab = doubling_lab();
  int made = 0;
  lab.problem = [&made, make = lab.problem](const Case& c) {
    ++made;
    CHECK(c.grid == Dim3{1, 1, 1});
    return make(c);
  };
  ProblemCache cache;
  auto point = default_case(lab);
  (void)cache.get(lab, lab.variants[0], point);
  point.grid = {99, 1, 1};
  (void)cache.get(lab, lab.variants[1], point);
  CHECK(made == 1);
  point.seed = 1;
  CHECK(cache.get(lab, lab.variants[1], point).buffers[0].initial[0] == std::byte{1});
  point.block = {32, 1, 1};
  (void)cache.get(lab, lab.variants[1], point);
  point.params.values["n"] = std::int64_t{5};
  CHECK(cache.get(lab, lab.variants[1], point).buffers[0].count == 5);
  CHECK(made == 4);
}

TEST_CASE("what a variant adjusts is back for the next") {
  auto lab = doubling_lab();
  lab.variants[0].adjust = [](const Case&, Problem& problem) {
    CHECK_FALSE(problem.buffers[0].initial.empty());
    problem.expected[0].tolerance = 5;
    problem.buffers[1].initial.assign(4000, std::byte{7});
  };
  ProblemCache cache;
  const auto point = default_case(lab);
  CHECK(cache.get(lab, lab.variants[0], point).expected[0].tolerance == 5);
  const auto& plain = cache.get(lab, lab.variants[1], point);
  CHECK(plain.expected[0].tolerance == 0);
  CHECK(plain.buffers[1].initial.empty());
  // Twice in a row: adjusted from the original, not from what was adjusted.
  CHECK(cache.get(lab, lab.variants[0], point).buffers[1].initial.size() == 4000);
  CHECK(cache.get(lab, lab.variants[0], point).expected[0].tolerance == 5);
}
