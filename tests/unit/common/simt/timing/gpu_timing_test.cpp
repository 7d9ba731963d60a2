#include "common/simt/timing/gpu_timing.h"

#include <cmath>

#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::simt;

TEST_CASE("every GPU that the simulator models has times, and those that nobody measured are not validated") {
  for (const GpuProfile& profile : gpu_profiles()) {
    INFO(profile.id);
    const GpuTiming t = estimated_timing(profile);
    CHECK_FALSE(t.validated);
    CHECK(t.gpu == profile.id);
    CHECK(t.clock_ghz > 0.9);
    CHECK(t.clock_ghz < 3);
    CHECK(t.dram_gbs < profile.memory_bandwidth_gbs);
    CHECK(t.dirty_l2_bytes < static_cast<double>(profile.l2_bytes));
    CHECK(t.l1_latency < t.l2_latency);
    CHECK(t.l2_latency < t.dram_latency);
  }
}

TEST_CASE("an H200 estimated from an H100 is what an H200 was measured to be, within a tenth; its L2, a fifth") {
  const GpuTiming estimate = estimated_timing(gpu_profile("h200")), &measured = *gpu_timing("h200");
  const auto near = [](double a, double b) { return a < 1.1 * b && b < 1.1 * a; };
  CHECK(near(estimate.clock_ghz, measured.clock_ghz));
  CHECK(near(estimate.dram_gbs, measured.dram_gbs));
  CHECK(std::abs(estimate.l2_bytes / measured.l2_bytes - 1) < 0.21);
  CHECK(near(estimate.l2_latency, measured.l2_latency));
  CHECK(near(estimate.l2_total_bytes_per_cycle, measured.l2_total_bytes_per_cycle));
}

TEST_CASE("pipes of other generations: half as many FP32 lanes on a V100, few of FP64 on a GeForce") {
  const GpuTiming v100 = estimated_timing(gpu_profile("v100")), rtx4090 = estimated_timing(gpu_profile("rtx4090"));
  CHECK(v100.fp32_halves() == 1);
  CHECK(v100.fp64_slower == 2);
  CHECK(rtx4090.fp32_halves() == 2);
  CHECK(rtx4090.fp64_slower == 32);
  CHECK(std::abs(v100.clock_ghz - 1.53) < 0.01);
  CHECK(std::abs(rtx4090.clock_ghz - 2.52) < 0.01);
}
