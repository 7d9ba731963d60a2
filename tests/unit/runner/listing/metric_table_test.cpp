#include "runner/listing/metric_table.h"

#include <set>

#include "labs/registry.h"
#include "runner/case/metrics.h"
#include "runner/report/ladder/time_metrics.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

Result measured(const std::string& variant, TimeSource source) {
  Result result;
  result.variant = variant;
  result.timing.emplace();
  result.timing->source = source;
  result.timing->median_ms = 2;
  result.counters.emplace();
  return result;
}

}  // namespace

TEST_CASE("whatever is added to a result has a meaning, with its unit") {
  GpuProfile peaks;
  peaks.memory_bandwidth_gbs = peaks.fp32_tflops = 1;
  std::vector<Result> results{measured("a", TimeSource::cuda_events), measured("b", TimeSource::cuda_events),
                              measured("cpu", TimeSource::cpu_wall)};
  for (auto& result : results) {
    add_rates({.bytes = 1, .flops = 1, .elements = 1, .instructions_per_element = true}, &peaks, result);
    add_traffic({.copies = 1, .bytes_to_device = 1, .bytes_to_host = 1, .bytes_to_peers = 1}, 1, result);
    add_host_times({}, 1, result);
    result.model = ModelledTime{};
    add_modelled_time(result);
  }
  Lab lab;
  lab.variants = {{.name = "a", .summary = ""}, {.name = "b", .summary = ""}};
  add_speedups(lab, results, "a");
  const auto known = listed_metrics({});
  std::set<std::string> seen{"sms_used", "waves", "tail", "theoretical_occupancy",
                             "blocks_per_sm"};                          // fields of Result
  for (const auto& metric : time_metrics()) seen.emplace(metric.name);  // metric_value()
  for (const auto& result : results) {
    for (const auto& metric : result.metrics) {
      INFO(metric.name);
      const auto* meaning = meaning_of(known, "", metric.name);
      REQUIRE(meaning != nullptr);
      CHECK(meaning->unit == metric.unit);
      seen.insert(metric.name);
    }
  }
  for (const auto& metric : known) {  // and no word is left that nothing has
    INFO(metric.name);
    CHECK((metric.kind == MetricKind::counter || seen.contains(metric.name)));
  }
}

TEST_CASE("a lab's own meaning of a word goes first, and of no other lab; N stands for a number") {
  Lab lab;
  lab.name = "bags";
  lab.metrics = {{"launches", "grids", "of bags"}, {"launches_depth_N", "grids", "by level"}};
  const auto known = listed_metrics(std::span(&lab, 1));
  CHECK(meaning_of(known, "bags", "launches")->definition == "of bags");
  CHECK(meaning_of(known, "tree", "launches")->definition != "of bags");
  CHECK(meaning_of(known, "bags", "launches_depth_12")->definition == "by level");
  CHECK(meaning_of(known, "bags", "launches_depth_") == nullptr);
  CHECK(meaning_of(known, "bags", "launches_depth_x") == nullptr);
  CHECK(meaning_of(known, "tree", "launches_depth_1") == nullptr);
}

TEST_CASE("every metric of every lab has a definition, and a name of its own there") {
  std::set<std::pair<std::string, std::string>> names;
  for (const auto& metric : listed_metrics(all_labs())) {
    INFO(metric.lab << " " << metric.name);
    CHECK(!metric.definition.empty());
    CHECK(names.insert({metric.lab, metric.name}).second);
  }
}

}  // namespace gpulab
