// What the lab `atomics` shows, on the simulator.
#include <algorithm>
#include <map>

#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

const std::map<std::string, ParamValue> small{{"n", 1 << 16}};
std::map<std::string, ParamValue> skewed(std::int64_t percent) { return {{"n", 1 << 16}, {"skew", percent}}; }

/// Of all warps of 32 consecutive elements: the most that share a bin.
int most_alike(std::span<const int> in) {
  int most = 0;
  for (std::size_t first = 0; first < in.size(); first += 32) {
    std::map<int, int> times;
    for (const int bin : in.subspan(first, std::min<std::size_t>(32, in.size() - first)))
      most = std::max(most, ++times[bin]);
  }
  return most;
}

std::vector<int> elements(const std::map<std::string, ParamValue>& params) {
  const Lab& lab = lab_named("atomics");
  Case c = default_case(lab, variant_named(lab, "global_atomic"), gpu_profile("h200"));
  for (const auto& [name, value] : params) c.params.values.at(name) = value;
  const Problem p = lab.problem(c);
  const auto in = view_as<int>(p.buffers[0].initial);
  return {in.begin(), in.end()};
}

}  // namespace

TEST_CASE("atomics: racecheck names the line of counts[bin] += 1, and the counts are wrong") {
  for (const char* variant : {"racy", "image_racy"}) {
    const auto result = run_lab_case("atomics", variant, {{"n", 4096}}, {.sanitize = {"racecheck"}});
    INFO(variant << ": " << result.message);
    CHECK(result.status == CaseStatus::wrong);
    REQUIRE_FALSE(result.findings.empty());
    for (const auto& finding : result.findings) {
      CHECK(finding.tool == "racecheck");
      CHECK(finding.severity == Severity::error);
      REQUIRE(finding.at.size() == 2);
      for (const auto& place : finding.at) CHECK(place.file.find("kernels.cu") != std::string::npos);
      CHECK(finding.at[0].line == finding.at[1].line);
      CHECK((finding.at[0].access == "write" || finding.at[1].access == "write"));
    }
  }
}

TEST_CASE("atomics: no rung but the racy ones races") {
  for (const auto& variant : lab_named("atomics").variants) {
    if (variant.racy || variant.vendor.run != nullptr) continue;
    const auto result = run_lab_case("atomics", variant.name, {{"n", 5000}}, {.sanitize = tests::all_tools()});
    INFO(variant.name << ": " << result.message);
    CHECK(result.status == CaseStatus::ok);
    CHECK(result.findings.empty());
  }
}

TEST_CASE("atomics: lanes of a request that meet on one address, by skew") {
  for (const auto& [percent, lanes] : {std::pair{0, 4}, {50, 28}, {100, 32}}) {
    INFO("skew " << percent);
    const auto global = run_lab_case("atomics", "global_atomic", skewed(percent));
    CHECK(counted(global, "global_atomic_max_lanes") == lanes);
    CHECK(most_alike(elements(skewed(percent))) == lanes);
    const auto own = run_lab_case("atomics", "shared_private", skewed(percent));
    CHECK(counted(own, "shared_atomic_max_lanes") == lanes);
    CHECK(counted(own, "global_atomic_max_lanes") == 1);
    CHECK(counted(run_lab_case("atomics", "warp_aggregated", skewed(percent)), "shared_atomic_max_lanes") == 1);
  }
}

TEST_CASE("atomics: a private histogram per block takes the elements off the result's words") {
  const auto global = run_lab_case("atomics", "global_atomic", small);
  const auto own = run_lab_case("atomics", "shared_private", small);
  CHECK(counted(global, "global_atomic_requests") == 65536 / 32.0);
  REQUIRE(own.launch);
  CHECK(own.launch->grid == Dim3{16});
  CHECK(counted(own, "global_atomic_requests") == 16 * 256 / 32.0);
  CHECK(counted(own, "shared_atomic_requests") == 65536 / 32.0);
  const auto in = elements(small);
  CHECK(counted(global, "global_queue") == std::ranges::count(in, 256 / 3));
  CHECK(counted(own, "global_queue") == 16);
  CHECK(counted(own, "shared_queue") == 2126);
}

TEST_CASE("atomics: a warp whose elements share a bin adds once") {
  const auto own = run_lab_case("atomics", "shared_private", skewed(100));
  const auto aggregated = run_lab_case("atomics", "warp_aggregated", skewed(100));
  CHECK(counted(own, "shared_queue") == 65536 / 16.0);
  CHECK(counted(aggregated, "shared_queue") == 65536 / 16.0 / 32);
}

TEST_CASE("atomics: a thread with a histogram of its own makes no atomic until the end, whatever the data") {
  for (const std::int64_t skew : {0, 100}) {
    const Result r = run_lab_case("atomics", "thread_private", skewed(skew));
    INFO("skew " << skew);
    CHECK(r.status == CaseStatus::ok);
    CHECK(counted(r, "shared_atomic_requests") == 0);
    CHECK(counted(r, "shared_load_bank_conflicts") == 0);
    CHECK(counted(r, "shared_store_bank_conflicts") == 0);
  }
}

TEST_CASE("atomics: bytes of a thread are added up before they overflow, and bins beyond 256 take another pass") {
  // One block, so that each thread counts thousands of elements of one bin.
  CHECK(run_lab_case("atomics", "thread_private", {{"n", 1000003}, {"skew", 100}}, {.grid = Dim3{1}}).status ==
        CaseStatus::ok);
  CHECK(run_lab_case("atomics", "thread_private", {{"n", 10007}, {"bins", 5000}}).status == CaseStatus::ok);
}

TEST_CASE("atomics: the block's shape says how many lanes meet on a pixel of the image") {
  for (const auto& [block, lanes] : {std::pair<Dim3, int>{{32, 8}, 1}, {{16, 16}, 2}, {{8, 32}, 4}, {{1, 256}, 32}}) {
    const auto result = run_lab_case("atomics", "image_atomic", {}, {.block = block});
    CHECK(result.status == CaseStatus::ok);
    CHECK(counted(result, "global_atomic_max_lanes") == lanes);
  }
}

TEST_CASE("atomics: bins beyond shared memory are refused by the rungs that keep them there, with the limit") {
  const auto result = run_lab_case("atomics", "shared_private", {{"n", 1000}, {"bins", 1 << 20}});
  CHECK(result.status == CaseStatus::error);
  CHECK(result.message.find("shared memory") != std::string::npos);
  CHECK(run_lab_case("atomics", "global_atomic", {{"n", 1000}, {"bins", 1 << 20}}).status == CaseStatus::ok);
}
