#include "common/gpu_profile.h"

#include <algorithm>

#include "common/embedded.h"
#include "common/error.h"
#include "tests/catch.h"

using gpulab::gpu_profile;
using gpulab::gpu_profiles;

TEST_CASE("the GPUs of the course, and those that people have, have a profile each, sorted") {
  std::vector<std::string> ids;
  for (const auto& gpu : gpu_profiles()) ids.push_back(gpu.id);
  CHECK(std::is_sorted(ids.begin(), ids.end()));
  CHECK(gpulab::gpu_profile_ids() == ids);
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

namespace {

std::string text_of(const std::string& id) {
  for (const auto& file : gpulab::embedded_configs())
    if (file.path == "gpus/" + id + ".json") return std::string(file.text);
  return {};
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a GPU of a file is known by the file's name, beside the build's own") {
  const auto& added = gpulab::add_gpu_profile("some/where/t4.json", text_of("t4"));
  CHECK(added.id == "t4.json");
  CHECK(&gpu_profile("t4.json") == &added);
  CHECK(added.sm_count == gpu_profile("t4").sm_count);
  CHECK(gpulab::text_of_added("t4").empty());
  CHECK_FALSE(gpulab::text_of_added("t4.json").empty());
  for (const auto& gpu : gpu_profiles()) CHECK(gpu.id != "t4.json");
}

TEST_CASE("a profile travels to a process that knows nothing of it, by its name where the build has it") {
  CHECK(gpulab::carried_profile("h200") == "h200");
  CHECK(gpulab::profile_carried("h200").id == "h200");
  CHECK(gpulab::profile_carried("far.json\n" + text_of("l4")).sm_count == gpu_profile("l4").sm_count);
  CHECK(gpulab::carried_profile("far.json").starts_with("far.json\n{"));
  CHECK(gpulab::profile_carried(gpulab::carried_profile("far.json")).id == "far.json");
}

TEST_CASE("a file that describes no GPU is refused, and is not known afterwards") {
  const auto refused = [](const std::string& text) {
    try {
      (void)gpulab::add_gpu_profile("bad.json", text);
    } catch (const gpulab::Error& error) {
      CHECK(error.code == gpulab::ExitCode::usage);
      CHECK(gpulab::text_of_added("bad.json").empty());
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const auto t4 = text_of("t4");
  CHECK_THAT(refused("{"), ContainsSubstring("--profile: parse error"));
  CHECK_THAT(refused("[]"), ContainsSubstring("--profile: "));
  CHECK(refused(with(t4, "\"value\": 40,", "\"value\": 0,")) == "--profile: 'sm_count' is 0, not from 1 to 1024");
  CHECK(refused(with(t4, "\"value\": 40,", "\"value\": -1,")) == "--profile: 'sm_count' is -1, not from 1 to 1024");
  CHECK_THAT(refused(with(t4, "\"value\": 40,", "\"value\": \"many\",")), ContainsSubstring("type must be number"));
  CHECK(refused(with(t4, "\"sm_count\"", "\"sms\"")) == "--profile: key 'sm_count' not found");
}
