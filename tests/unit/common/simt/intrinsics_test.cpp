// What nvcc makes of every device function that its own headers declare (tests/device/intrinsics.py), for several
// architectures: the simulator knows all of it.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "common/error.h"
#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "tests/catch.h"
#include "tests/instructions/kernel_case.h"

using namespace gpulab;
using namespace gpulab::simt;

namespace {

/// What a launch of the simulator has none of: clusters, and the hardware's performance counters. And atomics on
/// vectors of floats (sm_90), which are loud about it.
bool out_of_scope(const std::string& message) {
  for (const char* part : {"cluster", "getctarank", "mapa", "%pm", ".add.v2.f32", ".add.v4.f32"})
    if (message.find(part) != std::string::npos) return true;
  return false;
}

struct Decoded {
  int kernels = 0;
  std::size_t instructions = 0;
  std::string problems;
};

Decoded decode_all(const std::string& path) {
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(file_text(path), path));
  const DecodeContext context{[](std::string_view) { return std::uint64_t{1} << 47; },
                              [](std::uint64_t) { return std::uint64_t{1} << 47; }, true};
  Decoded all;
  for (const auto& function : module->functions) {
    if (function.name.rfind("probe", 0) != 0) continue;
    ++all.kernels;
    all.instructions += function.instructions.size();
    try {
      (void)decode(module, function.name, context);
    } catch (const Error& error) {
      const auto problem = fmt::format("{}: {} {}\n", function.name, error.what(), error.where);
      if (!out_of_scope(problem)) all.problems += problem;
    }
  }
  return all;
}

}  // namespace

TEST_CASE("what nvcc makes of every intrinsic of its headers can be decoded, on each architecture") {
  for (const char* architecture : {"75", "80", "90"}) {
    INFO("compute_" << architecture);
    const auto all = decode_all(fmt::format("{}{}.ptx", GPULAB_INTRINSICS_PTX, architecture));
    CHECK(all.kernels > 1200);
    CHECK(all.instructions > 15000);  // or most probes stayed empty
    CHECK(all.problems == "");
  }
}
