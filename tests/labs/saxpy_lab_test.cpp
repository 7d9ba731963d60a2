// What the lab `saxpy` shows, in exact figures: threads beyond n, and what a thread does once.

#include <algorithm>
#include <cmath>

#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

using Parameters = std::map<std::string, ParamValue>;

Result computed(std::string_view variant, const Parameters& params, const CaseChanges& changes = {}) {
  const Result result = run_lab_case("saxpy", variant, params, changes);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

}  // namespace

TEST_CASE("the lecture's 10000 elements in blocks of 1024: ten blocks, 240 threads beyond n") {
  for (const std::string_view variant : {"vadd", "naive"}) {
    const Result r = computed(variant, {{"n", 10000}}, {.block = Dim3{1024}});
    CHECK(r.launch->grid == Dim3{10});
    CHECK(counted(r, "threads") == 10240);
    CHECK(counted(r, "threads_beyond_n") == 240);
    // 10000 = 312.5 warps: the half one has 16 threads without an element; of the 320 warps 7 have none at all.
    REQUIRE(!r.notes.empty());
    CHECK(r.notes[0] ==
          "10240 threads for 10000 elements: 240 have none, 16 of those in the warp that straddles the end.");
    CHECK(counted(r, "global_store_requests") == 313);
    CHECK(counted(r, "divergent_branches") == 1);
  }
}

TEST_CASE("surplus blocks are threads beyond n, too, and change nothing") {
  const Result r = computed("naive", {{"n", 1000}}, {.block = Dim3{256}, .grid = Dim3{7}});
  CHECK(counted(r, "threads_beyond_n") == 7 * 256 - 1000);
  CHECK(counted(computed("one_block", {{"n", 1000}}, {.grid = Dim3{2}}), "threads_beyond_n") == 256);
}

TEST_CASE("a thread of the one block has 256 elements of 65536, one of the grid has one, of vec4 four") {
  const Parameters params{{"n", 65536}};
  CHECK(counted(computed("one_block", params), "elements_per_busy_thread") == 256);
  CHECK(counted(computed("naive", params), "elements_per_busy_thread") == 1);
  CHECK(counted(computed("grid_stride", params), "elements_per_busy_thread") == 4);
  CHECK(counted(computed("vec4", params), "elements_per_busy_thread") == 4);
}

TEST_CASE("vec4 moves as many sectors by a quarter of the requests, and the tail of three is not lost") {
  const Result words = computed("naive", {{"n", 65536}}), vectors = computed("vec4", {{"n", 65536}});
  CHECK(counted(words, "global_load_requests") == 2 * 2048);
  CHECK(counted(vectors, "global_load_requests") == 2 * 512);
  CHECK(counted(vectors, "global_load_sectors") == counted(words, "global_load_sectors"));
  CHECK(counted(vectors, "global_store_sectors") == counted(words, "global_store_sectors"));
  const Result tail = computed("vec4", {{"n", 65539}});
  CHECK(counted(tail, "global_store_requests") == 512 + 1);
  CHECK(counted(computed("vec4", {{"n", 3}}), "threads_beyond_n") == 256 - 3);
  CHECK(counted(computed("vec4", {{"n", 65537}, {"type", "double"}}), "global_store_requests") == 1024 + 1);
}

TEST_CASE("doubles are right to their last bits, and take twice the sectors") {
  for (const std::string variant : {"vadd", "one_block", "naive", "grid_stride", "vec4"}) {
    const Result floats = computed(variant, {{"n", 65536}}),
                 doubles = computed(variant, {{"n", 65536}, {"type", "double"}});
    INFO(variant);
    CHECK(doubles.verification->tolerance < 2e-15);
    CHECK(doubles.verification->max_abs_error <= doubles.verification->tolerance);
    CHECK(counted(doubles, "global_load_sectors") == 2 * counted(floats, "global_load_sectors"));
    CHECK(counted(doubles, "global_store_sectors") == 2 * counted(floats, "global_store_sectors"));
    const double more = variant == "vec4" ? 2 : 1;  // 16 bytes are two doubles
    CHECK(counted(doubles, "global_load_requests") == more * counted(floats, "global_load_requests"));
    CHECK(counted(doubles, "global_load_efficiency") == 1);
  }
  // 1/3 is not the same number in float: that the factor is a double's shows in the answer.
  CHECK(computed("naive", {{"n", 1000}, {"type", "double"}, {"a", 1.0 / 3}}).status == CaseStatus::ok);
  CHECK(computed("naive", {{"n", 1000}, {"type", "double"}, {"a", 1e300}}).status == CaseStatus::ok);
  CHECK(run_lab_case("saxpy", "naive", {{"n", 1000}, {"type", "double"}, {"a", 1e308}}).status == CaseStatus::error);
}

TEST_CASE("any factor is right, as far as float goes") {
  for (const double a : {0.0, 1.0, -3.25, 1e-30, 1e30}) computed("naive", {{"n", 1000}, {"a", a}});
  const Result r = run_lab_case("saxpy", "naive", {{"n", 1000}, {"a", 1e39}});
  CHECK(r.status == CaseStatus::error);
  CHECK(r.message.find("--a 1e+39: a times x leaves the range of float") != std::string::npos);
}

TEST_CASE("every rung but the vendors' is clean under all tools") {
  for (const auto& variant : lab_named("saxpy").variants) {
    if (variant.vendor.run != nullptr) continue;
    const Result r = run_lab_case("saxpy", variant.name, {{"n", 1003}}, {.sanitize = tests::all_tools()});
    INFO(variant.name << ": " << r.message);
    CHECK(r.status == CaseStatus::ok);
    CHECK(r.findings.empty());
  }
}
