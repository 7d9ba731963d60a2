// mma.sync and wmma on the simulator: every form multiplies what the CPU does, on every x86-64 level.

#include "common/device/simulated.h"
#include "common/gpu_profile.h"
#include "common/simt/instruction_set.h"
#include "tests/catch.h"
#include "tests/instructions/matrix_kernel.h"

namespace gpulab::tests {
namespace {

struct LevelGuard {
  std::string_view level = simt::cpu_level();
  ~LevelGuard() { simt::use_cpu_level(level); }
};

TEST_CASE("every form of mma and wmma multiplies as the CPU does, at every CPU level") {
  const LevelGuard guard;
  for (const auto level : simt::cpu_levels()) {
    simt::use_cpu_level(level);
    const auto device = make_simulator(gpu_profile("h200"), {});
    for (const auto& text : matrix_kernels().modules) device->load({"matrix.ptx", text, ""});
    CHECK(matrix_kernels().kernels.size() > 200);
    for (const auto& kernel : matrix_kernels().kernels) {
      const std::string wrong = run_matrix_kernel(*device, kernel);
      if (!wrong.empty()) FAIL_CHECK(wrong);
    }
  }
}

}  // namespace
}  // namespace gpulab::tests
