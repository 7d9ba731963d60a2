// What the lab `warps` shows: how threads are numbered, cut into warps, and how many lanes are left over.

#include <algorithm>
#include <string>

#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

Result run(std::string_view variant, std::int64_t n, const Dim3& block, const std::optional<Dim3>& grid = {}) {
  Result result = run_lab_case("warps", variant, {{"n", n}}, {.block = block, .grid = grid});
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

bool says(const Result& result, const std::string& text) {
  return std::ranges::any_of(result.notes, [&](const std::string& note) { return note.find(text) != note.npos; });
}

}  // namespace

TEST_CASE("warps: a block of 40 x 2 is three warps, not four, and 16 lanes of the last are no threads") {
  const Result r = run("ids_2d", 10 * 80, {40, 2});
  CHECK(counted(r, "warps_per_block") == 3);
  CHECK(counted(r, "inactive_lanes") == 16);
  CHECK(counted(r, "lane_use") == 80.0 / 96);
  // What is reckoned from the shape is what the simulator executes: no branch diverges, and lanes are idle throughout.
  CHECK(counted(r, "divergent_branches") == 0);
  CHECK(counted(r, "warp_execution_efficiency") == 80.0 / 96);
  CHECK(counted(r, "global_store_requests") == 3 * 10);
}

TEST_CASE("warps: the lecture's block of 42 is two warps with 22 idle lanes") {
  const Result r = run("ids_1d", 168, {42}, Dim3{2, 2});
  CHECK(counted(r, "warps_per_block") == 2);
  CHECK(counted(r, "inactive_lanes") == 22);
  CHECK(counted(r, "warp_execution_efficiency") == 42.0 / 64);
}

TEST_CASE("warps: whole warps leave no lane idle, one thread leaves 31") {
  CHECK(counted(run("ids_2d", 1280, {64, 2}), "warp_execution_efficiency") == 1);
  CHECK(counted(run("ids_1d", 1280, {128}), "inactive_lanes") == 0);
  const Result alone = run("ids_3d", 10, {1, 1, 1});
  CHECK(counted(alone, "inactive_lanes") == 31);
  CHECK(counted(alone, "warp_execution_efficiency") == 1.0 / 32);
}

TEST_CASE("warps: threadIdx.x / 32 is the warp in one dimension alone") {
  CHECK(says(run("ids_2d", 80, {40, 2}), "wrong here for 40 of 80 threads"));
  CHECK(says(run("ids_3d", 128, {8, 4, 4}), "wrong here for 96 of 128 threads"));
  CHECK(!says(run("ids_1d", 1024, {512}), "wrong here"));
  CHECK(!says(run("ids_2d", 32, {8, 4}), "wrong here"));  // one warp only
}

TEST_CASE("warps: a warp goes on from one row to the next") {
  const Result r = run("ids_2d", 80, {40, 2});
  CHECK(says(r, "warp  1  ################################  threads (32,0,0) to (23,1,0)"));
  CHECK(says(r, "warp  2  ################................  threads (24,1,0) to (39,1,0)"));
}

TEST_CASE("warps: the one-dimensional number of a two-dimensional block is found out") {
  Simulation simulation;
  const Lab& lab = lab_named("warps");
  Variant variant = variant_named(lab, "ids_2d");
  variant.kernel = "warps_ids_1d<{print}>";
  Case c = default_case(lab, variant, simulation.gpu);
  c.block = {40, 2};
  CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::wrong);
}

TEST_CASE("warps: with --print each thread says who it is") {
  const Result r = run_lab_case("warps", "ids_1d", {{"print", "true"}}, {.grid = Dim3{2, 2}});
  CHECK(r.status == CaseStatus::ok);
  CHECK(std::ranges::count(r.output, '\n') == 168);
  const std::string last = "block (1,1,0), thread (41,0,0): global id 167, block 3, thread  41, warp 1, lane  9";
  CHECK(r.output.find(last) != std::string::npos);
}

TEST_CASE("warps: a grid of fewer threads has fewer to record") {
  const Result r = run("ids_1d", 168, {42}, Dim3{3});
  CHECK(counted(r, "global_bytes_stored") == 3 * 42 * 16);
}

TEST_CASE("warps: the lecture's arithmetic: a million threads on 13 SMs of 128 cores") {
  const Result r = run_lab_case("warps", "calculator", {{"n", 1000000}}, {.block = Dim3{512}});
  CHECK(r.status == CaseStatus::ok);
  CHECK(counted(r, "warps_per_block") == 16);
  CHECK(counted(r, "warps_at_once_per_sm") == 4);
  CHECK(counted(r, "lanes_at_once") == 1664);
  CHECK(counted(r, "blocks") == 1954);
  CHECK(counted(r, "warps") == 1954 * 16);
  CHECK(counted(r, "rounds") == 602);  // 31264 warps, 52 at a time
}
