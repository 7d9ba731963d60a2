#include "runner/report/report.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

Result timed(const std::string& variant) {
  Result result;
  result.variant = variant;
  result.timing = Timing{.source = TimeSource::cuda_events, .mode = CacheState::cold, .samples = 31, .median_ms = 1};
  return result;
}

std::string text_of(const char* format, const Run& run) {
  return find_format(format, formats_for(&Format::run), "reduce").run(run, Style{.width = 400});
}

}  // namespace

TEST_CASE("a report says which samples were taken again and why, and once that nobody knows of throttling") {
  Run run{{"gpu", "NVIDIA H200", "h200", 9, 0, 132}, "reduce", {timed("a"), timed("b")}};
  CHECK(text_of("table", run).find("Clock:") == std::string::npos);
  run.results[0].timing->discarded = {{"power cap", 5}, {"low clock", 1}};
  run.results[1].timing->throttled = "power cap";
  for (auto& result : run.results) result.timing->throttling_unseen = "libnvidia-ml.so.1: cannot open";
  CHECK_THAT(text_of("table", run),
             ContainsSubstring(
                 "Clock: a: 5 samples taken again (power cap); a: 1 sample taken again (low clock); b: the clock was "
                 "held back all the while (power cap), so that its time is longer than it would be; nobody can tell "
                 "whether the GPU's clock was held back: libnvidia-ml.so.1: cannot open."));
}

TEST_CASE("the JSON has every sample, and what went on beside them") {
  Run run{{"gpu", "NVIDIA H200", "h200", 9, 0, 132}, "reduce", {timed("a")}};
  auto& timing = *run.results[0].timing;
  CHECK(text_of("json", run).find("samples_ms") == std::string::npos);
  timing.samples_ms = {1, 1.5};
  timing.sm_mhz = {1980, 1755};
  timing.stopped_by = StoppedBy::noise;
  timing.discarded = {{"power cap", 5}};
  timing.in_turn = true;
  const auto text = text_of("json", run);
  for (const auto* part : {"\"samples_ms\": [1.0, 1.5]", "\"sm_mhz\": [1980.0, 1755.0]", "\"stopped_by\": \"noise\"",
                           "\"reason\": \"power cap\", \"samples\": 5", "\"in_turn\": true"})
    CHECK_THAT(text, ContainsSubstring(part));
}
