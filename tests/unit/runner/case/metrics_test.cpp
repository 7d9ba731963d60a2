#include "runner/case/metrics.h"

#include <cmath>

#include "tests/catch.h"

using namespace gpulab;

namespace {

Lab ladder(const std::vector<std::string>& names) {
  Lab lab;
  for (const auto& name : names) lab.variants.push_back({.name = name, .summary = ""});
  return lab;
}

Result timed(const std::string& variant, double ms, TimeSource source = TimeSource::cuda_events) {
  Result result;
  result.variant = variant;
  result.timing = Timing{};
  result.timing->source = source;
  result.timing->median_ms = ms;
  return result;
}
double value(const Result& result, const char* name) {
  const auto* metric = find_metric(result, name);
  return metric != nullptr ? metric->value : std::nan("");
}
bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

}  // namespace

TEST_CASE("rates divide work by the median time") {
  auto result = timed("warp", 2);
  GpuProfile peaks;
  peaks.memory_bandwidth_gbs = 4000;
  peaks.fp32_tflops = 50;
  add_rates({4e9, 1e9, 1e9}, &peaks, result);
  CHECK(near(value(result, "bandwidth"), 2000));
  CHECK(near(value(result, "bandwidth_of_peak"), 0.5));
  CHECK(near(value(result, "gflops"), 500));
  CHECK(near(value(result, "gflops_of_peak"), 0.01));
  CHECK(near(value(result, "elements_per_second"), 5e11));
  CHECK(near(value(result, "arithmetic_intensity"), 0.25));
}

TEST_CASE("what moves or computes nothing has no such rate, and no profile no share") {
  auto result = timed("warp", 2);
  add_rates({4e9, 0, 0}, nullptr, result);
  REQUIRE(result.metrics.size() == 1);
  CHECK(result.metrics[0].name == "bandwidth");
}

TEST_CASE("bytes that cross the link are no share of what the GPU's memory could do") {
  auto result = timed("pinned", 2);
  GpuProfile peaks;
  peaks.memory_bandwidth_gbs = 4000;
  add_rates({.bytes = 1e8, .over_link = true}, &peaks, result);
  CHECK(near(value(result, "bandwidth"), 50));
  CHECK(find_metric(result, "bandwidth_of_peak") == nullptr);
}

TEST_CASE("the CPU is compared with what its own clock says of the GPU, where it was asked") {
  std::vector<Result> results{timed("round_trip", 2), timed("resident", 2), timed("cpu", 12, TimeSource::cpu_wall)};
  add_host_times({.queued_ms = 0.5, .finished_ms = 3}, 4, results[0]);
  CHECK(near(value(results[0], "host_time_unsynchronized"), 500));
  CHECK(near(value(results[0], "host_time_synchronized"), 3000));
  CHECK(near(value(results[0], "time_per_launch"), 500));
  add_speedups(ladder({"pinned", "cpu"}), results, "");
  CHECK(near(value(results[0], "speedup_to_cpu"), 4));
  CHECK(near(value(results[1], "speedup_to_cpu"), 6));
}

TEST_CASE("without launches there is no time per launch, without copies no traffic") {
  auto result = timed("pinned", 2);
  add_host_times({.queued_ms = 1, .finished_ms = 2}, 0, result);
  CHECK(find_metric(result, "time_per_launch") == nullptr);
  add_traffic({}, 3, result);
  CHECK(find_metric(result, "copies") == nullptr);
  CHECK(find_metric(result, "launches") == nullptr);
}

TEST_CASE("simulation and host time give no rates") {
  for (const auto source : {TimeSource::cpu_wall, TimeSource::none}) {
    auto result = timed("warp", 2, source);
    add_rates({4e9, 1e9, 1e9}, nullptr, result);
    CHECK(result.metrics.empty());
  }
}

TEST_CASE("speed-ups refer to the baseline, the rung before and the CPU of the same case") {
  std::vector<Result> results{timed("slow", 8), timed("broken", 1), timed("fast", 2),
                              timed("cpu", 100, TimeSource::cpu_wall)};
  results[1].timing.reset();
  add_speedups(ladder({"slow", "broken", "fast", "cpu"}), results, "slow");
  CHECK(near(value(results[0], "speedup"), 1));
  CHECK(std::isnan(value(results[0], "speedup_to_previous")));
  CHECK(results[1].metrics.empty());
  CHECK(near(value(results[2], "speedup"), 4));
  CHECK(near(value(results[2], "speedup_to_previous"), 4));
  CHECK(near(value(results[2], "speedup_to_cpu"), 50));
  CHECK(results[3].metrics.empty());
}

TEST_CASE("a variant that starts a ladder of its own has no rung before") {
  std::vector<Result> results{timed("slow", 8), timed("fast", 2), timed("faster", 1)};
  Lab lab = ladder({"slow", "fast", "faster"});
  lab.variants[1].starts = true;
  add_speedups(lab, results, "slow");
  CHECK(find_metric(results[1], "speedup_to_previous") == nullptr);
  CHECK(near(value(results[2], "speedup_to_previous"), 2));
}

TEST_CASE("a variant that is built on another than the one before it has that one as the rung before") {
  std::vector<Result> results{timed("slow", 8), timed("fast", 2), timed("faster", 1)};
  Lab lab = ladder({"slow", "fast", "faster"});
  lab.variants[2].builds_on = "slow";
  add_speedups(lab, results, "");
  CHECK(near(value(results[2], "speedup_to_previous"), 8));
}

TEST_CASE("cumulative speed-ups refer to the first rung that a GPU's clock measured, where there is another") {
  const auto sim = timed("slow", 8, TimeSource::none), slow = timed("slow", 8), fast = timed("fast", 2);
  CHECK(first_measured({sim, slow, fast}) == "slow");
  CHECK(first_measured({slow, slow}).empty());
  CHECK(first_measured({sim, fast}).empty());
  CHECK(first_measured({}).empty());
}

TEST_CASE("results of another size or block are never compared") {
  std::vector<Result> results{timed("slow", 8), timed("fast", 2), timed("fast", 1)};
  results[0].params = {{"n", std::int64_t{1}}};
  results[1].params = {{"n", std::int64_t{2}}};
  results[2].params = {{"n", std::int64_t{2}}};
  results[1].launch = LaunchFacts{};
  results[1].launch->block = {32, 1, 1};
  results[2].launch = LaunchFacts{};
  results[2].launch->block = {64, 1, 1};
  add_speedups(ladder({"slow", "fast"}), results, "slow");
  for (const auto& result : results) CHECK(find_metric(result, "speedup_to_previous") == nullptr);
  CHECK(find_metric(results[1], "speedup") == nullptr);
}
