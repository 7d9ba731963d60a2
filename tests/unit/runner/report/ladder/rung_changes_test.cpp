#include "runner/report/ladder/rung_changes.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

Lab two_rungs(std::vector<Claim> claims = {}) {
  Lab lab;
  lab.variants = {{.name = "slow", .summary = ""}, {.name = "fast", .summary = "", .claims = std::move(claims)}};
  return lab;
}

Result counted_result(const std::string& variant, std::uint64_t instructions, std::uint64_t conflicts) {
  Result result;
  result.variant = variant;
  result.params = {{"n", std::int64_t{1024}}};
  result.launch = LaunchFacts{};
  result.launch->block = {256, 1, 1};
  result.counters = Counters{};
  (*result.counters)["warp_instructions"] = instructions;
  (*result.counters)["shared_load_bank_conflicts"] = conflicts;
  return result;
}

std::vector<std::string> sentences(const Lab& lab, std::vector<Result> results) {
  add_rung_changes(lab, results);
  std::vector<std::string> texts;
  for (const auto& m : results.back().changes) texts.push_back(change_text(m) + " (" + m.than + ")");
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a rung that claims nothing is told by what moved most, gains before losses") {
  const auto slow = counted_result("slow", 4000, 0);
  CHECK(sentences(two_rungs(), {slow, counted_result("fast", 1000, 0)}) ==
        Texts{"warp instructions fall from 4,000 to 1,000 (4 times) (slow)"});
  CHECK(sentences(two_rungs(), {slow, counted_result("fast", 3000, 62)}) ==
        Texts{"warp instructions fall from 4,000 to 3,000 (1.33 times) (slow)",
              "shared load bank conflicts rise from 0 to 62 (slow)"});
  CHECK(sentences(two_rungs(), {slow, counted_result("fast", 3900, 0)}).empty());
  // Three conflicts among thousands of instructions are nothing.
  CHECK(sentences(two_rungs(), {slow, counted_result("fast", 4000, 3)}).empty());
}

TEST_CASE("a rung that claims counters is told by these first, however little they moved") {
  const auto lab = two_rungs({falls("warp_instructions"), rises("branch_efficiency")});
  auto slow = counted_result("slow", 4000, 62), fast = counted_result("fast", 3999, 0);
  (*slow.counters)["branches"] = (*fast.counters)["branches"] = 200;
  (*slow.counters)["divergent_branches"] = 50;
  CHECK(sentences(lab, {slow, fast}) == Texts{"warp instructions fall from 4,000 to 3,999 (slow)",
                                              "branch efficiency rises from 75% to 100% (slow)",
                                              "shared load bank conflicts fall from 62 to 0 (slow)"});
  CHECK(sentences(two_rungs({falls("warp_instructions")}), {slow, counted_result("fast", 4000, 62)}) ==
        Texts{"warp instructions stay at 4,000 (slow)"});
}

TEST_CASE("a claim may refer to another rung, and to a metric of the lab's own") {
  auto lab = two_rungs({falls("launches", "slow")});
  lab.variants.insert(lab.variants.begin() + 1, Variant{.name = "between", .summary = ""});
  auto slow = counted_result("slow", 10, 0), between = counted_result("between", 10, 0),
       fast = counted_result("fast", 10, 0);
  slow.metrics = {{"launches", 512, "launches"}};
  fast.metrics = {{"launches", 1, "launches"}};
  CHECK(sentences(lab, {slow, between, fast}) == Texts{"launches fall from 512 to 1 (512 times) (slow)"});
}

TEST_CASE("a variant that starts a ladder of its own has no rung before; those above it have it as their first") {
  auto lab = two_rungs();
  lab.variants.push_back({.name = "third", .summary = ""});
  lab.variants[1].starts = true;
  const auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0),
             third = counted_result("third", 250, 0);
  CHECK(sentences(lab, {slow, fast}).empty());
  CHECK(sentences(lab, {slow, fast, third}) == Texts{"warp instructions fall from 1,000 to 250 (4 times) (fast)"});
  CHECK(sentences(lab, {slow, third}).empty());
}

TEST_CASE("large factors are whole numbers") {
  CHECK(sentences(two_rungs(), {counted_result("slow", 2'000'000, 0), counted_result("fast", 1000, 0)}) ==
        Texts{"warp instructions fall from 2,000,000 to 1,000 (2,000 times) (slow)"});
}

TEST_CASE("only right results of the same parameters are compared, of the same block where there is one") {
  const auto lab = two_rungs({falls("warp_instructions")});
  auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
  slow.params = {{"n", std::int64_t{2048}}};
  CHECK(sentences(lab, {slow, fast}).empty());
  slow.params = fast.params;
  slow.status = CaseStatus::wrong;
  CHECK(sentences(lab, {slow, fast}).empty());
  auto wide = counted_result("slow", 500, 0);
  wide.launch->block = {512, 1, 1};
  slow.status = CaseStatus::ok;
  CHECK(sentences(lab, {wide, slow, fast}) == Texts{"warp instructions fall from 4,000 to 1,000 (4 times) (slow)"});
  CHECK(sentences(lab, {wide, fast}) == Texts{"warp instructions rise from 500 to 1,000 (2 times) (slow)"});
}

TEST_CASE("a rung is compared with the one that it is built on, and what it loses is told beside what it gains") {
  auto lab = two_rungs();
  lab.variants.push_back({.name = "other", .summary = "", .builds_on = "slow"});
  auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 10, 0),
       other = counted_result("other", 2000, 620);
  (*other.counters)["shared_load_requests"] = 20;
  slow.spread = spread_of(500, {}, 132);
  other.spread = spread_of(1, {}, 132);
  std::vector<Result> results{slow, fast, other};
  add_rung_changes(lab, results);
  CHECK(results[1].built_on == "slow");
  CHECK(results[2].built_on == "slow");
  const auto stories = rung_stories({.device = {}, .lab = "", .results = results});
  REQUIRE(stories.size() == 3);
  REQUIRE(stories[2].points.size() == 1);
  CHECK(stories[2].points[0].gains == Texts{"against slow: warp instructions fall from 4,000 to 2,000 (2 times)"});
  CHECK(stories[2].points[0].losses ==
        Texts{"1 of 132 SMs gets a block, 131 idle",
              "against slow: shared load bank conflicts rise from 0 to 620 (31 per request)"});
}

TEST_CASE("below a sweep each case is named by the values that it has of its own") {
  auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
  std::vector<Result> results{slow, fast, slow, fast};
  for (const std::size_t i : {2, 3}) results[i].params = {{"n", std::int64_t{2048}}};
  add_rung_changes(two_rungs(), results);
  const auto stories = rung_stories({.device = {}, .lab = "", .results = results});
  REQUIRE(stories.size() == 2);  // one line for each rung, not for each case
  REQUIRE(stories[1].points.size() == 2);
  CHECK(stories[1].points[0].at == "n 1024 (2^10)");
  CHECK(stories[1].points[1].at == "n 2048 (2^11)");
  CHECK(rung_stories({.device = {}, .lab = "", .results = {slow}}).empty());
}

TEST_CASE("efficiencies and SMs are merits, counts are costs") {
  const auto gains = [](const Result& before, const Result& now) {
    std::vector<Result> results{before, now};
    add_rung_changes(two_rungs(), results);
    std::vector<bool> gain;
    for (const auto& m : results[1].changes) gain.push_back(m.gain);
    return gain;
  };
  auto slow = counted_result("slow", 1000, 0), fast = counted_result("fast", 1000, 0);
  (*slow.counters)["branches"] = (*fast.counters)["branches"] = 200;
  (*slow.counters)["divergent_branches"] = 100;
  slow.spread = spread_of(1, {}, 132);
  fast.spread = spread_of(132, {}, 132);
  CHECK(gains(slow, fast) == std::vector<bool>{true, true});
  std::swap(slow.counters, fast.counters);
  std::swap(slow.spread, fast.spread);
  CHECK(gains(slow, fast) == std::vector<bool>{false, false});
}

TEST_CASE("a rung's time stands against the rung's that it is built on, with what bounds both") {
  const auto time_of = [](double before, double now, std::string bound) {
    auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
    slow.model = ModelledTime{.gpu = "h200", .validated = true, .ms = before, .bound = "issue", .issue = 0.7};
    fast.model =
        ModelledTime{.gpu = "h200", .validated = true, .ms = now, .bound = std::move(bound), .issue = 0.6, .dram = 0.9};
    std::vector<Result> results{slow, fast};
    add_rung_changes(two_rungs(), results);
    return rung_stories({.device = {}, .lab = "", .results = results}).at(1).points.at(0).time;
  };
  CHECK(time_of(0.04, 0.02, "dram_bandwidth") ==
        "against slow: from 40 µs to 20 µs, as modelled (2 times as fast); bound by dram_bandwidth (busy 90% of the "
        "time), before by issue (busy 70% of the time)");
  CHECK(
      time_of(0.02, 0.04, "issue") ==
      "against slow: from 20 µs to 40 µs, as modelled (2 times as long); bound by issue (busy 60% of the time), before "
      "by issue (busy 70% of the time)");
  CHECK(time_of(0.02, 0.0201, "latency") ==
        "against slow: from 20 µs to 20.1 µs, as modelled (about as fast); bound by latency, before by issue (busy 70% "
        "of "
        "the time)");
  CHECK(time_of(0.02, 0.022, "latency").find(", as modelled (probably 1.1 times as long)") != std::string::npos);
  CHECK(time_of(0.022, 0.02, "latency").find(", as modelled (probably 1.1 times as fast)") != std::string::npos);
}

TEST_CASE("what is busy half of the time bounds nothing") {
  auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
  slow.model = ModelledTime{.gpu = "h200", .validated = true, .ms = 0.04, .bound = "issue", .issue = 0.59};
  fast.model = ModelledTime{.gpu = "h200", .validated = true, .ms = 0.02, .bound = "issue", .issue = 0.6};
  const auto time_of = [&] {
    std::vector<Result> results{slow, fast};
    add_rung_changes(two_rungs(), results);
    return rung_stories({.device = {}, .lab = "", .results = results}).at(1).points.at(0).time;
  };
  CHECK(
      time_of() ==
      "against slow: from 40 µs to 20 µs, as modelled (2 times as fast); bound by issue (busy 60% of the time), before "
      "by no unit alone (issue is the busiest, 59% of the time)");
}

TEST_CASE("where nothing is busy for long, what warps wait for is told, two things that take a fifth of their time") {
  auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
  slow.model = ModelledTime{.gpu = "h200", .validated = true, .ms = 0.04, .bound = "latency"};
  slow.model->warps = {.issue = 0.1, .memory = 0.45, .shared = 0.22, .barrier = 0.23, .result = 0};
  fast.model = ModelledTime{.gpu = "h200", .validated = true, .ms = 0.02, .bound = "issue", .issue = 0.55};
  fast.model->warps = {.issue = 0.7, .memory = 0.19, .shared = 0, .barrier = 0, .result = 0.11};
  std::vector<Result> results{slow, fast};
  add_rung_changes(two_rungs(), results);
  const auto time = rung_stories({.device = {}, .lab = "", .results = results}).at(1).points.at(0).time;
  CHECK(
      time ==
      "against slow: from 40 µs to 20 µs, as modelled (2 times as fast); bound by no unit alone (issue is the busiest, "
      "55% of the time; warps spend 70% of their time issuing, or waiting for a pipe that others use), before by "
      "latency (warps spend 45% of their time waiting for global memory, 23% at barriers)");
}

TEST_CASE("a rung that takes fewer launches says so, and one of lower occupancy what limits it") {
  auto slow = counted_result("slow", 1000, 0), fast = counted_result("fast", 1000, 0);
  slow.launch->launches = 2;
  slow.occupancy = Occupancy{1, 8, {"warps"}};
  fast.occupancy = Occupancy{0.75, 6, {"registers", "shared"}};
  fast.launch->registers_per_thread = 40;
  fast.launch->static_shared_bytes = 32768;
  std::vector<Result> results{slow, fast};
  add_rung_changes(two_rungs(), results);
  const auto point = rung_stories({.device = {}, .lab = "", .results = results}).at(1).points.at(0);
  CHECK(point.gains == std::vector<std::string>{"against slow: launches fall from 2 to 1 (2 times)"});
  CHECK(point.losses == std::vector<std::string>{
                            "against slow: theoretical occupancy falls from 100% to 75% (limited by registers, 40 per "
                            "thread and shared memory, 32 KiB per block)"});
}

TEST_CASE("measured times are told before modelled ones, and one of each kind is not compared") {
  auto slow = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
  const auto measured = [](double ms) {
    Timing timing;
    timing.source = TimeSource::cuda_events;
    timing.median_ms = ms;
    return timing;
  };
  slow.timing = measured(0.03);
  const auto time_of = [&] {
    std::vector<Result> results{slow, fast};
    add_rung_changes(two_rungs(), results);
    return rung_stories({.device = {}, .lab = "", .results = results}).at(1).points.at(0).time;
  };
  fast.model = ModelledTime{.gpu = "h200", .validated = true, .ms = 0.02, .bound = "issue"};
  CHECK(time_of().empty());
  fast.timing = measured(0.015);
  slow.model = fast.model;
  CHECK(time_of() == "against slow: from 30 µs to 15 µs (2 times as fast)");
}

TEST_CASE("rungs that a GPU timed and nobody counted stand against each other by their times") {
  const auto timed = [](const std::string& variant, double ms) {
    auto result = counted_result(variant, 0, 0);
    result.counters.reset();
    result.timing = Timing{};
    result.timing->source = TimeSource::cuda_events;
    result.timing->median_ms = ms;
    return result;
  };
  Run run{.device = {}, .lab = "", .results = {timed("slow", 0.03), timed("fast", 0.015)}};
  add_rung_changes(two_rungs(), run.results);
  CHECK(run.results[1].built_on == "slow");
  CHECK(rung_stories(run).back().points[0].time == "against slow: from 30 µs to 15 µs (2 times as fast)");
  // One that nobody timed, as a skipped or a simulated one, has nothing to be compared by.
  run.results = {timed("slow", 0.03), timed("fast", 0.015)};
  run.results[0].timing.reset();
  add_rung_changes(two_rungs(), run.results);
  CHECK(run.results[1].built_on.empty());
}

TEST_CASE("a rung says which rung it would be compared with, had it run") {
  auto racy = counted_result("slow", 4000, 0), fast = counted_result("fast", 1000, 0);
  racy.status = CaseStatus::skipped;
  std::vector<Result> results{racy, fast};
  add_rung_changes(two_rungs(), results);
  const auto stories = rung_stories({.device = {}, .lab = "", .results = results});
  CHECK(stories.at(1).points.at(0).neither == "slow, which it is built on, did not run: nothing to compare with");
  results[0].racy = true;
  CHECK(rung_stories({.device = {}, .lab = "", .results = results}).at(1).points.at(0).neither ==
        "slow, which it is built on, did not run (--allow-racy runs it): nothing to compare with");
  std::vector<Result> alone{fast};  // nobody asked for the other
  add_rung_changes(two_rungs(), alone);
  CHECK(alone[0].would_build_on.empty());
}

TEST_CASE("a rung is compared with one that races on purpose, right or wrong, and with no other wrong one") {
  auto racy = counted_result("slow", 4000, 0);
  racy.status = CaseStatus::wrong;
  CHECK(sentences(two_rungs(), {racy, counted_result("fast", 1000, 0)}).empty());
  racy.racy = true;
  CHECK(sentences(two_rungs(), {racy, counted_result("fast", 1000, 0)}) ==
        Texts{"warp instructions fall from 4,000 to 1,000 (4 times) (slow)"});
}

TEST_CASE("loads that wait for other blocks are told as that, and not as data that is loaded twice") {
  auto slow = counted_result("slow", 1000, 0), fast = counted_result("fast", 1000, 0);
  (*slow.counters)["global_load_requests"] = 100;
  (*slow.counters)["global_load_sectors"] = 400;
  (*slow.counters)["global_distinct_bytes_loaded"] = 12800;
  (*fast.counters)["global_load_requests"] = 600;
  (*fast.counters)["global_ordered_load_requests"] = 500;
  (*fast.counters)["global_load_sectors"] = 900;
  (*fast.counters)["global_distinct_bytes_loaded"] = 14800;
  CHECK(sentences(two_rungs(), {slow, fast}) ==
        Texts{"polls, loads that ask whether others have come, rise from 0 to 500 (slow)"});
  (*fast.counters)["global_ordered_load_requests"] = 100;  // most of them are data
  CHECK(sentences(two_rungs(), {slow, fast}).size() == 2);
}

TEST_CASE("atomics tell however few they are beside the instructions") {
  auto slow = counted_result("slow", 100000, 0), fast = counted_result("fast", 100000, 0);
  (*slow.counters)["global_atomic_requests"] = 128;
  (*fast.counters)["global_atomic_requests"] = 4;
  CHECK(sentences(two_rungs(), {slow, fast}) == Texts{"global atomic requests fall from 128 to 4 (32 times) (slow)"});
}
