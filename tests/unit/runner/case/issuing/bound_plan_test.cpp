#include "runner/case/issuing/bound_plan.h"

#include <stdexcept>

#include "labs/registry.h"
#include "runner/case/metrics.h"
#include "runner/case/run_case.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

Step copy(const char* to, const char* from, std::size_t first, std::size_t count) {
  Step step;
  step.copy = {to, from, first, count};
  return step;
}

/// The doubling lab with its data on the host: there, doubled, and back.
Lab travelling_lab() {
  auto lab = doubling_lab();
  lab.problem = [make = lab.problem](const Case& c) {
    auto problem = make(c);
    for (auto& buffer : problem.buffers) buffer.on_host = true;
    return problem;
  };
  Variant trip{.name = "trip", .summary = "there and back"};
  trip.scratch = [](const Case& c) -> std::vector<Buffer> {
    const auto n = static_cast<std::size_t>(c.n());
    return {{"device_in", Scalar::i32, n, BufferRole::scratch}, {"device_out", Scalar::i32, n, BufferRole::scratch}};
  };
  trip.steps = [](const Case& c) -> std::vector<Step> {
    const auto n = static_cast<std::size_t>(c.n());
    Step twice{.kernel = "twice<{type}>", .grid = c.grid, .block = c.block};
    twice.arguments = {BufferArgument{"device_in"}, BufferArgument{"device_out"}, static_cast<std::int32_t>(n)};
    return {copy("device_in", "in", 0, n), twice, copy("out", "device_out", 0, n)};
  };
  lab.variants = {trip};
  return lab;
}

double metric(const Result& result, std::string_view name) {
  const auto* found = find_metric(result, name);
  return found != nullptr ? found->value : -1;
}

}  // namespace

TEST_CASE("a plan of copies and launches is run in its order, and its traffic is counted") {
  const auto lab = travelling_lab();
  for (const bool pinned : {false, true}) {
    auto variant = lab.variants[0];
    variant.pinned = pinned;
    const auto device = doubling_device();
    const auto result = run_case(*device, lab, variant, default_case(lab), {});
    INFO(result.message);
    CHECK(result.status == CaseStatus::ok);
    CHECK(metric(result, "bytes_to_device") == 4000);
    CHECK(metric(result, "bytes_to_host") == 4000);
    CHECK(metric(result, "copies") == 2);
    CHECK(metric(result, "launches") == 1);
    CHECK(device->memory.empty());
  }
}

TEST_CASE("a plan without a launch has no launch to describe") {
  auto lab = travelling_lab();
  auto& variant = lab.variants[0];
  variant.steps = [](const Case&) -> std::vector<Step> { return {copy("device_in", "in", 0, 5)}; };
  variant.adjust = [](const Case&, Problem& problem) { problem.expected.clear(); };
  const auto device = doubling_device();
  const auto result = run_case(*device, lab, variant, default_case(lab), {});
  CHECK(result.status == CaseStatus::ok);
  CHECK_FALSE(result.launch);
  CHECK(result.kernel.empty());
  CHECK(metric(result, "bytes_to_device") == 20);
}

TEST_CASE("a recorded plan is verified like any other, and runs as often") {
  auto lab = travelling_lab();
  lab.variants[0].graph = true;
  const auto device = doubling_device();
  device->can = {.measures_time = true};
  RunOptions options;
  options.measure = {.warmup = 2, .reps = 5};
  const auto result = run_case(*device, lab, lab.variants[0], default_case(lab), options);
  CHECK(result.status == CaseStatus::ok);
  CHECK(device->launches.size() == 1 + 2 + 5);
}

TEST_CASE("the host's clock is read where the device measures time, and the lab asks for it") {
  auto lab = travelling_lab();
  const auto run = [&](bool asks, bool measures) {
    lab.variants[0].host_clock = asks;
    const auto device = doubling_device();
    device->can = {.measures_time = measures};
    device->next_time_ms = 0.5;
    RunOptions options;
    options.measure = {.warmup = 0, .reps = 3};
    return run_case(*device, lab, lab.variants[0], default_case(lab), options);
  };
  for (const auto& result : {run(false, true), run(true, false)}) {
    CHECK(metric(result, "host_time_unsynchronized") == -1);
    CHECK(metric(result, "host_time_synchronized") == -1);
    CHECK(metric(result, "time_per_launch") == -1);
  }
  const auto result = run(true, true);
  CHECK(result.status == CaseStatus::ok);
  CHECK(metric(result, "host_time_unsynchronized") > 0);
  CHECK(metric(result, "host_time_synchronized") >= metric(result, "host_time_unsynchronized"));
  CHECK(metric(result, "time_per_launch") == 500);  // by the device's clock
}

TEST_CASE("steps that make no sense are the lab's mistakes, and named") {
  const auto lab = travelling_lab();
  const auto message = [&](const Step& step) {
    auto variant = lab.variants[0];
    variant.steps = [&](const Case&) -> std::vector<Step> { return {step}; };
    const auto device = doubling_device();
    const auto result = run_case(*device, lab, variant, default_case(lab), {});
    CHECK(result.status == CaseStatus::error);
    CHECK(device->memory.empty());
    return result.message;
  };
  CHECK(message(copy("device_in", "in", 1, 1000)) == "'device_in' has no elements 1 to 1001");
  CHECK(message(copy("out", "in", 0, 10)) == "'out' lies on the host");
  CHECK(message(copy("in", "device_in", 0, 10)) == "'in' is an input of the host's: nothing restores it");
  CHECK(message(copy("nowhere", "in", 0, 10)) == "no buffer is named 'nowhere'");
  Step both = copy("device_in", "in", 0, 10);
  both.kernel = "twice<int>";
  CHECK(message(both) == "a step is a launch or a copy");
  Step early = copy("device_in", "in", 0, 10);
  early.after = {0};
  CHECK(message(early) == "a step waits for one that comes later");
  Step host_argument{.kernel = "twice<int>", .arguments = {BufferArgument{"in"}}};
  CHECK(message(host_argument) == "'in' lies on the host");
}
