#include "labs/vendor.h"

#include <string>

#include "labs/registry.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {
const std::string refused = GPULAB_REFUSED_LIBRARIES;
}

TEST_CASE("a library of vendor code that was built from other sources is refused, and how to build it is said") {
  CHECK(vendor_library_problem(refused + "/stale.so") ==
        refused +
            "/stale.so was built from other sources than this gpulab: scripts/gpulab builds it on a machine with a " +
            "GPU; by hand: cmake --build build --target gpulab_vendor");
}

TEST_CASE("a library that is not gpulab's, or none, is no vendor code") {
  CHECK(vendor_library_problem(refused + "/foreign.so") ==
        refused + "/foreign.so is not gpulab's library of vendor code");
  CHECK_THAT(vendor_library_problem(refused + "/missing.so"), StartsWith("libgpulab_vendor.so cannot be loaded: "));
}

TEST_CASE("ladders name the rungs of vendor libraries, whether their code has been built or not") {
  std::string found;
  for (const auto& lab : all_labs())
    for (const auto& variant : lab.variants)
      if (variant.vendor.run) found += lab.name + "." + variant.name + " ";
  CHECK(found ==
        "saxpy.thrust saxpy.cublas reduce.cub transpose.cublas atomics.cub scan.cub matmul.cublas matmul.cublas_tf32 "
        "segsum.cub segsum.cpu_round_trip allreduce.nccl ");
}

// Hidden: needs the target gpulab_vendor; ctest runs it as `vendor` after that is built.
TEST_CASE("the library of vendor code has every function that a ladder names", "[.][vendor-library]") {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      if (!variant.vendor.lack || variant.name == "cublas" || variant.name == "nccl") continue;
      INFO(lab.name << " " << variant.name);
      CHECK(variant.vendor.lack() == "");
    }
  }
}
