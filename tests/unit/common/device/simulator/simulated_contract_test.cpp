#include "common/device/simulator/simulated.h"
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

}  // namespace
}  // namespace gpulab::tests
