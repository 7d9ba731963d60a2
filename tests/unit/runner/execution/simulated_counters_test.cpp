#include "runner/execution/simulated_counters.h"

#include "labs/registry.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

/// An executor whose cases take a known time per element, and count their elements.
class Metered final : public Executor {
 public:
  double seconds_per_element = 0;
  CaseStatus status = CaseStatus::ok;
  std::vector<std::int64_t> sizes;
  DeviceInfo device{"sim", "metered", "h200", 9, 0, 132};
  [[nodiscard]] const DeviceInfo& info() const override { return device; }
  [[nodiscard]] Capabilities capabilities() const override { return {.counts = true}; }
  [[nodiscard]] Result run(const Lab&, const Variant&, const Case& point, const RunOptions&) override {
    sizes.push_back(point.n());
    Result result;
    result.status = status;
    result.message = status == CaseStatus::ok ? "" : "no such instruction";
    result.params = {{"n", point.n()}};
    result.simulation_ms = 1000 * seconds_per_element * static_cast<double>(point.n());
    result.counters = Counters{};
    (*result.counters)["warp_instructions"] = static_cast<std::uint64_t>(point.n());
    result.model = ModelledTime{.gpu = "h200", .ms = static_cast<double>(point.n()), .bound = "issue"};
    return result;
  }
};

Result beside(Metered& simulator, std::int64_t n) {
  auto lab = doubling_lab();
  lab.params[0].fallback = std::int64_t{4096};
  auto point = default_case(lab);
  point.params.values["n"] = n;
  Result result;
  result.params = {{"n", n}};
  add_simulated_counters(simulator, lab, find_variant(lab, "plain"), point, {}, 1, result);
  return result;
}

}  // namespace

TEST_CASE("a case that simulates in time is counted at its own size") {
  Metered simulator;
  const auto result = beside(simulator, 1 << 16);
  CHECK((*result.counters)["warp_instructions"] == 1 << 16);
  CHECK(result.counters_params.empty());
  CHECK((*beside(simulator, 100).counters)["warp_instructions"] == 100);
  REQUIRE(result.model);  // the modelled time stands beside the measured one
  CHECK(result.model->ms == 1 << 16);
  CHECK(result.metrics.back().name == "modelled_time");
}

TEST_CASE("a case that would take long is counted at the largest size of about a second, which is named") {
  Metered simulator;
  simulator.seconds_per_element = 1.0 / (1 << 15);
  const auto result = beside(simulator, 1 << 20);
  CHECK((*result.counters)["warp_instructions"] == 1 << 15);
  REQUIRE(result.counters_params.size() == 1);
  CHECK(std::get<std::int64_t>(result.counters_params[0].second) == 1 << 15);
  CHECK_FALSE(result.model);  // of another size
}

TEST_CASE("a case that the simulator cannot run keeps its result and says why it has no counters") {
  Metered simulator;
  simulator.status = CaseStatus::error;
  const auto result = beside(simulator, 1 << 16);
  CHECK(result.status == CaseStatus::ok);
  CHECK(result.message == "no counters: simulating beside the GPU: no such instruction");
  CHECK_FALSE(result.counters);
  CHECK(simulator.sizes.size() == 1);
}
