// Groups, barriers, pipelines, copies and fragments of the CUDA headers on the simulator.

#include <fmt/format.h>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/cuda_headers_contract.h"

namespace gpulab::tests {
namespace {

std::unique_ptr<Device> simulator(bool hopper, const SimulatorOptions& options = {}) {
  auto device = make_simulator(gpu_profile("h200"), options);
  load_cuda_headers_kernels(*device, hopper);
  return device;
}

std::string failure_of(std::string_view kernel, unsigned threads) {
  try {
    result_of(*simulator(true), kernel, threads, 64);
  } catch (const LaunchError& error) {
    return fmt::format("{}: {} [{}]", to_text(error.kind), error.what(), error.where);
  }
  return "nothing";
}

TEST_CASE("the CUDA headers' groups, barriers, copies and fragments work on the simulator") {
  for (const bool hopper : {false, true})
    for (const auto& clause : cuda_headers_contract(hopper)) {
      DYNAMIC_SECTION(clause.sentence << (hopper ? " (sm_90)" : " (sm_80)")) { clause.check(*simulator(hopper)); }
    }
}

TEST_CASE("groups, barriers and copies work in any order of the warps") {
  for (const std::uint64_t schedule : {1, 2, 3}) {
    SimulatorOptions options;
    options.schedule = schedule;
    for (const auto& clause : cuda_headers_contract(true)) clause.check(*simulator(true, options));
  }
}

TEST_CASE("a copy that nobody waits for leaves what was there before") {
  CHECK(result_from(*simulator(false), "forgotten_wait", 32, 32, 32) == std::vector<int>(32, -7));
}

TEST_CASE("a barrier that waits for more threads than there are is a deadlock") {
  CHECK(failure_of("barrier_too_large", 64) ==
        "hung: deadlock in barrier_too_large, block (0,0,0): 64 threads wait at tests/device/asynchronous.cu:207 "
        "(mbarrier) [tests/device/asynchronous.cu:207]");
}

TEST_CASE("an mbarrier that was not initialised is a fault") {
  CHECK(failure_of("barrier_not_initialised", 32) ==
        "fault: no initialised mbarrier is at this address in barrier_not_initialised, block (0,0,0), thread (0,0,0) "
        "[tests/device/asynchronous.cu:212]");
}

}  // namespace
}  // namespace gpulab::tests
