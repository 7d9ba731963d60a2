#include "runner/case/measuring/measure.h"

#include <array>
#include <cmath>

#include "runner/case/measuring/in_turn.h"
#include "runner/case/measuring/samples.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

struct Counted {
  int restored = 0, worked = 0;
  Timing timing;
};
Counted measured(FakeDevice& device, const MeasureOptions& options) {
  Counted counted;
  counted.timing = measure(
      device, options, [&] { ++counted.restored; }, [&] { ++counted.worked; });
  return counted;
}

}  // namespace

TEST_CASE("quartiles, mean and deviation of samples are the textbook's") {
  const std::array samples{5.0, 1.0, 3.0, 2.0, 4.0};
  const auto timing = summarize(samples, TimeSource::cuda_events, CacheState::cold);
  CHECK(timing.samples == 5);
  CHECK(timing.min_ms == 1);
  CHECK(timing.q1_ms == 2);
  CHECK(timing.median_ms == 3);
  CHECK(timing.q3_ms == 4);
  CHECK(timing.mean_ms == 3);
  CHECK(near(timing.stddev_ms, std::sqrt(2.5)));
}

TEST_CASE("quartiles between two samples are interpolated") {
  const std::array samples{1.0, 2.0, 3.0, 4.0};
  const auto timing = summarize(samples, TimeSource::none);
  CHECK(near(timing.q1_ms, 1.75));
  CHECK(near(timing.median_ms, 2.5));
  CHECK(near(timing.q3_ms, 3.25));
}

TEST_CASE("one sample has no deviation, none has nothing") {
  const std::array one{2.0};
  CHECK(summarize(one, TimeSource::none).stddev_ms == 0);
  CHECK(summarize(one, TimeSource::none).q3_ms == 2);
  CHECK(summarize({}, TimeSource::none).samples == 0);
}

TEST_CASE("asked for a number of samples, measuring takes that number after warming up") {
  FakeDevice device;
  device.can = {.measures_time = true};
  const auto counted = measured(device, {.warmup = 4, .reps = 7});
  CHECK(counted.timing.samples == 7);
  CHECK(counted.worked == 11);
  CHECK(counted.restored == 11);
  CHECK(counted.timing.mode == CacheState::cold);
  CHECK(measured(device, {.reps = 1, .warm = true}).timing.mode == CacheState::warm);
}

TEST_CASE("quiet samples end once they add up to the time asked for") {
  FakeDevice device;
  device.can = {.measures_time = true};
  device.next_time_ms = 1;
  CHECK(measured(device, {.min_time_s = 0.05}).timing.samples == 50);
  // Never fewer than quartiles need, never more than a reader waits for.
  device.next_time_ms = 1000;
  CHECK(measured(device, {.min_time_s = 0.05}).timing.samples == 11);
  device.next_time_ms = 1e-6;
  CHECK(measured(device, {.min_time_s = 1}).timing.samples == 2000);
}

TEST_CASE("noisy samples go on until patience ends") {
  class Noisy final : public Device {
   public:
    FakeDevice fake;
    int calls = 0;
    const DeviceInfo& info() const override { return fake.info(); }
    Capabilities capabilities() const override { return {.measures_time = true}; }
    void load(const ModuleImage&) override {}
    Kernel kernel(std::string_view) override { return {}; }
    DevicePointer allocate(std::string_view, std::size_t) override { return 0; }
    void release(DevicePointer) override {}
    void write(DevicePointer, std::span<const std::byte>) override {}
    void read(std::span<std::byte>, DevicePointer) override {}
    void fill(DevicePointer, std::byte, std::size_t) override {}
    void copy(DevicePointer, DevicePointer, std::size_t) override {}
    void launch(const Kernel&, const LaunchConfig&, std::span<const KernelArgument>) override {}
    void synchronize() override {}
    double time(const std::function<void()>&, bool) override { return ++calls % 2 == 0 ? 1.5 : 0.5; }
    std::optional<Counters> take_counters() override { return std::nullopt; }
    std::string take_output() override { return {}; }
  } device;
  const auto timing = measure(
      device, {.min_time_s = 0.02, .max_noise = 0.01}, [] {}, [] {});
  CHECK(timing.samples == 200);  // ten times 20 ms at 1 ms each
}

TEST_CASE("every sample is kept, in its order, with the clock beside it and why sampling ended") {
  FakeDevice device;
  device.can = {.measures_time = true};
  for (int i = 0; i < 5; ++i) device.clocks.push_back({1900.0 + i, {}});
  const auto timing = measured(device, {.reps = 5}).timing;
  CHECK(timing.samples_ms == std::vector<double>(5, 1.0));
  CHECK(timing.sm_mhz == std::vector{1900.0, 1901.0, 1902.0, 1903.0, 1904.0});
  CHECK(timing.stopped_by == StoppedBy::count);
  CHECK(timing.discarded.empty());
  CHECK(measured(device, {.reps = 5}).timing.sm_mhz.empty());
  CHECK(measured(device, {.min_time_s = 0.01}).timing.stopped_by == StoppedBy::noise);
  device.next_time_ms = 1e-6;
  CHECK(measured(device, {.min_time_s = 1}).timing.stopped_by == StoppedBy::patience);
}

TEST_CASE("a sample beside which the clock was held back is taken again, and so is one of a GPU that wakes up") {
  FakeDevice device;
  device.can = {.measures_time = true};
  device.clocks = {{1980, {}}, {1980, "power cap"}, {1980, {}}, {1410, {}},
                   {1975, {}}, {1500, "power cap"}, {1980, {}}};
  const auto counted = measured(device, {.warmup = 0, .reps = 4});
  CHECK(counted.worked == 7);
  CHECK(counted.timing.sm_mhz == std::vector{1980.0, 1980.0, 1975.0, 1980.0});
  REQUIRE(counted.timing.discarded.size() == 2);
  CHECK(counted.timing.discarded[0].reason == "power cap");
  CHECK(counted.timing.discarded[0].samples == 2);
  CHECK(counted.timing.discarded[1].reason == "low clock");
  CHECK(counted.timing.throttled.empty());
}

TEST_CASE("a GPU that never stops being throttled is measured all the same, and the timing says so") {
  FakeDevice device;
  device.can = {.measures_time = true};
  device.clocks.assign(1000, {1700, "power cap"});
  const auto timing = measured(device, {.warmup = 0, .reps = 5}).timing;
  CHECK(timing.samples == 5);
  CHECK(timing.throttled == "power cap");
  REQUIRE(timing.discarded.size() == 1);
  CHECK(timing.discarded[0].samples == 20 + 2);
}

TEST_CASE("entropy counts the times that are told apart") {
  CHECK(entropy_of({}) == 0);
  CHECK(entropy_of(std::array{1.0, 1.0, 1.0}) == 0);
  CHECK(near(entropy_of(std::array{1.0, 2.0, 1.0, 2.0}), 1));
  CHECK(entropy_of(std::array{0.0101, 0.0102, 0.0103, 0.0104}) == 0);  // within a step of the clock
}

TEST_CASE("stopping by entropy ends a time of two values, which is never quiet") {
  std::vector<double> samples;
  const MeasureOptions by_noise{.min_time_s = 0.05, .max_noise = 0.01},
      by_entropy{.min_time_s = 0.05, .max_noise = 0.01, .stop = StopBy::entropy};
  while (samples.size() < 48) samples.push_back(samples.size() % 2 == 0 ? 1 : 1.5);
  CHECK(enough(samples, by_entropy) == StoppedBy::entropy);
  CHECK_FALSE(enough(std::span(samples).first(47), by_entropy));
  CHECK_FALSE(enough(samples, by_noise));
  for (int i = 0; i < 40; ++i) samples.push_back(2 + 0.1 * i);  // news
  CHECK_FALSE(enough(samples, by_entropy));
}

namespace {

/// Notes in which order two devices were asked for a time.
struct TwoDevices {
  std::array<FakeDevice, 2> devices;
  std::string order;
  std::array<std::function<void()>, 2> works;
  TwoDevices() {
    for (std::size_t i = 0; i < 2; ++i) {
      devices[i].can = {.measures_time = true};
      works[i] = [this, i] { order += i == 0 ? 'A' : 'B'; };
    }
  }
  std::array<Timing, 2> measured(const MeasureOptions& options) {
    const std::function<void()> nothing = [] {};
    return measure_in_turn({devices[0], nothing, works[0]}, {devices[1], nothing, works[1]}, options);
  }
};

}  // namespace

TEST_CASE("two kernels are timed in turn: A B B A") {
  TwoDevices two;
  const auto timings = two.measured({.warmup = 1, .reps = 4});
  CHECK(two.order ==
        "AB"
        "ABBAABBA");
  for (const auto& timing : timings) {
    CHECK(timing.samples == 4);
    CHECK(timing.in_turn);
  }
  // Nobody asks for a number: enough of both, and whole rounds.
  two.devices[1].next_time_ms = 50;
  const auto more = two.measured({.min_time_s = 0.01});
  CHECK(more[0].samples == kFewestInTurn);
  CHECK(more[1].samples == kFewestInTurn);
}

TEST_CASE("where one of a pair was throttled both are taken again") {
  TwoDevices two;
  two.devices[1].clocks = {{1980, {}}, {1980, "power cap"}, {1980, {}}};
  const auto timings = two.measured({.warmup = 0, .reps = 2});
  CHECK(two.order ==
        "AB"
        "BA"
        "BA");
  CHECK(timings[0].discarded.empty());
  CHECK(timings[1].discarded.at(0).samples == 1);
}

TEST_CASE("cases run in turn where both are right; else they are to be run one after the other") {
  const auto lab = doubling_lab();
  const auto a = doubling_device(), b = doubling_device();
  for (auto* device : {a.get(), b.get()}) device->can = {.measures_time = true};
  CaseRunner first(*a), second(*b);
  RunOptions options;
  options.measure.reps = 6;
  const auto running = [&](CaseRunner& runner, const char* variant) {
    return [&lab, &runner, &options, variant](const Measuring& measuring) {
      auto own = options;
      own.measuring = measuring;
      return runner.run(lab, *std::ranges::find(lab.variants, variant, &Variant::name), default_case(lab), own);
    };
  };
  const auto both = run_in_turn(running(first, "slow"), running(second, "plain"), options.measure);
  REQUIRE(both);
  CHECK(both->first.variant == "slow");
  CHECK(both->second.variant == "plain");
  CHECK(both->first.timing->in_turn);
  CHECK(both->second.timing->samples_ms.size() == 6);
  b->kernels["twice<int>"] = [](const LaunchConfig&, std::span<const KernelArgument>) {};  // writes nothing
  CHECK_FALSE(run_in_turn(running(first, "slow"), running(second, "plain"), options.measure));
  b->room = MemoryRoom{100, 200};
  CHECK_FALSE(run_in_turn(running(first, "slow"), running(second, "plain"), options.measure));
}

TEST_CASE("a case that the GPU's memory is too small for is an error before anything is allocated") {
  const auto lab = doubling_lab();
  const auto device = doubling_device();
  device->can = {.measures_time = true};
  device->room = MemoryRoom{4096, 8192};
  const auto result = run_case(*device, lab, lab.variants[1], default_case(lab), {});
  CHECK(result.status == CaseStatus::error);
  CHECK(result.message ==
        "the case needs 7.81 KiB of the GPU's memory, 4 KiB of 8 KiB are free; choose a smaller size");
  CHECK(device->memory.empty());
}
