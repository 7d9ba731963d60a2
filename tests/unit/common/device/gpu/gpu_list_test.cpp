#include <vector>

#include "common/device/gpu/gpu.h"
#include "common/error.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

GpuProfile profile(const char* id, const char* name, int major, int minor, int sm_count) {
  GpuProfile made;
  made.id = id;
  made.name = name;
  made.compute_major = major;
  made.compute_minor = minor;
  made.sm_count = sm_count;
  return made;
}

const std::vector<GpuProfile> profiles = {
    profile("h100", "NVIDIA H100 80GB HBM3", 9, 0, 132), profile("h200", "NVIDIA H200", 9, 0, 132),
    profile("rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128), profile("l4", "NVIDIA L4", 8, 9, 58)};

std::string matched(const char* name, int major, int minor, int sm_count) {
  return matching_profile({"gpu", name, "", major, minor, sm_count}, profiles);
}

TEST_CASE("a GPU has the profile of its own name") {
  CHECK(matched("NVIDIA H200", 9, 0, 132) == "h200");
  CHECK(matched("NVIDIA L4", 8, 9, 58) == "l4");
}

TEST_CASE("a GPU without a profile has the nearest of its compute capability") {
  CHECK(matched("NVIDIA GeForce RTX 4060", 8, 9, 24) == "l4");
  CHECK(matched("NVIDIA RTX 6000 Ada", 8, 9, 142) == "rtx4090");
}

TEST_CASE("a GPU of an unknown compute capability has no profile") {
  CHECK(matched("NVIDIA B200", 10, 0, 148).empty());
}

TEST_CASE("without a GPU there is a reason, and a device asked for by name is missing") {
  if (gpu_available()) return;
  CHECK_FALSE(gpu_problem().empty());
  CHECK(gpus().empty());
  try {
    (void)make_gpu(0);
    FAIL("made a GPU that is not there");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::missing);
    CHECK(std::string(error.what()) == "no GPU: " + gpu_problem());
    CHECK(error.where == "--device gpu");
  }
}

}  // namespace
}  // namespace gpulab
