#include "tests/device_contract.h"
#include "tests/gpu/gpu_fixture.h"

namespace gpulab::tests {
namespace {

TEST_CASE("a GPU keeps the device contract") {
  if (!gpu_present()) return;
  for (const auto& clause : device_contract()) {
    DYNAMIC_SECTION(clause.sentence) {
      const auto device = loaded_gpu();
      clause.check(*device);
    }
  }
}

TEST_CASE("a second device after the first has the same GPU in working order") {
  if (!gpu_present()) return;
  for (int round = 0; round < 3; ++round) launches_run_in_order(*loaded_gpu());
}

}  // namespace
}  // namespace gpulab::tests
