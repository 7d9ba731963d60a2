#include "runner/case/run_case.h"

#include <cmath>

#include "labs/registry.h"
#include "runner/case/device_buffers.h"
#include "runner/case/timed_trial.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

Result run(FakeDevice& device, const Lab& lab, const std::string& variant, const Case& point,
           const RunOptions& options = {}) {
  return run_case(device, lab, find_variant(lab, variant), point, options);
}

}  // namespace

TEST_CASE("a right kernel passes with its launch, occupancy and counters") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  const auto result = run(*device, lab, "plain", default_case(lab));
  CHECK(result.status == CaseStatus::ok);
  CHECK(result.message.empty());
  CHECK(result.kernel == "twice<int>");
  REQUIRE(result.launch);
  CHECK(result.launch->grid == Dim3{4, 1, 1});
  CHECK(result.launch->block == Dim3{256, 1, 1});
  CHECK(result.launch->registers_per_thread == 16);
  REQUIRE(result.occupancy);
  CHECK(result.occupancy->theoretical == 1.0);
  REQUIRE(result.verification);
  CHECK(result.verification->status == VerificationStatus::passed);
  REQUIRE(result.counters);
  CHECK((*result.counters)["warp_instructions"] == 100);
  REQUIRE(result.timing);
  CHECK(result.timing->source == TimeSource::none);
  CHECK(result.simulation_ms);
  CHECK(result.metrics.empty());
  CHECK(device->launches.size() == 1);
  CHECK(device->memory.empty());
  CHECK(device->loaded == std::vector<std::string>{"reduce/kernels.cu"});
}

TEST_CASE("a wrong kernel is reported with its first mismatches") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  device->kernels["twice<int>"] = [&](const LaunchConfig&, std::span<const KernelArgument> arguments) {
    const auto in = device->elements<std::int32_t>(arguments[0]), out = device->elements<std::int32_t>(arguments[1]);
    for (std::size_t i = 0; i + 10 < in.size(); ++i) out[i] = 2 * in[i];
  };
  const auto result = run(*device, lab, "plain", default_case(lab));
  CHECK(result.status == CaseStatus::wrong);
  // 0xA5A5A5A5: the poison that the kernel did not overwrite.
  CHECK(result.message == "out[990] is -1515870811, not 13944 (10 of 1,000 elements differ)");
  CHECK(result.verification->mismatches.size() == 8);
  CHECK(result.verification->mismatch_count == 10);
}

TEST_CASE("an output that is added to is wrong, whatever its type: it starts as what stays wrong") {
  const auto check = [&]<typename T>(Scalar type, T two) {
    auto lab = doubling_lab();
    lab.problem = [type, two](const Case& c) {
      const std::vector<T> in(static_cast<std::size_t>(c.n()), two), out(in.size(), two);
      return Problem{{{"in", type, in.size(), BufferRole::input, bytes_of<T>(in)},
                      {"out", type, in.size(), BufferRole::output, {}}},
                     {{.buffer = "out", .exact = bytes_of<T>(out)}}};
    };
    const auto device = std::make_unique<FakeDevice>();
    bool adds = true;
    device->kernels["twice<int>"] = [&](const LaunchConfig&, std::span<const KernelArgument> arguments) {
      const auto in = device->elements<T>(arguments[0]), out = device->elements<T>(arguments[1]);
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = adds ? static_cast<T>(out[i] + in[i]) : in[i];
    };
    CHECK(run(*device, lab, "plain", default_case(lab)).status == CaseStatus::wrong);
    adds = false;
    CHECK(run(*device, lab, "plain", default_case(lab)).status == CaseStatus::ok);
  };
  check(Scalar::f32, 1e30f);
  check(Scalar::f32, 2.0f);
  check(Scalar::f64, 2.0);
  check(Scalar::i32, std::int32_t{2});
  check(Scalar::u8, std::uint8_t{2});
  check(Scalar::i64, std::int64_t{2});
}

TEST_CASE("faults, hangs and exhausted memory end the case and not the sweep") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  LaunchFailure kind{};
  device->kernels["twice<int>"] = [&](const LaunchConfig&, std::span<const KernelArgument>) {
    throw LaunchError(kind, "it broke", "kernels.cu:41", "mend it");
  };
  const std::vector<std::pair<LaunchFailure, CaseStatus>> statuses{{LaunchFailure::fault, CaseStatus::fault},
                                                                   {LaunchFailure::hung, CaseStatus::hung},
                                                                   {LaunchFailure::out_of_memory, CaseStatus::error}};
  for (const auto& [thrown, status] : statuses) {
    kind = thrown;
    const auto result = run(*device, lab, "plain", default_case(lab));
    CHECK(result.status == status);
    CHECK(result.message == "kernels.cu:41: it broke; mend it");
    CHECK_FALSE(result.timing);
    CHECK_FALSE(result.verification);
    CHECK(result.launch);
    CHECK(device->memory.empty());
  }
}

TEST_CASE("a kernel that the module lacks is an error of the case") {
  const auto lab = doubling_lab();
  FakeDevice device;
  const auto result = run(device, lab, "plain", default_case(lab));
  CHECK(result.status == CaseStatus::error);
  CHECK(result.message == "no kernel twice<int>");
}

TEST_CASE("a case beyond the host's memory is refused before anything is allocated") {
  auto lab = doubling_lab();
  lab.work = [](const Case&) { return Work{1e18, 0, 0}; };
  lab.problem = [](const Case&) -> Problem { throw std::logic_error("must not be made"); };
  const auto device = doubling_device();
  const auto result = run(*device, lab, "plain", default_case(lab));
  CHECK(result.status == CaseStatus::error);
  CHECK_THAT(result.message, StartsWith("the problem needs at least 888 PiB of host memory, "));
  CHECK_THAT(result.message, EndsWith(" are available; choose a smaller size"));
}

TEST_CASE("a host variant is verified and timed as the host's") {
  const auto lab = doubling_lab();
  FakeDevice device;
  const auto result = run(device, lab, "cpu", default_case(lab));
  CHECK(result.status == CaseStatus::ok);
  CHECK(result.timing->source == TimeSource::cpu_wall);
  CHECK_FALSE(result.launch);
  CHECK_FALSE(result.counters);
  CHECK(device.launches.empty());
}

TEST_CASE("an empty problem is valid") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  auto point = default_case(lab);
  point.params.values["n"] = std::int64_t{0};
  const auto result = run(*device, lab, "plain", point);
  CHECK(result.status == CaseStatus::ok);
  CHECK(result.launch->grid == Dim3{1, 1, 1});
}

TEST_CASE("a device that measures time gives rates, and inputs come back before every sample") {
  auto lab = doubling_lab();
  lab.variants[1].writes_input = true;
  const auto device = doubling_device();
  device->can = {.measures_time = true};
  device->device.kind = "gpu";
  device->next_time_ms = 2;
  int spoiled = 0;
  device->kernels["twice<int>"] = [&](const LaunchConfig&, std::span<const KernelArgument> arguments) {
    const auto in = device->elements<std::int32_t>(arguments[0]), out = device->elements<std::int32_t>(arguments[1]);
    if (in[0] != 42) ++spoiled;
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] = 2 * in[i];
      in[i] = -1;
    }
  };
  RunOptions options;
  options.measure.reps = 5;
  options.measure.warmup = 2;
  const auto result = run(*device, lab, "plain", default_case(lab), options);
  CHECK(result.status == CaseStatus::ok);
  CHECK(spoiled == 0);
  CHECK(device->launches.size() == 1 + 2 + 5);
  CHECK(result.timing->source == TimeSource::cuda_events);
  CHECK(result.timing->mode == CacheState::cold);
  CHECK(result.timing->samples == 5);
  REQUIRE_FALSE(result.metrics.empty());
  CHECK(result.metrics[0].name == "bandwidth");
  CHECK(std::abs(result.metrics[0].value - 8000 / 0.002 / 1e9) < 1e-9);
}

TEST_CASE("of a kernel that nobody trusts the last timed launch is handed out, too, and none finds the answer there") {
  auto lab = doubling_lab();
  lab.trial = std::make_shared<Trial>();
  const auto device = doubling_device();
  device->can = {.measures_time = true};
  const auto doubles = device->kernels["twice<int>"];
  int launches = 0;
  device->kernels["twice<int>"] = [&](const LaunchConfig& config, std::span<const KernelArgument> arguments) {
    if (launches++ == 0) doubles(config, arguments);  // the others leave it as it is
  };
  RunOptions options;
  options.measure.reps = 3;
  device->next_time_ms = 0.25;
  const auto result = run(*device, lab, "plain", default_case(lab), options);
  CHECK(result.status == CaseStatus::ok);
  CHECK(first_launch_ms(result) == 0.25);
  std::map<std::string, std::vector<std::byte>> contents(result.contents.begin(), result.contents.end());
  REQUIRE(contents.size() == 5);
  CHECK(contents["timed in"] == contents["in"]);
  CHECK(view_as<std::int32_t>(contents["out"])[1] == 2 * view_as<std::int32_t>(contents["in"])[1]);
  CHECK(std::ranges::all_of(contents["timed out"], [](std::byte b) { return b == poison_of(Scalar::i32); }));
}

TEST_CASE("a wrong kernel is not measured") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  device->can = {.measures_time = true};
  device->kernels["twice<int>"] = [](const LaunchConfig&, std::span<const KernelArgument>) {};
  const auto result = run(*device, lab, "plain", default_case(lab));
  CHECK(result.status == CaseStatus::wrong);
  CHECK(device->launches.size() == 1);
  CHECK(result.metrics.empty());
}

TEST_CASE("a runner loads a kernel file once and makes a case's problem once") {
  auto lab = doubling_lab();
  int made = 0;
  lab.problem = [&made, make = lab.problem](const Case& c) {
    ++made;
    return make(c);
  };
  const auto device = doubling_device();
  CaseRunner runner(*device);
  for (const auto* name : {"slow", "plain", "tree"}) {
    CHECK(runner.run(lab, find_variant(lab, name), default_case(lab), {}).status == CaseStatus::ok);
  }
  CHECK(made == 1);
  CHECK(device->loaded.size() == 1);
}

TEST_CASE("what a kernel prints is part of its result") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  device->output = "hello\n";
  CHECK(run(*device, lab, "plain", default_case(lab)).output == "hello\n");
}

TEST_CASE("an adjusted answer is the variant's own") {
  auto lab = doubling_lab();
  lab.variants[0].adjust = [](const Case&, Problem& problem) { problem.expected[0].exact[0] = std::byte{0xFF}; };
  const auto device = doubling_device();
  CaseRunner runner(*device);
  CHECK(runner.run(lab, lab.variants[0], default_case(lab), {}).status == CaseStatus::wrong);
  CHECK(runner.run(lab, lab.variants[1], default_case(lab), {}).status == CaseStatus::ok);
  CHECK(runner.run(lab, lab.variants[0], default_case(lab), {}).status == CaseStatus::wrong);
}

TEST_CASE("of a GPU's many runs the verified one is heard and kept, the measured ones print for nobody") {
  auto lab = doubling_lab();
  const auto device = doubling_device();
  device->can = {.measures_time = true};
  auto& body = device->kernels.at("twice<int>");
  body = [&device = *device, right = body](const LaunchConfig& config, std::span<const KernelArgument> arguments) {
    right(config, arguments);
    device.output += "line\n";
  };
  RunOptions options;
  options.measure.reps = 5;
  const auto result = CaseRunner(*device).run(lab, lab.variants[1], default_case(lab), options);
  CHECK(result.status == CaseStatus::ok);
  CHECK(result.timing->samples == 5);
  CHECK(result.output == "line\n");
}

TEST_CASE("shared memory beyond a block's is refused before the launch") {
  auto lab = doubling_lab();
  lab.variants[1].dynamic_shared_bytes = [](const Case&) { return 300U * 1024; };
  const auto device = doubling_device();
  const auto result = run(*device, lab, "plain", default_case(lab));
  CHECK(result.status == CaseStatus::error);
  CHECK(result.message ==
        "a block of twice<int> needs 300 KiB of shared memory, NVIDIA H200 has 227 KiB per block; use a smaller block "
        "or tile");
  CHECK(device->launches.empty());
}
