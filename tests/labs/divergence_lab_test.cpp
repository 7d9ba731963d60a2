// What the lab `divergence` shows: exact counts of branches and lanes, optimised and built with -G.

#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

constexpr std::int64_t elements = 1 << 16, warps = elements / 32, work = 32;

Result run(std::string_view variant, std::map<std::string, ParamValue> params = {}, const CaseChanges& changes = {}) {
  params.try_emplace("n", elements);
  params.try_emplace("work", work);
  Result result = run_lab_case("divergence", variant, params, changes);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

double per_warp(const Result& result, std::string_view counter) { return counted(result, counter) / warps; }

}  // namespace

TEST_CASE("divergence: 200 branches of which 50 diverge are 75% efficient, as the lecture reckons") {
  Result result;
  result.counters.emplace();
  (*result.counters)["branches"] = 200;
  (*result.counters)["divergent_branches"] = 50;
  CHECK(counted(result, "branch_efficiency") == 0.75);
}

TEST_CASE("divergence: one branch of a warp's 68 diverges, and yet half of the lanes wait") {
  // The bounds check, the `if`, and on each of two paths 1 + 32 branches of the loop.
  const Result r = run("by_thread");
  CHECK(per_warp(r, "branches") == 2 + 2 * (1 + work));
  CHECK(per_warp(r, "divergent_branches") == 1);
  CHECK(counted(r, "branch_efficiency") == 67.0 / 68);
  // 26 instructions by all lanes, 132 on each path by half of them.
  CHECK(per_warp(r, "warp_instructions") == 26 + 2 * 132);
  CHECK(per_warp(r, "thread_instructions") == 32 * (26 + 132));
  CHECK(counted(r, "warp_execution_efficiency") == 158.0 / 290);
  CHECK(counted(r, "cost") == 2);
}

TEST_CASE("divergence: what by_thread costs against by_warp grows with the work towards two") {
  double before = 1;
  for (const std::int64_t steps : {1, 32, 1000}) {
    const std::map<std::string, ParamValue> params{{"work", steps}, {"n", std::int64_t{4096}}};
    const double cost =
        counted(run("by_thread", params), "warp_instructions") / counted(run("by_warp", params), "warp_instructions");
    CHECK(cost > before);
    before = cost;
  }
  CHECK(before > 1.99);
  CHECK(before < 2);
}

TEST_CASE("divergence: by_warp takes as many paths, none of its branches diverges") {
  const Result r = run("by_warp");
  CHECK(counted(r, "divergent_branches") == 0);
  CHECK(counted(r, "branch_efficiency") == 1);
  CHECK(counted(r, "warp_execution_efficiency") == 1);
  CHECK(per_warp(r, "branches") == 2 + 1 + work);
  CHECK(counted(r, "cost") == 1);
}

TEST_CASE("divergence: an index of 32 neighbours is no warp where blocks are not whole warps") {
  // Every other block of 48 starts in the middle of 32 neighbours who agree.
  const Result r = run("by_warp", {}, {.block = Dim3{48}});
  CHECK(counted(r, "divergent_branches") > 0);
  CHECK(counted(run("by_warp", {}, {.block = Dim3{96}}), "divergent_branches") == 0);
}

TEST_CASE("divergence: predicated code diverges nowhere, and still takes both paths") {
  const Result r = run("by_thread_predicated");
  CHECK(counted(r, "divergent_branches") == 0);
  CHECK(counted(r, "branch_efficiency") == 1);
  CHECK(counted(r, "warp_execution_efficiency") == 1);
  CHECK(per_warp(r, "warp_instructions") == 24 + 7 * work);
  CHECK(counted(r, "cost") == 2);
}

TEST_CASE("divergence: the lecture's two profiler runs: the short if is a branch only in the build with -G") {
  const Result optimised = run("by_thread_predicated"), debug = run("by_thread_predicated_debug");
  CHECK(counted(optimised, "branch_efficiency") == 1);
  // The bounds check, 33 tests of the loop, and the `if` in each step, which always diverges.
  CHECK(per_warp(debug, "branches") == 1 + 33 + work);
  CHECK(per_warp(debug, "divergent_branches") == work);
  CHECK(counted(debug, "branch_efficiency") == 34.0 / 66);
}

TEST_CASE("divergence: without optimisation each rung needs more instructions, and diverges as often") {
  for (const std::string rung : {"by_thread", "by_warp", "multiway", "loop_lengths", "loop_lengths_sorted"}) {
    const Result optimised = run(rung), debug = run(rung + "_debug");
    INFO(rung);
    CHECK(counted(debug, "warp_instructions") > 3 * counted(optimised, "warp_instructions"));
    CHECK(counted(debug, "divergent_branches") == counted(optimised, "divergent_branches"));
  }
}

TEST_CASE("divergence: a warp goes as many ways as its lanes want, one after the other") {
  const double one = counted(run("multiway", {{"paths", std::int64_t{1}}}), "thread_instructions");
  for (const std::int64_t paths : {1, 2, 4, 8}) {
    const Result r = run("multiway", {{"paths", paths}});
    INFO(paths << " paths");
    CHECK(per_warp(r, "divergent_branches") == paths - 1);
    CHECK(counted(r, "cost") == paths);
    // 4 instructions a step, each path on its own.
    CHECK(per_warp(r, "warp_instructions") > 4 * work * paths);
    CHECK(counted(r, "warp_execution_efficiency") < 1.2 / static_cast<double>(paths));
    CHECK(counted(r, "thread_instructions") < 1.05 * one);  // the lanes' own work hardly changes
  }
}

TEST_CASE("divergence: a warp loops as long as its longest lane; sorted by length, its lanes end together") {
  const Result unsorted = run("loop_lengths"), sorted = run("loop_lengths_sorted");
  // Of 32 lengths between 0 and 32 the mean is 16, the longest nearly 32.
  CHECK(counted(unsorted, "steps_per_warp") > 31);
  CHECK(counted(sorted, "steps_per_warp") < 16.1);
  CHECK(counted(sorted, "cost") < 1.01);
  CHECK(counted(unsorted, "warp_execution_efficiency") < 0.6);
  CHECK(counted(sorted, "warp_execution_efficiency") > 0.999);
  // Steps foretold from the lengths are those counted: 4 instructions each, in the loop alone.
  const auto loops = [](const Result& r) { return per_warp(r, "branches") - 2; };
  CHECK(loops(unsorted) == counted(unsorted, "steps_per_warp"));
  CHECK(loops(sorted) == counted(sorted, "steps_per_warp"));
  // The price: two loads of four sectors each, against one of four and two that are scattered.
  CHECK(per_warp(unsorted, "global_load_sectors") == 8);
  CHECK(per_warp(sorted, "global_load_sectors") > 60);
}

TEST_CASE("divergence: every kernel has an output, or there would be nothing to measure") {
  for (const auto& variant : lab_named("divergence").variants) {
    const Result r = run(variant.name);
    INFO(variant.name);
    CHECK(per_warp(r, "global_store_requests") == 1);
    CHECK(per_warp(r, "branches") > 16);
  }
}

TEST_CASE("divergence: elements that took another's path are found out") {
  Simulation simulation;
  const Lab& lab = lab_named("divergence");
  Variant variant = variant_named(lab, "by_thread");
  variant.kernel = "divergence_by_warp";
  Case c = default_case(lab, variant, simulation.gpu);
  c.params.values["n"] = std::int64_t{1000};
  CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::wrong);
}
