#include "runner/case/measure.h"

#include <array>
#include <cmath>

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
