#include "runner/report/explain/time_text.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("lines are told by modelled time, with what warps do there, and source where there is room") {
  LaunchLines launch;
  CHECK(where_time_goes(launch, {}, 100).empty());
  CHECK(what_ifs(launch, 132).empty());
  launch.time = LaunchTime{.ms = 0.0127, .kernel_ms = 0.01, .lines = {}, .what_ifs = {}};
  launch.time->lines = {{.line = 1, .issue = 0.001, .memory = 0.0015},
                        {.line = 2, .shared = 0.006, .barrier = 0.001},
                        {.line = 0, .result = 0.0005},
                        {.line = 3, .issue = 0.0001}};
  CHECK(where_time_goes(launch, {"  a = b;", "\tc = s[d];", "return;"}, 100) ==
        std::vector<std::string>{"line 2  70%  7 µs  waits for shared memory 60%, waits at the barrier 10%  c = s[d];",
                                 "line 1  25%  2.5 µs  waits for global memory 15%, issues 10%  a = b;",
                                 "code of no line  5%  0.5 µs  waits for results 5%"});
  CHECK(where_time_goes(launch, {"  a = b;", "\tc = s[d];"}, 60)[0] ==
        "line 2  70%  7 µs  waits for shared memory 60%, waits at the barrier 10%");
  CHECK(time_share(launch, 2) == Catch::Detail::Approx(0.7));
  CHECK(time_share(launch, 9) == 0);
}

TEST_CASE("what a cost less would do is a sentence for each kind") {
  LaunchLines launch;
  launch.time = LaunchTime{.ms = 0.0247,
                           .kernel_ms = 0.02,
                           .lines = {},
                           .what_ifs = {{225, "bank_conflict", 0.0182},
                                        {7, "uncoalesced", 0.02},
                                        {9, "same_address", 0.021},
                                        {9, "queue", 0.0215},
                                        {0, "idle_sms", 0.022}}};
  CHECK(what_ifs(launch, 132) ==
        std::vector<std::string>{
            "without the bank conflicts of line 225: 18.2 µs instead of 24.7 µs",
            "if line 7 were coalesced: 20 µs instead of 24.7 µs",
            "if no two lanes of a warp met at one address in line 9: 21 µs instead of 24.7 µs",
            "if the atomics of line 9 met at no address, of whatever block: 21.5 µs instead of 24.7 µs",
            ("with all 132 SMs busy, each with an equal part of the work: "
             "22 µs instead of 24.7 µs")});
}

namespace {

/// Line 2 loads, line 3 is a barrier behind it, line 4 works after that; line 3 takes the most time.
LaunchLines behind_a_barrier() {
  LaunchLines launch;
  for (const std::uint32_t line : {2, 3, 4}) {
    LineCounts counts;
    counts.line = line;
    counts.phase = line == 4 ? 1 : 0;
    counts.executions = 8;
    launch.lines.push_back(counts);
  }
  launch.time = LaunchTime{.ms = 0.0127, .kernel_ms = 0.01, .lines = {}, .what_ifs = {}};
  launch.time->lines = {{.line = 2, .memory = 0.002}, {.line = 3, .barrier = 0.005}, {.line = 4, .memory = 0.003}};
  return launch;
}

std::string darkest(const LaunchLines& launch) { return darkest_line_text(explanation_of(launch, 132)); }

}  // namespace

TEST_CASE(
    "the line that takes the most time is told of where no reason speaks of it, and who comes late to its barrier") {
  auto launch = behind_a_barrier();
  CHECK(darkest(launch) ==
        "Line 3 takes the most time, 50%, and no reason speaks of it: its warps wait for the last one of their block, "
        "for "
        "what that does before the barrier, most of it in line 2 (20%).");
  launch.time->lines[1] = {.line = 3, .memory = 0.005};
  CHECK(darkest(launch).find("wait for global memory, which is asked in few enough sectors") != std::string::npos);
  launch.time->lines[1] = {.line = 3, .shared = 0.005};
  CHECK(darkest(launch).find("wait for shared memory, without conflicts") != std::string::npos);
  launch.time->lines[1] = {.line = 3, .result = 0.005};
  CHECK(darkest(launch).find("wait for results of instructions before it") != std::string::npos);
  launch.time->lines[1] = {.line = 3, .issue = 0.005};
  CHECK(darkest(launch).find("its instructions fill the time") != std::string::npos);
}

TEST_CASE(
    "a line that takes little, or that a reason speaks of, is not told of twice; the reason of the late one is named") {
  auto launch = behind_a_barrier();
  for (auto& line : launch.lines) {
    line.counters["warp_instructions"] = 100;
    line.counters["thread_instructions"] = 3200;
    launch.counters += line.counters;
  }
  auto& late = launch.lines[0].counters;
  late["local_load_sectors"] = 4000;
  launch.counters["local_load_sectors"] = 4000;
  CHECK(darkest(launch).find("most of it in line 2 (20%, ◄1)") != std::string::npos);
  launch.lines[1].counters["local_load_sectors"] = 4000;
  CHECK(darkest(launch).empty());
  launch.lines[1].counters["local_load_sectors"] = 0;
  launch.time->lines[1].barrier = 0.0015;
  launch.time->kernel_ms = 0.02;
  CHECK(darkest(launch).empty());
}

TEST_CASE("where a reason of the whole launch says it, or the launch itself takes the time, no line is told of") {
  auto launch = behind_a_barrier();
  launch.time->ms = 0.03;  // of which the kernel runs for a third
  CHECK(darkest(launch).empty());
  launch.time->ms = 0.0127;
  launch.grid = {1};
  launch.block = {256};
  launch.time->what_ifs = {{0, "idle_sms", 0.004}};
  CHECK(darkest(launch).empty());
}
