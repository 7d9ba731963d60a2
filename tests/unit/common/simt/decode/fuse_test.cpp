#include "common/simt/decode/fuse.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/launch_error.h"
#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

using namespace gpulab;
using namespace gpulab::tests;

namespace {

/// A kernel of 32 threads with shared words s[64], %r1 = the thread's number, %r2 = the address of its word.
std::string kernel_of(std::string_view body) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .pred %p<4>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<8>;
  .shared .align 16 .b8 s[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.s32 %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.shared.u32 [%r2], %r1;
  add.s32 %r5, %r1, 1000;
  st.shared.u32 [%r2+128], %r5;
  bar.warp.sync 0xffffffff;
{}
  st.global.u32 [%rd3], %r9;
  ret;
}}
)",
                     body);
}

std::vector<std::uint32_t> run(const std::string& ptx, Counters* counters = nullptr) {
  const auto device = make_simulator(gpu_profile("h200"), {});
  device->load({"fuse.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<std::uint32_t>(32), "out");
  launch(*device, "k", {{1, 1, 1}, {32, 1, 1}, 0, false}, out);
  if (counters) *counters = device->take_counters().value();
  return read_values<std::uint32_t>(*device, out, 32);
}

std::size_t followers(const std::string& ptx) {
  const auto module = std::make_shared<ptx::Module>(ptx::parse(ptx, "fuse.ptx"));
  simt::DecodeContext context;
  const auto program = simt::decode(module, "k", context);
  std::size_t count = 0;
  for (const auto& site : program->sites) count += site.leader != simt::kNoSite;
  return count;
}

std::vector<std::uint32_t> each(std::uint32_t (*f)(std::uint32_t)) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < 32; ++i) all.push_back(f(i));
  return all;
}

}  // namespace

TEST_CASE("loads from one address register follow the first and are counted as themselves") {
  const auto ptx = kernel_of(R"(
  ld.shared.u32 %r6, [%r2];
  ld.shared.u32 %r7, [%r2+128];
  ld.shared.u32 %r8, [%r2+64];
  add.s32 %r9, %r6, %r7;
  add.s32 %r9, %r9, %r8;
)");
  CHECK(followers(ptx) == 3);  // and the second store follows the first
  Counters c;
  CHECK(run(ptx, &c) == each([](std::uint32_t i) { return i + (i + 1000) + (i < 16 ? i + 16 : i - 16 + 1000); }));
  CHECK(c["shared_load_requests"] == 3);
  CHECK(c["shared_load_wavefronts"] == 3);
  CHECK(c["shared_store_requests"] == 2);
  CHECK(c["shared_store_wavefronts"] == 2);
}

TEST_CASE("a rewritten address register, a barrier, another width and a guard end the following") {
  CHECK(followers(kernel_of("ld.shared.u32 %r6, [%r2]; add.s32 %r2, %r2, 4; ld.shared.u32 %r9, [%r2];")) == 1);
  CHECK(followers(kernel_of("ld.shared.u32 %r6, [%r2]; bar.sync 0; ld.shared.u32 %r9, [%r2];")) == 1);
  CHECK(followers(kernel_of("ld.shared.u32 %r6, [%r2]; ld.shared.u8 %r9, [%r2];")) == 1);
  CHECK(
      followers(kernel_of("mov.u32 %r9, 0; ld.shared.u32 %r6, [%r2]; setp.eq.u32 %p1, %r6, 3; @%p1 ld.shared.u32 %r9, "
                          "[%r2];")) == 1);
  CHECK(followers(kernel_of("ld.shared.u32 %r2, [%r2]; ld.shared.u32 %r9, [%r2];")) == 1);
  // Unlike 8-byte loads, 4-byte ones are alike in any word; the same 8-byte pattern needs the same half of 16 bytes.
  CHECK(followers(kernel_of("ld.shared.u64 %rd4, [%r3]; ld.shared.u64 %rd5, [%r3+8]; mov.u32 %r9, 0;")) == 2);
  CHECK(followers(kernel_of("ld.shared.u16 %r6, [%r2]; ld.shared.u16 %r9, [%r2+2];")) == 1);
}

TEST_CASE("the address register may come back with other lanes' offsets: its pattern is looked at again") {
  const auto ptx = kernel_of(R"(
  ld.shared.u32 %r6, [%r2];
  xor.b32 %r10, %r1, 31;
  shl.b32 %r10, %r10, 2;
  add.s32 %r2, %r3, %r10;
  ld.shared.u32 %r9, [%r2];
)");
  CHECK(run(ptx) == each([](std::uint32_t i) { return 31 - i; }));
}

TEST_CASE("a follower outside of shared memory faults with its own line, lane and address") {
  try {
    run(kernel_of("ld.shared.u32 %r6, [%r2];\nld.shared.u32 %r9, [%r2+132];\n"));
    FAIL("no fault");
  } catch (const LaunchError& error) {
    CHECK(std::string(error.what()) ==
          "out-of-bounds load of 4 bytes at byte 256 of shared memory, of which the block has 256 in k, block (0,0,0), "
          "thread (31,0,0)");
    CHECK(error.where == "fuse.ptx (PTX line 21)");
  }
}

TEST_CASE("more leaders than a warp remembers are all executed right") {
  std::string body = "mov.u32 %r9, 0;\n";
  for (int k = 0; k < 12; ++k)
    body += fmt::format(
        "add.s32 %r10, %r2, {};\nld.shared.u32 %r6, [%r10];\nld.shared.u32 %r7, [%r10+4];\n"
        "add.s32 %r9, %r9, %r6;\nadd.s32 %r9, %r9, %r7;\n",
        4 * k);
  Counters c;
  CHECK(run(kernel_of(body), &c) == each([](std::uint32_t i) {
          const auto word = [](std::uint32_t k) { return k < 32 ? k : k - 32 + 1000; };
          std::uint32_t sum = 0;
          for (std::uint32_t k = 0; k < 12; ++k) sum += word(i + k) + word(i + k + 1);
          return sum;
        }));
  CHECK(c["shared_load_requests"] == 24);
}

TEST_CASE("a comparison that branches writes its predicate for those who read it later") {
  const auto ptx = kernel_of(R"(
  mov.u32 %r9, 1;
  setp.lt.u32 %p1, %r1, 5;
  @!%p1 bra SKIP;
  mov.u32 %r9, 2;
SKIP:
  selp.b32 %r10, 100, 0, %p1;
  add.s32 %r9, %r9, %r10;
)");
  Counters c;
  CHECK(run(ptx, &c) == each([](std::uint32_t i) { return i < 5 ? 102u : 1u; }));
  CHECK(c["branches"] == 1);
  CHECK(c["divergent_branches"] == 1);
}

TEST_CASE("registers that only copy constants need no code, and are counted") {
  const auto ptx = kernel_of(R"(
  mov.u32 %r20, %ntid.x;
  mov.u32 %r21, 7;
  mov.u32 %r22, %r21;
  mov.u32 %r23, %r1;
  add.s32 %r9, %r20, %r22;
  add.s32 %r9, %r9, %r23;
)");
  Counters c;
  CHECK(run(ptx, &c) == each([](std::uint32_t i) { return 32 + 7 + i; }));
  CHECK(c["warp_instructions"] == 11 + 6 + 2);
}

TEST_CASE("a register written twice, or under a guard, is no constant") {
  CHECK(run(kernel_of("mov.u32 %r9, 7; setp.eq.u32 %p1, %r1, 3; @%p1 mov.u32 %r9, 8;")) ==
        each([](std::uint32_t i) { return i == 3 ? 8u : 7u; }));
  CHECK(run(kernel_of("setp.ne.u32 %p1, %r1, 3; mov.u32 %r10, 1; @%p1 mov.u32 %r9, %r10; @!%p1 mov.u32 %r9, 2;")) ==
        each([](std::uint32_t i) { return i == 3 ? 2u : 1u; }));
}
