#include <array>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/simt/timing/model.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// Lane l of each warp reads word 32 l of shared memory, again and again, then a barrier; lines are those of the PTX.
constexpr const char* conflicts = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred p; .reg .b32 r<16>; .reg .b64 d<8>; .shared .align 16 .b8 s[16384];
  ld.param.u64 d1, [out]; mov.u32 r1, %tid.x; and.b32 r2, r1, 31; mul.lo.u32 r2, r2, 128; mov.u32 r3, s; add.u32 r3, r3, r2;
  mov.u32 r4, 0; mov.u32 r6, 0;
L:
  ld.shared.u32 r5, [r3];
  add.u32 r6, r6, r5; add.u32 r4, r4, 1; setp.lt.u32 p, r4, 64; @p bra L;
  bar.sync 0;
  mul.wide.u32 d3, r1, 4; add.s64 d1, d1, d3;
  st.global.u32 [d1], r6;
  ret;
}
)";
constexpr std::uint32_t shared_load = 9, barrier = 11;

LaunchTime time_of(const char* ptx) {
  SimulatorOptions options;
  options.model = options.lines = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<float>(256), "out");
  const auto found = device->kernel("k");
  device->time([&] { device->launch(found, {{132, 1, 1}, {256, 1, 1}}, std::array{KernelArgument::of(out)}); }, true);
  const auto lines = device->take_lines();
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].time);
  std::string why;
  CHECK(device->take_model(why)->ms == Catch::Detail::Approx(lines[0].time->ms));
  return *lines[0].time;
}

TEST_CASE("the time of a launch is its lines', each with what warps wait for there") {
  const auto time = time_of(conflicts);
  double sum = 0;
  for (const auto& line : time.lines) sum += line.total();
  CHECK(sum == Catch::Detail::Approx(time.kernel_ms));
  const auto of = [&](std::uint32_t number) {
    for (const auto& line : time.lines)
      if (line.line == number) return line;
    return LineTime{};
  };
  CHECK(of(shared_load).shared > 0.5 * time.kernel_ms);
  CHECK(of(barrier).barrier > 0);
  CHECK(of(shared_load).barrier == 0);
}

TEST_CASE("without its bank conflicts a launch would take less, and that is told of their line") {
  const auto time = time_of(conflicts);
  REQUIRE(time.what_ifs.size() == 1);
  CHECK(time.what_ifs[0].line == shared_load);
  CHECK(time.what_ifs[0].kind == "bank_conflict");
  CHECK(time.what_ifs[0].ms < 0.7 * time.ms);
}

}  // namespace
}  // namespace gpulab::tests
