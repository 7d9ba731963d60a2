// What the launch lab is about, pinned on the simulator: launches, calls, temporaries, and the bytes that fusion saves.
// What clocks say is for tests/gpu.

#include <functional>
#include <utility>

#include "runner/case/metrics.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

const std::map<std::string, ParamValue> matrix{{"rows", std::int64_t{512}}, {"cols", std::int64_t{300}}};

Result run(const char* variant, const std::map<std::string, ParamValue>& params = matrix) {
  Result r = run_lab_case("launch", variant, params);
  INFO(variant << ": " << r.message);
  REQUIRE(r.status == CaseStatus::ok);
  return r;
}

struct Facts {
  double launches, submissions, temporary_bytes;
  bool operator==(const Facts&) const = default;
};

Facts facts(const Result& r) {
  return {counted(r, "launches"), counted(r, "submissions"), counted(r, "temporary_bytes")};
}

}  // namespace

TEST_CASE("launch: a kernel per column is a launch per column, a graph of them one call, one kernel one of both") {
  CHECK(facts(run("unsynchronized_timing")) == Facts{1, 1, 0});
  CHECK(facts(run("kernel_per_column")) == Facts{300, 300, 0});
  CHECK(facts(run("kernel_per_column_graph")) == Facts{300, 1, 0});
  CHECK(facts(run("one_kernel")) == Facts{1, 1, 0});
  CHECK(run("kernel_per_column").launch->launches == 300);
}

TEST_CASE("launch: not an instruction and not a sector differ between a launch per column, a graph, and one launch") {
  for (const auto* op : {"mean", "max"}) {
    auto params = matrix;
    params["op"] = op;
    const Result one = run("one_kernel", params);
    for (const auto* variant : {"kernel_per_column", "kernel_per_column_graph"}) {
      const Result many = run(variant, params);
      CHECK((*many.counters)["warp_instructions"] == (*one.counters)["warp_instructions"]);
      CHECK((*many.counters)["thread_instructions"] == (*one.counters)["thread_instructions"]);
      CHECK((*many.counters)["global_load_sectors"] == (*one.counters)["global_load_sectors"]);
      CHECK((*many.counters)["barriers"] == (*one.counters)["barriers"]);
    }
  }
}

TEST_CASE("launch: a block per column reads four sectors per request, a thread per column thirty-two") {
  const Result blocks = run("one_kernel"), threads = run("unsynchronized_timing");
  CHECK((*blocks.counters)["global_load_requests"] == 300 * 512 / 32);
  CHECK((*blocks.counters)["global_load_sectors"] == 4 * (*blocks.counters)["global_load_requests"]);
  // 300 columns: nine whole warps, and one of 12 lanes.
  CHECK((*threads.counters)["global_load_requests"] == 10 * 512);
  CHECK((*threads.counters)["global_load_sectors"] == 300 * 512);
}

TEST_CASE("launch: unfused, five kernels move eleven arrays and keep four in between; fused, one moves two") {
  const Result apart = run("map_unfused"), fused = run("map_fused");
  const std::uint64_t array = 300 * 512 * 4;
  CHECK(facts(apart) == Facts{5, 5, 4.0 * array});
  CHECK(facts(fused) == Facts{1, 1, 0});
  CHECK((*apart.counters)["global_bytes_loaded"] == 6 * array);
  CHECK((*apart.counters)["global_bytes_stored"] == 5 * array);
  CHECK((*fused.counters)["global_bytes_loaded"] == array);
  CHECK((*fused.counters)["global_bytes_stored"] == array);
}

TEST_CASE("launch: what a clock measures is absent on the simulator") {
  for (const auto* variant : {"unsynchronized_timing", "kernel_per_column_graph"}) {
    const Result r = run(variant);
    for (const auto* name : {"host_time_unsynchronized", "host_time_synchronized", "time_per_launch"})
      CHECK(find_metric(r, name) == nullptr);
  }
}

TEST_CASE("launch: a matrix without columns is no launch, and right") {
  const std::map<std::string, ParamValue> none{{"rows", std::int64_t{5}}, {"cols", std::int64_t{0}}};
  CHECK(facts(run("kernel_per_column", none)) == Facts{0, 0, 0});
  CHECK(facts(run("kernel_per_column_graph", none)) == Facts{0, 0, 0});
}

TEST_CASE("launch: thousands of launches are planned and simulated in seconds") {
  const Result r = run("kernel_per_column", {{"rows", std::int64_t{32}}, {"cols", std::int64_t{8192}}});
  CHECK(counted(r, "launches") == 8192);
  CHECK(r.timing->median_ms < 20'000);
}

TEST_CASE("launch: the tools find nothing in any rung") {
  const std::map<std::string, ParamValue> small{{"rows", std::int64_t{70}}, {"cols", std::int64_t{9}}};
  for (const auto& variant : lab_named("launch").variants) {
    const Result r = run_lab_case("launch", variant.name, small, {.sanitize = tests::all_tools()});
    INFO(variant.name);
    CHECK(r.status == CaseStatus::ok);
    CHECK(r.findings.empty());
  }
}

namespace {

CaseStatus status_of(const char* variant, const std::function<void(Variant&)>& spoil) {
  Simulation simulation;
  const Lab& lab = lab_named("launch");
  Variant changed = variant_named(lab, variant);
  spoil(changed);
  Case c = default_case(lab, changed, simulation.gpu);
  c.params.values["rows"] = std::int64_t{100};
  c.params.values["cols"] = std::int64_t{37};
  return simulation.runner.run(lab, changed, c, {}).status;
}

/// The variant's plan without its last launch, or with its first two the other way round.
void forget_last(Variant& v) {
  v.steps = [plan = v.steps](const Case& c) {
    auto steps = plan(c);
    steps.pop_back();
    return steps;
  };
}
void swap_first(Variant& v) {
  v.steps = [plan = v.steps](const Case& c) {
    auto steps = plan(c);
    std::swap(steps[0], steps[1]);
    return steps;
  };
}

}  // namespace

TEST_CASE("launch: a column that is forgotten, another operation, and a temporary read too early are found out") {
  CHECK(status_of("kernel_per_column", forget_last) == CaseStatus::wrong);
  CHECK(status_of("kernel_per_column_graph", forget_last) == CaseStatus::wrong);
  CHECK(status_of("one_kernel", [](Variant& v) { v.kernel = "columns<Max>"; }) == CaseStatus::wrong);
  CHECK(status_of("map_unfused", swap_first) == CaseStatus::wrong);
  CHECK(status_of("map_fused", [](Variant& v) { v.kernel = "add_weighted"; }) == CaseStatus::error);  // other arguments
}
