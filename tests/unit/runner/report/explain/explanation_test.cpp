#include "runner/report/explain/explanation.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

/// Line 2 has an atomic on which lanes meet, line 3 a load with gaps; both take time.
LaunchLines two_lines() {
  LaunchLines launch;
  launch.text = "void k() {\n  atomicAdd(&bins[b], 1);\n  y = x[8 * i];\n}\n";
  launch.grid = {32};
  launch.block = {256};
  LineCounts atomic, load;
  atomic.line = 2;
  atomic.executions = load.executions = 100;
  atomic.counters["warp_instructions"] = load.counters["warp_instructions"] = 1000;
  atomic.counters["thread_instructions"] = load.counters["thread_instructions"] = 32000;
  atomic.counters["global_atomic_requests"] = 500;
  atomic.counters["global_atomic_max_lanes"] = 4;
  load.line = 3;
  load.counters["global_load_requests"] = 500;
  load.counters["global_load_sectors"] = 16000;
  load.counters["global_distinct_bytes_loaded"] = 64000;
  LineAccess access;
  access.line = 3;
  access.instruction = "ld.global.f32";
  access.mask = 0xffffffff;
  access.width = 4;
  access.sectors = 32;
  access.distinct_bytes = 128;
  launch.accesses = {access};
  launch.lines = {atomic, load};
  for (const auto& line : launch.lines) launch.counters += line.counters;
  launch.counters["warps"] = 256;
  launch.time = LaunchTime{.ms = 0.0337, .kernel_ms = 0.03, .lines = {}, .what_ifs = {}};
  launch.time->lines = {{.line = 2, .memory = 0.02}, {.line = 3, .memory = 0.01}};
  return launch;
}

std::vector<std::string> kinds(const LaunchLines& launch) {
  std::vector<std::string> all;
  for (const auto& mark : explanation_of(launch, 132).marks) all.push_back(mark.kind);
  return all;
}

}  // namespace

TEST_CASE("reasons stand by the time of their lines, and before these by what the model gives back") {
  auto launch = two_lines();
  CHECK(kinds(launch) == std::vector<std::string>{"atomic", "uncoalesced"});
  launch.time->what_ifs = {{3, "uncoalesced", 0.02}, {2, "same_address", 0.033}};
  CHECK(kinds(launch) == std::vector<std::string>{"uncoalesced", "atomic"});
}

TEST_CASE("idle SMs that cost more time than all else come first, however little each warp does") {
  auto launch = two_lines();
  launch.time->what_ifs = {{0, "idle_sms", 0.0102}, {3, "uncoalesced", 0.02}};
  const auto marks = explanation_of(launch, 132).marks;
  REQUIRE(marks.size() == 3);
  CHECK(marks[0].kind == "few_blocks");
  CHECK(marks[0].text.starts_with("32 blocks, 100 SMs idle"));
  CHECK(marks[1].kind == "uncoalesced");
}
