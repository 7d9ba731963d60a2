#include "common/device/simulator/simulated.h"
#include "common/error.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

std::unique_ptr<Device> loaded_simulator(int threads) {
  SimulatorOptions options;
  options.threads = threads;
  auto device = make_simulator(gpu_profile("h200"), options);
  device->load(device_kernels);
  return device;
}

TEST_CASE("the simulator keeps the device contract") {
  for (const auto& clause : device_contract()) {
    DYNAMIC_SECTION(clause.sentence) {
      for (const int threads : {1, 2}) clause.check(*loaded_simulator(threads));
    }
  }
}

TEST_CASE("a fault on the simulator is a launch error, and the next device works") {
  for (const std::string kernel : {"store_at", "store_misaligned", "check_positive"}) {
    const auto device = loaded_simulator(1);
    const auto data = upload(*device, std::vector<int>(4, 0));
    CHECK(launch_failure([&] {
            if (kernel == "store_at")
              launch(*device, kernel, {{1, 1, 1}, {1, 1, 1}}, data, std::int64_t{1} << 40);
            else
              launch(*device, kernel, {{1, 1, 1}, {1, 1, 1}}, data);
            device->synchronize();
          }) == LaunchFailure::fault);
    launches_run_in_order(*loaded_simulator(1));
  }
}

TEST_CASE("of several GPUs, each reaches its own memory, and another's where it is let") {
  const auto device = loaded_simulator(1);
  const auto first = upload(*device, std::vector<int>(4, 0));
  device->use_gpu(1);
  const auto second = upload(*device, std::vector<int>(4, 0));
  const auto store = [&](DevicePointer to) {
    return launch_failure([&] { launch(*device, "store_at", {{1, 1, 1}, {1, 1, 1}}, to, std::int64_t{1}); });
  };
  CHECK(store(second) == std::nullopt);
  CHECK(store(first) == LaunchFailure::fault);
  device->reach(0, true);
  CHECK(store(first) == std::nullopt);
  device->reach(0, false);
  CHECK(store(first) == LaunchFailure::fault);
  device->use_gpu(0);
  CHECK(store(first) == std::nullopt);
  CHECK(store(second) == LaunchFailure::fault);
  device->copy(second, first, 4 * sizeof(int));  // copies reach all
  CHECK(read_values<int>(*device, second, 4) == read_values<int>(*device, first, 4));
  CHECK_THROWS_AS(device->use_gpu(16), Error);
}

}  // namespace
}  // namespace gpulab::tests
