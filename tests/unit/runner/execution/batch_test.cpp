#include "runner/execution/batch.h"

#include <fmt/format.h>

#include <memory>

#include "labs/registry.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

ExitCode code_of_statuses(const std::vector<CaseStatus>& statuses, bool named = true) {
  std::vector<SweepCase> cases(statuses.size());
  std::vector<Result> results(statuses.size());
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    results[i].status = statuses[i];
    cases[i].named = named;
  }
  return exit_code(cases, results);
}

}  // namespace

TEST_CASE("the exit code is the worst of failed launch, wrong answer and what is missing") {
  using enum CaseStatus;
  CHECK(code_of_statuses({ok, ok}) == ExitCode::ok);
  CHECK(code_of_statuses({ok, wrong, ok}) == ExitCode::wrong);
  CHECK(code_of_statuses({wrong, fault}) == ExitCode::launch_failed);
  CHECK(code_of_statuses({hung}) == ExitCode::launch_failed);
  CHECK(code_of_statuses({timeout}) == ExitCode::launch_failed);
  CHECK(code_of_statuses({error, wrong, skipped}) == ExitCode::launch_failed);
  CHECK(code_of_statuses({ok, skipped}) == ExitCode::missing);
  CHECK(code_of_statuses({wrong, skipped}) == ExitCode::wrong);
  CHECK(code_of_statuses({ok, skipped}, false) == ExitCode::ok);
  CHECK(code_of_statuses({fault, interrupted}) == ExitCode::interrupted);
}

TEST_CASE("a finding of severity error costs 1, a warning nothing") {
  std::vector<SweepCase> cases(1);
  std::vector<Result> results(1);
  results[0].findings = {{"synccheck", Severity::warning, "", 1, {}}};
  CHECK(exit_code(cases, results) == ExitCode::ok);
  results[0].findings.push_back({"racecheck", Severity::error, "", 1, {}});
  CHECK(exit_code(cases, results) == ExitCode::wrong);
}

TEST_CASE("one failing case does not end the sweep, and skipped ones keep their place") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  auto device = doubling_device();
  auto* fake = device.get();
  fake->kernels["twice<int>"] = [fake, twice = fake->kernels["twice<int>"]](const LaunchConfig& config,
                                                                            auto arguments) {
    if (fake->launches.size() == 1) throw LaunchError(LaunchFailure::fault, "illegal address");
    twice(config, arguments);
  };
  const Host host{device->info(), device->capabilities()};
  const auto batch = std::make_shared<Batch>(Batch{lab, in_process(std::move(device))});
  batch->cases = sweep(parse_sweep_options(lab, {{"variant", {"all"}}}), host);
  const auto results = run_batch(batch);
  std::vector<std::string> statuses;
  for (const auto& result : results) statuses.push_back(fmt::format("{} {}", result.variant, to_text(result.status)));
  CHECK(statuses == std::vector<std::string>{"slow fault", "plain ok", "tree ok", "vendor skipped", "cpu ok"});
  CHECK(results[0].message == "illegal address");
  CHECK(results[0].summary == "one at a time");
  CHECK(exit_code(batch->cases, results) == ExitCode::launch_failed);
}

TEST_CASE("an error that ends the run comes out of the thread of the cases") {
  struct NoGpu final : Executor {
    [[nodiscard]] const DeviceInfo& info() const override { return device; }
    [[nodiscard]] Capabilities capabilities() const override { return {}; }
    [[nodiscard]] Result run(const Lab&, const Variant&, const Case&, const RunOptions&) override {
      throw Error(ExitCode::missing, "the worker has no GPU");
    }
    DeviceInfo device{"gpu", "none", "", 9, 0, 1};
  };
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto batch = std::make_shared<Batch>(Batch{lab, std::make_shared<NoGpu>()});
  batch->cases = product(parse_sweep_options(lab, {}));
  CHECK(error_of([&] { return run_batch(batch); }) == "the worker has no GPU");
}
