// Shuffles from lanes that take no part. An H100 gives 0 there; PTX leaves the value open.

#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

/// Lanes below 16 take 100 + their partner's number by a shuffle with this mask. The others go on, or leave at once.
std::vector<std::uint32_t> shuffled(const char* mask, bool others_leave, std::uint32_t threads = 32) {
  const std::string text = fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  add.u32 %r2, %r1, 100;
  mov.u32 %r3, 7;
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra {};
  shfl.sync.bfly.b32 %r3, %r2, 16, 31, {};
STORE:
  st.global.u32 [%rd3], %r3;
LEAVE:
  ret;
}}
)",
                                       others_leave ? "LEAVE" : "STORE", mask);
  const auto device = simulator_with({"absent.ptx", text, {}});
  const DevicePointer out = device->allocate("out", 128);
  device->fill(out, std::byte{0}, 128);
  launch(*device, "k", {{1, 1, 1}, {threads, 1, 1}, 0, false}, out);
  return read_values<std::uint32_t>(*device, out, 32);
}

TEST_CASE("a shuffle gives 0 from lanes that have left, went another way or never were") {
  for (const auto& [mask, leave] : {std::pair{"0xffffffff", true}, std::pair{"0xffffffff", false},
                                    std::pair{"0xffff", true}, std::pair{"0xffff", false}}) {
    INFO(mask << leave);
    const auto values = shuffled(mask, leave);
    for (std::size_t lane = 0; lane < 32; ++lane) CHECK(values[lane] == (lane >= 16 && !leave ? 7 : 0));
  }
  CHECK(shuffled("0xffff", false, 16)[3] == 0);
}

}  // namespace
}  // namespace gpulab::tests
