// What the transfer lab is about, pinned on the simulator: what crosses the link, in how many copies, around which
// launches. Time is for tests/gpu.

#include <functional>
#include <utility>

#include "runner/case/metrics.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

struct Counts {
  double to_device, to_host, copies, launches;
  bool operator==(const Counts&) const = default;
};

Counts traffic(const Result& r) {
  return {counted(r, "bytes_to_device"), counted(r, "bytes_to_host"), counted(r, "copies"), counted(r, "launches")};
}

Counts traffic(const char* variant, const std::map<std::string, ParamValue>& params) {
  const Result r = run_lab_case("transfer", variant, params);
  INFO(variant << ": " << r.message);
  REQUIRE(r.status == CaseStatus::ok);
  return traffic(r);
}

constexpr std::int64_t n = 100'000;

}  // namespace

TEST_CASE("transfer: one way is one copy of four bytes per element, and no launch") {
  for (const auto* variant : {"pageable", "pinned"}) {
    CHECK(traffic(variant, {{"n", n}}) == Counts{400'000, 0, 1, 0});
    CHECK(traffic(variant, {{"n", n}, {"direction", "to_host"}}) == Counts{0, 400'000, 1, 0});
    const Result r = run_lab_case("transfer", variant, {{"n", n}});
    CHECK_FALSE(r.launch);
    CHECK_FALSE(r.occupancy);
  }
}

TEST_CASE("transfer: a round trip moves as much, whole or in chunks; chunks cost copies and launches") {
  CHECK(traffic("round_trip", {{"n", n}}) == Counts{400'000, 400'000, 2, 1});
  CHECK(traffic("async_streams", {{"n", n}}) == Counts{400'000, 400'000, 16, 8});
  CHECK(traffic("async_streams", {{"n", n}, {"chunks", std::int64_t{3}}}) == Counts{400'000, 400'000, 6, 3});
  // More chunks than elements: those without any are left out.
  CHECK(traffic("async_streams", {{"n", std::int64_t{5}}}) == Counts{20, 20, 10, 5});
}

TEST_CASE("transfer: the same warps do the same work, whole or in chunks of whole blocks") {
  const std::map<std::string, ParamValue> params{{"n", std::int64_t{1 << 16}}};
  const Result whole = run_lab_case("transfer", "round_trip", params);
  const Result chunks = run_lab_case("transfer", "async_streams", params);
  REQUIRE(whole.counters);
  REQUIRE(chunks.counters);
  CHECK((*whole.counters)["warp_instructions"] == (*chunks.counters)["warp_instructions"]);
  CHECK((*whole.counters)["global_load_sectors"] == (1 << 16) / 8);
  CHECK((*chunks.counters)["global_load_sectors"] == (1 << 16) / 8);
}

TEST_CASE("transfer: nothing to do is nothing to copy") {
  const Result r = run_lab_case("transfer", "async_streams", {{"n", std::int64_t{0}}});
  CHECK(r.status == CaseStatus::ok);
  CHECK(r.metrics.empty());
  CHECK(traffic("round_trip", {{"n", std::int64_t{0}}}) == Counts{0, 0, 2, 1});
}

TEST_CASE("transfer: what a host clock measures is absent on the simulator") {
  const Result r = run_lab_case("transfer", "round_trip", {{"n", n}});
  CHECK(find_metric(r, "host_time_synchronized") == nullptr);
  CHECK(find_metric(r, "host_time_unsynchronized") == nullptr);
  CHECK(find_metric(r, "bandwidth") == nullptr);
}

TEST_CASE("transfer: the tools find nothing in copies, launches and chunks") {
  for (const auto* variant : {"pageable", "pinned", "round_trip", "async_streams"}) {
    const Result r = run_lab_case("transfer", variant, {{"n", std::int64_t{1000}}}, {.sanitize = tests::all_tools()});
    INFO(variant);
    CHECK(r.status == CaseStatus::ok);
    CHECK(r.findings.empty());
  }
}

namespace {

/// What the runner says of a plan that was spoiled on purpose.
Result with_plan(const char* variant, const std::function<void(std::vector<Step>&)>& spoil,
                 std::vector<std::string> sanitize = {}) {
  SimulatorOptions options{.threads = 2};
  options.sanitize = std::move(sanitize);
  Simulation simulation(options);
  const Lab& lab = lab_named("transfer");
  Variant changed = variant_named(lab, variant);
  changed.steps = [plan = changed.steps, &spoil](const Case& c) {
    auto steps = plan(c);
    spoil(steps);
    return steps;
  };
  Case c = default_case(lab, changed, simulation.gpu);
  c.params.values["n"] = std::int64_t{1003};
  return simulation.runner.run(lab, changed, c, {});
}

}  // namespace

TEST_CASE("transfer: a copy that is forgotten, too short or too early is a wrong answer") {
  CHECK(with_plan("round_trip", [](auto&) {}).status == CaseStatus::ok);
  CHECK(with_plan("round_trip", [](auto& steps) { steps.erase(steps.begin()); }).status == CaseStatus::wrong);
  CHECK(with_plan("round_trip", [](auto& steps) { steps.pop_back(); }).status == CaseStatus::wrong);
  CHECK(with_plan("round_trip", [](auto& steps) { --steps.back().copy->count; }).status == CaseStatus::wrong);
  CHECK(with_plan("round_trip", [](auto& steps) { std::swap(steps[0], steps[1]); }).status == CaseStatus::wrong);
  CHECK(with_plan("async_streams", [](auto& steps) { steps.erase(steps.end() - 3, steps.end()); }).status ==
        CaseStatus::wrong);
}

TEST_CASE("transfer: initcheck names what a kernel reads that no copy brought") {
  const Result r = with_plan("round_trip", [](auto& steps) { steps.front().copy->count = 1000; }, {"initcheck"});
  REQUIRE(r.findings.size() == 1);
  CHECK(r.findings[0].tool == "initcheck");
  CHECK(r.findings[0].at.at(0).address == "device_in[1000]");
}
