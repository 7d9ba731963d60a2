#include "runner/report/ladder/time_metrics.h"

#include <set>

#include "common/counters.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

Result modelled() {
  Result r;
  r.launch = LaunchFacts{{1056, 1, 1}, {256, 1, 1}, 0, 0, 0, 18, 1};
  r.occupancy = Occupancy{1.0, 8, {"warps"}};
  r.spread = spread_of(1056, r.occupancy, 132);
  r.counters.emplace();
  (*r.counters)["global_load_sectors"] = 1000000;
  (*r.counters)["global_store_sectors"] = 500000;
  (*r.counters)["global_bytes_loaded"] = 16000000;
  (*r.counters)["global_read_footprint_bytes"] = 8000000;
  (*r.counters)["shared_load_wavefronts"] = 1000000;
  r.model.emplace();
  r.model->ms = 0.012;
  r.model->kernel_ms = 0.01;
  r.model->issue = 0.25;
  r.model->sm_efficiency = 0.5;
  r.model->achieved_occupancy = 0.75;
  r.model->dram = 0.9;
  r.metrics = {{"modelled_time", 12, "us"}, {"copies", 2, ""}};
  return r;
}

std::string text_of(const Result& r, std::string_view name) {
  const auto value = metric_value(r, name);
  return value ? metric_text(*value) + (value->modelled ? " modelled" : "") : "-";
}

}  // namespace

TEST_CASE("rates come from counts and the modelled time in kernels, shares from the model") {
  const auto r = modelled();
  CHECK(text_of(r, "gld_throughput") == "3200 GB/s modelled");
  CHECK(text_of(r, "gst_throughput") == "1600 GB/s modelled");
  CHECK(text_of(r, "gld_requested_throughput") == "1600 GB/s modelled");
  CHECK(text_of(r, "gst_requested_throughput") == "0 GB/s modelled");
  CHECK(text_of(r, "dram_read_throughput") == "800 GB/s modelled");
  CHECK(text_of(r, "shared_load_throughput") == "1.28e+04 GB/s modelled");
  CHECK(text_of(r, "sm_efficiency") == "50% modelled");
  CHECK(text_of(r, "achieved_occupancy") == "75% modelled");
  CHECK(text_of(r, "ipc") == "1 modelled");
  CHECK(text_of(r, "issue_slot_utilization") == "25% modelled");
  CHECK(text_of(r, "dram_busy") == "90% modelled");
  CHECK(text_of(r, "modelled_time") == "12 µs modelled");
}

TEST_CASE("what is counted or known of the launch is not called modelled") {
  const auto r = modelled();
  CHECK(text_of(r, "global_load_sectors") == "1 M");
  CHECK(text_of(r, "copies") == "2");
  CHECK(text_of(r, "theoretical_occupancy") == "100%");
  CHECK(text_of(r, "blocks_per_sm") == "8");
  CHECK(text_of(r, "sms_used") == "132");
  CHECK(text_of(r, "waves") == "1");
  CHECK(text_of(r, "tail") == "0%");
}

TEST_CASE("what a result does not say is absent: no model, other counters, reads of several launches, unknown names") {
  auto r = modelled();
  r.launch->launches = 2;
  CHECK(text_of(r, "dram_read_throughput") == "-");
  r.counters_params = {{"n", std::int64_t{4}}};
  CHECK(text_of(r, "gld_throughput") == "-");
  r.model.reset();
  CHECK(text_of(r, "sm_efficiency") == "-");
  r.counters.reset();
  CHECK(text_of(r, "global_load_sectors") == "-");
  r.spread.reset();
  CHECK(text_of(r, "waves") == "-");
  CHECK(text_of(r, "nonsense") == "-");
}

TEST_CASE("a profiler's metric of time is told or refused, and none is a counter, too") {
  std::set<std::string_view> names;
  for (const auto& metric : time_metrics()) {
    CHECK(names.insert(metric.name).second);
    CHECK(find_counter(metric.name) == nullptr);
    CHECK(is_modelled(metric.name));
    CHECK_FALSE(metric.definition.empty());
  }
  for (const auto& metric : unmodelled_metrics()) CHECK(names.insert(metric.name).second);
  CHECK_FALSE(is_modelled("warp_instructions"));
}
