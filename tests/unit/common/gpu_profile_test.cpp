#include "common/gpu_profile.h"

#include <algorithm>

#include "common/error.h"
#include "tests/catch.h"

using gpulab::gpu_profile;
using gpulab::gpu_profiles;

TEST_CASE("the GPUs of the course, and those that people have, have a profile each, sorted") {
  std::vector<std::string> ids;
  for (const auto& gpu : gpu_profiles()) ids.push_back(gpu.id);
  CHECK(std::is_sorted(ids.begin(), ids.end()));
  for (const char* id : {"a10", "a100", "b200", "gtx970", "h100", "h200", "l4", "rtx2080ti", "rtx3060", "rtx3060laptop",
                         "rtx4060", "rtx4090", "rtx5090", "t4", "v100"})
    CHECK(std::count(ids.begin(), ids.end(), id) == 1);
}

TEST_CASE("the H200 is as its data sheet says") {
  const auto& gpu = gpu_profile("h200");
  CHECK(gpu.name == "NVIDIA H200");
  CHECK(gpu.compute_major == 9);
  CHECK(gpu.compute_minor == 0);
  CHECK(gpu.sm_count == 132);
  CHECK(gpu.fp32_lanes_per_sm == 128);
  CHECK(gpu.max_threads_per_sm == 2048);
  CHECK(gpu.shared_bytes_per_sm == 228 * 1024);
  CHECK(gpu.memory_bandwidth_gbs == 4800);
  CHECK(gpu.memory_bytes == 141'000'000'000);
  CHECK_THAT(gpu.source, ContainsSubstring("data sheet"));
}

TEST_CASE("every profile is complete and plausible") {
  for (const auto& gpu : gpu_profiles()) {
    CAPTURE(gpu.id);
    CHECK_FALSE(gpu.source.empty());
    CHECK((gpu.compute_major >= 5 && gpu.compute_major <= 12));
    CHECK((gpu.sm_count >= 13 && gpu.sm_count <= 192));
    CHECK((gpu.fp32_lanes_per_sm == 64 || gpu.fp32_lanes_per_sm == 128));
    CHECK(gpu.max_threads_per_sm % 512 == 0);
    CHECK((gpu.max_blocks_per_sm >= 16 && gpu.max_blocks_per_sm <= 32));
    CHECK(gpu.registers_per_sm == 65536);
    CHECK(gpu.shared_bytes_per_block == 48 * 1024);
    CHECK(gpu.shared_bytes_per_block_optin + gpu.reserved_shared_bytes_per_block <= gpu.shared_bytes_per_sm);
    CHECK((gpu.memory_bandwidth_gbs >= 200 && gpu.memory_bandwidth_gbs <= 8000));
    CHECK((gpu.memory_bytes >= 4'000'000'000 && gpu.l2_bytes >= 1 << 20));
  }
}

TEST_CASE("half as many doubles as floats go through a data centre's SM; of others' two") {
  CHECK(fp64_lanes_per_sm(gpu_profile("h100")) == 64);
  CHECK(fp64_lanes_per_sm(gpu_profile("b200")) == 64);
  CHECK(fp64_lanes_per_sm(gpu_profile("rtx5090")) == 2);
  CHECK(fp64_lanes_per_sm(gpu_profile("l4")) == 2);
}

TEST_CASE("peak arithmetic is lanes x SMs x 2 x a clock between 1 and 2.6 GHz: units are right") {
  for (const auto& gpu : gpu_profiles()) {
    CAPTURE(gpu.id);
    const double clock_ghz = gpu.fp32_tflops * 1000 / (2.0 * gpu.fp32_lanes_per_sm * gpu.sm_count);
    CHECK((clock_ghz > 1.0 && clock_ghz < 2.6));
  }
}

TEST_CASE("a misspelt profile is answered with the nearest one") {
  try {
    (void)gpu_profile("h20");
    FAIL("no error");
  } catch (const gpulab::Error& error) {
    CHECK(std::string(error.what()) == "unknown GPU profile 'h20'");
    CHECK(error.hint == "did you mean 'h200'? 'gpulab devices' shows all profiles");
    CHECK(error.code == gpulab::ExitCode::usage);
  }
}

TEST_CASE("a profile without a name is unknown") { CHECK_THROWS_AS(gpu_profile(""), gpulab::Error); }
