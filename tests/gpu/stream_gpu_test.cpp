// What only a GPU shows of copies, streams and graphs: copy engines that work beside each other, launches that cost
// time, clocks that do not wait.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "runner/case/measuring/measure.h"
#include "tests/device_contract.h"
#include "tests/gpu/gpu_fixture.h"

namespace gpulab::tests {
namespace {

constexpr std::size_t bytes = std::size_t{64} << 20;
constexpr MeasureOptions samples{.warmup = 2, .reps = 11};

/// Memory of the host's that has been touched: what it holds is of no interest, but the system has to have given it.
HostMemory touched(Device& device, bool pinned) {
  auto memory = device.host_memory("host", bytes, pinned);
  std::memset(memory.get(), 1, bytes);
  return memory;
}

double median_ms(Device& device, const std::function<void()>& work) {
  return measure(
             device, samples, [] {}, work)
      .median_ms;
}

TEST_CASE("a copy from pinned memory is no slower than one from pageable memory, and slower than the GPU's own") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto data = device->allocate("data", bytes);
  const auto pinned = touched(*device, true), pageable = touched(*device, false);
  const double fast = median_ms(*device, [&] { device->queue_write(data, {pinned.get(), bytes}, 0); });
  const double slow = median_ms(*device, [&] { device->queue_write(data, {pageable.get(), bytes}, 0); });
  const auto gigabytes = [](double ms) { return static_cast<double>(bytes) / ms / 1e6; };
  WARN("64 MiB to the device: pinned " << gigabytes(fast) << " GB/s, pageable " << gigabytes(slow) << " GB/s");
  CHECK(fast < 1.1 * slow);
  CHECK(gigabytes(fast) < gpu_profile(device->info().profile).memory_bandwidth_gbs);
}

TEST_CASE("copies in both directions on two streams overlap, on one they do not, and the timer sees the end of both") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto a = device->allocate("a", bytes), b = device->allocate("b", bytes);
  device->fill(b, std::byte{2}, bytes);
  const auto in = touched(*device, true), out = touched(*device, true);
  const auto both = [&](std::uint32_t stream) {
    return median_ms(*device, [&, stream] {
      device->queue_write(a, {in.get(), bytes}, 1);
      device->queue_read({out.get(), bytes}, b, stream);
    });
  };
  const double one = both(1), two = both(2);
  const double alone = median_ms(*device, [&] { device->queue_write(a, {in.get(), bytes}, 1); });
  WARN("64 MiB there and 64 MiB back: one stream " << one << " ms, two " << two << " ms; one way alone " << alone);
  CHECK(two < 0.85 * one);
  CHECK(two > 0.9 * alone);
  device->synchronize();
  CHECK(out[bytes - 1] == std::byte{2});
}

/// Launches of a kernel that does nothing, as queued by the host one by one or as one graph.
TEST_CASE("a graph of a thousand launches is queued faster than the launches, and does the same") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto data = upload(*device, std::vector<int>(1, 1));
  const auto kernel = device->kernel("scale<int, 3>");
  const std::vector<KernelArgument> values{KernelArgument::of(data), KernelArgument::of(1)};
  const std::function<void()> launches = [&] {
    for (int i = 0; i < 1000; ++i) device->launch(kernel, {{1, 1, 1}, {32, 1, 1}}, values);
  };
  const auto graph = device->record(launches);
  const auto apart = measure_on_host(
      *device, samples, [] {}, launches);
  const auto together = measure_on_host(
      *device, samples, [] {}, [&] { graph->replay(); });
  WARN("1000 launches: queued in " << apart.queued_ms << " ms, done in " << apart.finished_ms << " ms; as a graph "
                                   << together.queued_ms << " ms, " << together.finished_ms << " ms");
  CHECK(together.queued_ms < 0.5 * apart.queued_ms);
  CHECK(together.finished_ms < apart.finished_ms);
  const int one = 1;
  device->write(data, std::as_bytes(std::span(&one, 1)));
  graph->replay();
  device->synchronize();
  unsigned expected = 1;
  for (int i = 0; i < 1000; ++i) expected *= 3;
  CHECK(read_values<unsigned>(*device, data, 1)[0] == expected);
}

TEST_CASE("a clock that does not wait sees the launch, not the kernel") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  constexpr int n = 1 << 28;
  const auto in = device->allocate("in", n * sizeof(int)), out = device->allocate("out", sizeof(int));
  device->fill(in, std::byte{0}, n * sizeof(int));
  const auto kernel = device->kernel("sum_all");
  const std::vector<KernelArgument> values{KernelArgument::of(in), KernelArgument::of(out), KernelArgument::of(n)};
  const auto times = measure_on_host(
      *device, samples, [] {},
      [&] {
        device->launch(kernel, {{64, 1, 1}, {256, 1, 1}}, values);
      });
  WARN("a pass over 1 GiB: " << times.queued_ms * 1000 << " us without waiting, " << times.finished_ms * 1000 << " us");
  CHECK(times.queued_ms < 0.2 * times.finished_ms);
}

TEST_CASE("work that is refused while a graph is recorded leaves the GPU in order") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto data = upload(*device, std::vector<int>{1, 2, 3});
  CHECK_THROWS_AS((void)device->record([&] { device->fill(data, std::byte{0}, 12); }), Error);
  recorded_work_runs_when_it_is_replayed(*device);
  CHECK(read_values<int>(*device, data, 3) == std::vector<int>{1, 2, 3});
}

}  // namespace
}  // namespace gpulab::tests
