// What only a GPU does: its description, cooperative launches, time that means something.
#include <algorithm>

#include "common/device/gpu/driver_api.h"
#include "common/gpu_profile.h"
#include "tests/device_contract.h"
#include "tests/gpu/gpu_fixture.h"

namespace gpulab::tests {
namespace {

TEST_CASE("the GPU describes itself and has a profile") {
  if (!gpu_present()) return;
  const auto found = gpus();
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == "gpu");
  CHECK(found[0].name.find("NVIDIA") != std::string::npos);
  CHECK(found[0].compute_major >= 5);
  CHECK(found[0].sm_count > 0);
  CHECK(driver_cuda_version().has_value());
  const auto& profile = gpu_profile(found[0].profile);
  CHECK(profile.compute_major == found[0].compute_major);
  if (profile.name == found[0].name) CHECK(profile.sm_count == found[0].sm_count);
}

TEST_CASE("a GPU that is not there is refused by number") {
  if (!gpu_present()) return;
  CHECK_THROWS_WITH(make_gpu(99), ContainsSubstring("no GPU 99: this machine has "));
  CHECK_THROWS_WITH(make_gpu(-1), ContainsSubstring("no GPU -1: this machine has "));
}

TEST_CASE("a cooperative grid is resident at once, and one that cannot be is refused") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto blocks = static_cast<std::uint32_t>(device->info().sm_count);
  const auto arrived = upload(*device, std::vector<unsigned>{0});
  const auto meet = [&](std::uint32_t grid) {
    launch(*device, "meet", {{grid, 1, 1}, {1024, 1, 1}, 0, true}, arrived);
    device->synchronize();
  };
  meet(blocks);
  CHECK(read_values<unsigned>(*device, arrived, 1)[0] == blocks);
  const auto resident =
      blocks * static_cast<std::uint32_t>(gpu_profile(device->info().profile).max_threads_per_sm / 1024);
  CHECK_THROWS_WITH(meet(blocks * 64), "a cooperative grid is resident at once: at most " + std::to_string(resident) +
                                           " blocks of 1024x1x1, not " + std::to_string(blocks * 64));
}

double median_ms(Device& device, const std::function<void()>& work, bool cold) {
  std::vector<double> samples;
  for (int i = 0; i < 15; ++i) samples.push_back(device.time(work, cold));
  std::nth_element(samples.begin(), samples.begin() + 7, samples.end());
  return samples[7];
}

/// A pass over n ints by a grid that fills the GPU.
std::function<void()> pass_over(Device& device, DevicePointer in, DevicePointer out, int n) {
  const auto grid = static_cast<std::uint32_t>(device.info().sm_count * 8);
  return [&device, kernel = device.kernel("sum_all"), in, out, n, grid] {
    const std::vector<KernelArgument> values = {KernelArgument::of(in), KernelArgument::of(out), KernelArgument::of(n)};
    device.launch(kernel, {{grid, 1, 1}, {256, 1, 1}}, values);
  };
}

TEST_CASE("time grows with the work, and stays below the wall clock's") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  constexpr int large = 1 << 28;
  const auto in = device->allocate("in", large * sizeof(int));
  const auto out = device->allocate("out", sizeof(int));
  device->fill(in, std::byte{1}, large * sizeof(int));
  const double small_ms = median_ms(*device, pass_over(*device, in, out, large / 16), true);
  const auto start = std::chrono::steady_clock::now();
  const double large_ms = device->time(pass_over(*device, in, out, large), true);
  const double wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const double ratio = large_ms / small_ms;
  INFO("2^24 ints: " << small_ms << " ms, 2^28 ints: " << large_ms << " ms, wall " << wall_ms << " ms");
  CHECK(ratio > 4);
  CHECK(ratio < 64);
  CHECK(large_ms < wall_ms);
  const double gigabytes_per_s = large * 4.0 / large_ms / 1e6;
  const auto& profile = gpu_profile(device->info().profile);
  CHECK(gigabytes_per_s < profile.memory_bandwidth_gbs * 1.02);
  WARN("read bandwidth of a plain pass over 1 GiB: " << gigabytes_per_s << " GB/s");
}

TEST_CASE("a buffer that fits the L2 cache is read faster warm than cold") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto& profile = gpu_profile(device->info().profile);
  const int n = static_cast<int>(profile.l2_bytes / 4 / sizeof(int));
  const auto in = device->allocate("in", static_cast<std::size_t>(n) * sizeof(int));
  const auto out = device->allocate("out", sizeof(int));
  device->fill(in, std::byte{1}, static_cast<std::size_t>(n) * sizeof(int));
  const auto work = pass_over(*device, in, out, n);
  const double cold = median_ms(*device, work, true);
  const double warm = median_ms(*device, work, false);
  WARN(n << " ints: cold " << cold * 1000 << " us, warm " << warm * 1000 << " us");
  CHECK(warm < 0.95 * cold);
}

TEST_CASE("a kernel of no work takes microseconds: the host's launch overhead is not in its time") {
  if (!gpu_present()) return;
  const auto device = loaded_gpu();
  const auto out = device->allocate("out", 256);
  const auto kernel = device->kernel("iota");
  const std::vector<KernelArgument> values = {KernelArgument::of(out), KernelArgument::of(0), KernelArgument::of(0)};
  const double ms = median_ms(
      *device,
      [&] {
        device->launch(kernel, {{1, 1, 1}, {32, 1, 1}}, values);
      },
      false);
  WARN("empty kernel: " << ms * 1000 << " us");
  CHECK(ms < 0.010);
}

TEST_CASE("PTX that the driver cannot compile is refused with the driver's own words") {
  if (!gpu_present()) return;
  const auto device = make_gpu(0);
  device->load({"broken.ptx",
                ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { frobnicate.u32 %r1; ret; }",
                {}});
  try {
    (void)device->kernel("k");
    FAIL("compiled nonsense");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("CUDA_ERROR_INVALID_PTX: ") == 0);
    CHECK(error.hint.find("frobnicate") != std::string::npos);
  }
}

}  // namespace
}  // namespace gpulab::tests
