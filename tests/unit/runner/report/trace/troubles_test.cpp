#include "runner/report/trace/troubles.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

using Space = StepAccess::Space;

StepAccess shared_load(std::uint32_t wavefronts) {
  return {
      .space = Space::shared, .load = true, .width = 4, .mask = ~0U, .wavefronts = wavefronts, .ideal_wavefronts = 1};
}
StepAccess global_load(std::uint32_t sectors, std::uint32_t bytes) {
  return {.space = Space::global, .load = true, .width = 4, .mask = ~0U, .sectors = sectors, .distinct_bytes = bytes};
}

struct Traced {
  StepTrace steps;
  Result result;
  TraceView view;
  Traced() {
    view.result = &result;
    view.steps = &steps;
    steps.warps = {{}}, steps.sites = {{}}, steps.texts = {"computes", "diverges: lanes 0 branch"};
  }
  void step() { steps.steps.push_back({.site = 0}); }
  void branch() { steps.steps.push_back({.site = 0, .text = 1}); }
  void access(const StepAccess& access) {
    steps.steps.push_back({.site = 0, .access = static_cast<std::uint32_t>(steps.accesses.size())});
    steps.accesses.push_back(access);
  }
};

}  // namespace

TEST_CASE("an access costs what it takes beyond its bytes, in quarters of a wavefront") {
  CHECK(excess_of(shared_load(1)) == 0);
  CHECK(excess_of(shared_load(8)) == 28);
  CHECK(excess_of(global_load(4, 128)) == 0);
  CHECK(excess_of(global_load(5, 128)) == 0);  // does not start where a sector does
  CHECK(excess_of(global_load(32, 128)) == 28);
  auto local = global_load(32, 128);
  local.space = Space::local;
  CHECK(excess_of(local) == 0);
}

TEST_CASE("atomics cost a wavefront for each lane that comes to another's address") {
  StepAccess access{.space = Space::shared, .atomic = true, .width = 4, .mask = 0xF};
  access.relative = {0, 4, 8, 12};
  CHECK(excess_of(access) == 0);
  access.relative = {0, 0, 8, 8};
  CHECK(excess_of(access) == 8);
}

TEST_CASE("one looks first at the first step of the trouble that costs the most") {
  Traced one;
  one.step();
  CHECK(opening_step(one.view) == 0);
  one.access(shared_load(2));      // 1: 4
  one.branch();                    // 2: 8
  one.access(global_load(9, 32));  // 3: 8, and again
  one.access(global_load(9, 32));
  CHECK(trouble_of(one.steps, one.steps.steps[0]) == std::nullopt);
  CHECK(trouble_of(one.steps, one.steps.steps[1]) == Trouble::conflict);
  CHECK(trouble_of(one.steps, one.steps.steps[2]) == Trouble::divergence);
  CHECK(trouble_of(one.steps, one.steps.steps[3]) == Trouble::uncoalesced);
  CHECK(opening_step(one.view) == 3);
}

TEST_CASE("of a launch that failed one looks first at its last step") {
  Traced one;
  one.access(shared_load(32));
  one.step();
  one.steps.ended = "out of bounds";
  CHECK(opening_step(one.view) == 1);
}
