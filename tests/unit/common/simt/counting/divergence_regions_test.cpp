#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// Lines are those of the PTX. Even lanes go one way, in which a branch that all agree on stands; odd ones call a
/// function. All meet; then each lane loops as often as its number says; the upper half of a warp has ended by then.
constexpr const char* ways = R"(.version 8.0
.target sm_75
.address_size 64
.func f (.param .u64 to) {
  .reg .b32 r<4>; .reg .b64 d<4>;
  ld.param.u64 d1, [to]; ld.global.u32 r1, [d1];
  add.u32 r1, r1, 1; st.global.u32 [d1], r1; ret;
}
.visible .entry k(.param .u64 out) {
  .reg .pred p, q; .reg .b32 r<16>; .reg .b64 d<8>;
  ld.param.u64 d1, [out]; mov.u32 r1, %tid.x; mul.wide.u32 d3, r1, 4; add.s64 d1, d1, d3;
  and.b32 r2, r1, 1; setp.ne.u32 p, r2, 0; mov.u32 r6, 0; setp.lt.u32 q, r1, 1000;
  @p bra ODD;
  mov.u32 r6, 1;
  @q bra INNER;
  mov.u32 r6, 2;
INNER:
  add.u32 r6, r6, 3;
  bra JOIN;
ODD:
  mov.u32 r6, 5;
  { .param .u64 a; st.param.u64 [a], d1; call f, (a); }
JOIN:
  st.global.u32 [d1], r6;
  setp.gt.u32 p, r1, 15;
  @p bra END;
  mov.u32 r4, 0;
L:
  add.u32 r6, r6, r4;
  add.u32 r4, r4, 1; setp.lt.u32 p, r4, r1; @p bra L;
  st.global.u32 [d1], r6;
END:
  ret;
}
)";

std::uint32_t line_of(const std::string& text, std::uint32_t nth = 1) {
  std::uint32_t line = 1;
  const std::string all = ways;
  for (std::size_t at = 0; at < all.size(); ++line) {
    const auto end = std::min(all.find('\n', at), all.size());
    if (all.substr(at, end - at).find(text) != std::string::npos && --nth == 0) return line;
    at = end + 1;
  }
  FAIL("no line holds " << text);
  return 0;
}

TEST_CASE("lanes that are away are the nearest branch's whose lanes disagreed, also in what it calls") {
  const auto device = make_simulator(gpu_profile("h200"), {.threads = 1, .lines = true});
  device->load({"k.ptx", ways, {}});
  const auto out = upload(*device, std::vector<float>(32), "out");
  launch(*device, "k", {{1, 1, 1}, {32, 1, 1}}, out);
  const auto launches = device->take_lines();
  REQUIRE(launches.size() == 1);
  std::map<std::uint32_t, std::uint32_t> branch_of;
  std::map<std::uint32_t, std::uint64_t> slots;
  for (const auto& idle : launches[0].idle) {
    branch_of[idle.line] = idle.branch;
    slots[idle.line] += idle.slots;
  }
  const auto parity = line_of("@p bra ODD"), upper = line_of("@p bra END"), loop = line_of("@p bra L");
  CHECK(branch_of.at(line_of("mov.u32 r6, 1")) == parity);
  CHECK(slots.at(line_of("mov.u32 r6, 1")) == 16);
  // Lanes agree at the branch within: it is not the reason.
  CHECK(branch_of.at(line_of("add.u32 r6, r6, 3")) == parity);
  CHECK(branch_of.at(line_of("mov.u32 r6, 5")) == parity);
  CHECK(branch_of.at(line_of("add.u32 r1, r1, 1")) == parity);
  CHECK_FALSE(branch_of.contains(line_of("st.global.u32 [d1], r6")));  // where all meet again
  CHECK(branch_of.at(line_of("mov.u32 r4, 0")) == upper);
  CHECK(branch_of.at(line_of("add.u32 r6, r6, r4")) == loop);
  CHECK(branch_of.at(line_of("st.global.u32 [d1], r6", 2)) == upper);
}

}  // namespace
}  // namespace gpulab::tests
