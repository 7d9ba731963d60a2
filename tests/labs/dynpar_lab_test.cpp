// What the lab `dynpar` shows, on the simulator.
#include <algorithm>
#include <string>

#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

/// Launches by kernels at each depth, from 1 on.
std::vector<double> launches_by_depth(const Result& result) {
  std::vector<double> launches;
  for (const auto& metric : result.metrics) {
    if (metric.name.starts_with("launches_depth_")) launches.push_back(metric.value);
  }
  return launches;
}

bool shows(const Result& result, const std::string& line) {
  return std::ranges::find(result.notes, line) != result.notes.end();
}

}  // namespace

TEST_CASE("dynpar: the lecture's 16 threads halve down to one, four launches deep, each with its line") {
  const auto result = run_lab_case("dynpar", "depth_print", {{"print", "true"}});
  CHECK(result.status == CaseStatus::ok);
  CHECK(launches_by_depth(result) == std::vector<double>(4, 1));
  CHECK(counted(result, "device_launches") == 4);
  CHECK(counted(result, "deepest") == 4);
  CHECK(std::ranges::count(result.output, '\n') == 16 + 8 + 4 + 2 + 1);
  CHECK(result.output.find("depth 1, grid 1: thread 7 of 8") < result.output.find("depth 2, grid 2: thread 0 of 4"));
  CHECK(result.output.find("depth 4, grid 4: thread 0 of 1") != std::string::npos);
  CHECK(shows(result, "  host: 1 block of 16 threads"));
  CHECK(shows(result, "  └─ 1 block of 8 threads"));
  CHECK(shows(result, "           └─ 1 block of 1 thread"));
}

TEST_CASE("dynpar: every part launches each of its steps, or one thread each of all, or nobody") {
  // 2^14 elements in 32 parts of 512: 256 threads, and eight more steps.
  for (const char* variant : {"nested_reduce", "fire_and_forget"}) {
    const auto result = run_lab_case("dynpar", variant);
    INFO(variant);
    CHECK(launches_by_depth(result) == std::vector<double>(8, 32));
    CHECK(counted(result, "device_launches") == 256);
    CHECK(counted(result, "mean_threads") == 255.0 / 8);
    CHECK(shows(result, "  host: 32 blocks of 256 threads"));
    CHECK(shows(result, "  └─ 32 x 1 block of 128 threads"));
  }
  const auto fewer = run_lab_case("dynpar", "nested_reduce_fewer");
  CHECK(launches_by_depth(fewer) == std::vector<double>(8, 1));
  CHECK(counted(fewer, "mean_threads") == 32 * 255.0 / 8);
  CHECK(shows(fewer, "  └─ 32 blocks of 128 threads"));
  const auto flat = run_lab_case("dynpar", "flat");
  CHECK(launches_by_depth(flat).empty());
  CHECK(counted(flat, "device_launches") == 0);
}

TEST_CASE("dynpar: what the recursion costs in warps and instructions, against the loop") {
  // Warps: 32 blocks of 8; below them blocks of 4, 2, 1, 1, 1, 1, 1, 1 warps.
  const auto nested = run_lab_case("dynpar", "nested_reduce"), flat = run_lab_case("dynpar", "flat");
  REQUIRE((nested.counters && flat.counters));
  CHECK((*nested.counters)["warps"] == 32 * (8 + 4 + 2 + 6));
  CHECK((*flat.counters)["warps"] == 32 * 8);
  // One addition to the answer per part, and one of the log's counter per launch.
  CHECK(counted(nested, "global_atomic_requests") == 32 + 256);
  CHECK(counted(flat, "global_atomic_requests") == 32);
  CHECK(counted(flat, "barriers") == 32 * 8 * 9);
  CHECK(counted(nested, "barriers") == 32 * (8 + 4 + 2 + 6));
}

TEST_CASE("dynpar: quicksort's tree has two sides at most per grid, and follows the data") {
  const auto result = run_lab_case("dynpar", "quicksort");
  const auto launches = launches_by_depth(result);
  REQUIRE(launches.size() >= 6);  // 2^14 elements down to parts of 256
  double above = 1;
  for (const double here : launches) {
    CHECK(here >= 1);
    CHECK(here <= 2 * above);
    above = here;
  }
  const auto other = launches_by_depth(run_lab_case("dynpar", "quicksort", {{"n", 1 << 12}}));
  CHECK(other.size() < launches.size());
  CHECK(launches_by_depth(run_lab_case("dynpar", "quicksort", {{"n", 256}})).empty());
}

TEST_CASE("dynpar: quicksort of the most elements stays clear of the limit of nesting") {
  const auto result = run_lab_case("dynpar", "quicksort", {{"n", 1 << 16}});
  CHECK(result.status == CaseStatus::ok);
  CHECK(counted(result, "deepest") < 20);
}

TEST_CASE("dynpar: the sanitizer's tools find nothing in parents and children") {
  for (const auto& variant : lab_named("dynpar").variants) {
    const auto result = run_lab_case("dynpar", variant.name, {{"n", 3000}}, {.sanitize = tests::all_tools()});
    INFO(variant.name << ": " << result.message);
    CHECK(result.status == CaseStatus::ok);
    CHECK(result.findings.empty());
  }
}

TEST_CASE("dynpar: an element that is left out is found out by sum and by order") {
  Simulation simulation;
  const Lab& lab = lab_named("dynpar");
  for (const char* name : {"nested_reduce", "nested_reduce_fewer", "flat", "quicksort"}) {
    Variant variant = variant_named(lab, name);
    const Case c = default_case(lab, variant, simulation.gpu);
    INFO(name);
    CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::ok);
    variant.arguments = [original = variant.arguments](const Case& point) {
      auto arguments = original(point);
      arguments[2] = static_cast<std::int32_t>(point.n()) - 1;
      return arguments;
    };
    CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::wrong);
  }
}
