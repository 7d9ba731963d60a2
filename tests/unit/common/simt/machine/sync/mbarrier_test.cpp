// What the simulator's mbarrier tokens say, where a GPU leaves it open or its state is opaque.
#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

using namespace gpulab;
using namespace gpulab::tests;

namespace {

// 32 lanes arrive with one instruction: even lanes at one object, odd lanes at another. out: what is still to come,
// then the phase of each lane's token.
const ModuleImage two_objects{"inline.ptx",
                              R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry arrive(.param .u64 out, .param .u32 even, .param .u32 odd) {
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  .reg .pred %p<2>;
  .shared .align 8 .b8 m[16];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r1, [even];
  ld.param.u32 %r2, [odd];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, m;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra ready;
  mbarrier.init.shared.b64 [%r4], %r1;
  mbarrier.init.shared.b64 [%r4+8], %r2;
ready:
  bar.warp.sync 0xffffffff;
  and.b32 %r5, %r3, 1;
  shl.b32 %r5, %r5, 3;
  add.u32 %r5, %r5, %r4;
  mbarrier.arrive.shared.b64 %rd2, [%r5];
  mbarrier.pending_count.b64 %r6, %rd2;
  shr.u64 %rd3, %rd2, 63;
  cvt.u32.u64 %r7, %rd3;
  mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd4, %rd4, %rd1;
  st.global.u32 [%rd4], %r6;
  st.global.u32 [%rd4+128], %r7;
  ret;
}
)",
                              {}};

std::vector<int> tokens(unsigned even, unsigned odd) {
  const auto device = simulator_with(two_objects);
  const auto out = upload(*device, std::vector<int>(64), "out");
  launch(*device, "arrive", one_warp, out, even, odd);
  return read_values<int>(*device, out, 64);
}

template <typename F>
std::vector<int> lanes(F f) {
  std::vector<int> values;
  for (int lane = 0; lane < 32; ++lane) values.push_back(f(lane));
  return values;
}
std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("lanes that arrive at one object with one instruction see what was to come before any of them") {
  const auto none = lanes([](int) { return 0; });
  CHECK(tokens(40, 50) == joined(lanes([](int lane) { return lane % 2 == 0 ? 40 : 50; }), none));
}

TEST_CASE("lanes whose arrival follows the end of a phase have a token of the next one") {
  // Four phases of 4 arrivals at the even lanes' object, one and a half of 11 at the odd lanes'.
  CHECK(tokens(4, 11) == joined(lanes([](int lane) { return lane % 2 == 0 ? 4 : 11; }), lanes([](int lane) {
                                  return lane % 2 == 0 ? lane / 2 / 4 % 2 : static_cast<int>(lane / 2 >= 11);
                                })));
}
