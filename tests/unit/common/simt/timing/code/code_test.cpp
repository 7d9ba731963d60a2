// What the model takes ptxas to make of a program, seen by what it says of the time.
#include <fmt/format.h>

#include <string>

#include "common/device/simulator/simulated.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// 256 threads a block, each with its number in r4, tid.x in r3, and its own word of `in` in d1.
std::string kernel(std::string_view body) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
  .reg .pred p, q; .reg .b32 r<40>; .reg .f32 f<20>; .reg .b64 d<20>; .shared .align 16 .b8 s[8192];
  ld.param.u64 d1, [in]; ld.param.u64 d2, [out];
  mov.u32 r1, %ctaid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %tid.x; mad.lo.s32 r4, r1, r2, r3;
  mul.wide.u32 d3, r4, 4; add.s64 d1, d1, d3; add.s64 d2, d2, d3; mov.u32 r10, 0; mov.f32 f1, 0f00000000;
  {}
  st.global.f32 [d2], f1;
  ret;
}}
)",
                     body);
}

double us_of(const std::string& ptx, std::uint32_t blocks, std::uint32_t launches = 1, bool graph = false) {
  SimulatorOptions options;
  options.model = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", ptx, {}});
  const std::vector<float> data(std::size_t{blocks} * 256 + 65536, 1.5f);
  const auto in = upload(*device, data, "in"), out = upload(*device, data, "out");
  const auto found = device->kernel("k");
  const auto work = [&] {
    for (std::uint32_t i = 0; i < launches; ++i)
      device->launch(found, {{blocks, 1, 1}, {256, 1, 1}}, std::array{KernelArgument::of(in), KernelArgument::of(out)});
  };
  const auto recorded = device->record(work);
  device->time(
      [&] {
        if (graph)
          recorded->replay();
        else
          work();
      },
      true);
  std::string why;
  const auto model = device->take_model(why);
  REQUIRE(model);
  return model->ms * 1e3;
}

TEST_CASE("a loop that counts by a variable is not unrolled: its loads wait for one another") {
  const auto loop = [](std::string_view step) {
    return kernel(
        fmt::format("setp.lt.u32 q, r2, 1; selp.u32 r11, 2, 1, q; L: ld.global.f32 f2, [d1]; "
                    "add.f32 f1, f1, f2; add.s64 d1, d1, 1024; add.u32 r10, r10, {}; "
                    "setp.lt.u32 p, r10, 32; @p bra L;",
                    step));
  };
  CHECK(us_of(loop("r11"), 132) > 1.5 * us_of(loop("1"), 132));
}

TEST_CASE("loads behind short branches go together, as ptxas predicates them; a chain of loads does not") {
  std::string beside, chain;
  for (int i = 0; i < 4; ++i) {
    const auto guarded = [&](std::string_view load) {
      return fmt::format("setp.gt.u32 p, r3, {}; @p bra L{}; {} L{}: ", 1000 + i, i, load, i);
    };
    beside += guarded(fmt::format("ld.global.f32 f{}, [d1+{}];", 2 + i, 4096 * i));
    chain += guarded(
        "ld.global.u32 r5, [d1]; and.b32 r5, r5, 0; cvt.u64.u32 d4, r5; add.s64 d1, d1, d4; "
        "add.s64 d1, d1, 4096;");
  }
  beside += "add.f32 f1, f2, f3; add.f32 f1, f1, f4; add.f32 f1, f1, f5;";
  CHECK(us_of(kernel(chain), 64) - us_of(kernel(beside), 64) > 2 * 0.3);  // two latencies of DRAM and more
}

TEST_CASE("loads of neighbouring shared words are one where their address is a multiple of what they take") {
  const auto loads = [](int shift, std::string_view kind) {
    std::string body =
        fmt::format("and.b32 r7, r3, 31; shl.b32 r5, r7, {}; mov.u32 r6, s; add.u32 r6, r6, r5; ", shift);
    for (int i = 0; i < 64; ++i)
      body += fmt::format(
          "ld.{0}.f32 f2, [r6+{1}]; ld.{0}.f32 f3, [r6+{2}]; ld.{0}.f32 f4, [r6+{3}]; "
          "ld.{0}.f32 f5, [r6+{4}]; add.f32 f1, f2, f3; add.f32 f1, f4, f5; bar.warp.sync -1; ",
          kind, 16 * i % 256, 16 * i % 256 + 4, 16 * i % 256 + 8, 16 * i % 256 + 12);
    return kernel(body);
  };
  const double aligned = us_of(loads(4, "shared"), 1000), apart = us_of(loads(4, "volatile.shared"), 1000);
  CHECK(apart > 2 * aligned);
  // Lanes a word apart: no wider load starts at each of these addresses.
  CHECK(us_of(loads(2, "shared"), 1000) == us_of(loads(2, "volatile.shared"), 1000));
}

TEST_CASE("kernels of a graph follow one another sooner than those that the host queues") {
  const auto ptx = kernel("ld.global.f32 f1, [d1];");
  const double queued = us_of(ptx, 1, 50), graph = us_of(ptx, 1, 50, true);
  CHECK(queued > 49 * 3.0);
  CHECK(graph < queued / 2);
  CHECK(graph > 49 * 0.48);
}

TEST_CASE("one warp that has far more to do than the others holds up the grid") {
  const auto loop = [](std::uint32_t busy_thread) {
    return kernel(
        fmt::format("setp.eq.u32 p, r4, {}; selp.u32 r12, 20000, 10, p; L: add.f32 f1, f1, f1; "
                    "add.u32 r10, r10, 1; setp.lt.u32 p, r10, r12; @p bra L;",
                    busy_thread));
  };
  const double even = us_of(loop(UINT32_MAX), 4000), uneven = us_of(loop(1234 * 256), 4000);
  CHECK(uneven > even + 20000 * 4 / 1980.0 / 2);
}

TEST_CASE("stores that write part of a sector take L2 longer than those that write all of it") {
  const auto store = [](std::string_view address) {
    return kernel(
        fmt::format("mul.lo.u32 r5, r4, 1; and.b32 r6, r4, 31; shr.u32 r7, r4, 5; {} ld.param.u64 d5, [out]; "
                    "mul.wide.u32 d6, r8, 4; add.s64 d5, d5, d6; st.global.f32 [d5], f1; mov.u64 d2, d5;",
                    address));
  };
  const double rows = us_of(store("mov.u32 r8, r4;"), 2048);
  const double columns = us_of(store("mad.lo.u32 r8, r6, 16384, r7;"), 2048);  // 32 rows of 16384 warps
  CHECK(columns > 2 * rows);
}

TEST_CASE("lanes that add 64 bits to one word do so one by one, unless all add the same") {
  const auto sums = [](std::string_view add) {
    std::string body = "ld.param.u64 d5, [out]; cvt.u64.u32 d6, r4; mov.u64 d7, 3; mov.u32 r6, s; ";
    for (int i = 0; i < 16; ++i) body += fmt::format("red.{}; ", add);
    return us_of(kernel(body), 1056);
  };
  const double apart = sums("global.add.u64 [d5], d6");
  CHECK(apart > 8 * sums("global.add.u64 [d5], d7"));
  CHECK(apart > 8 * sums("global.add.u32 [d5], r4"));
  CHECK(sums("global.max.u64 [d5], d7") > 8 * sums("global.max.u32 [d5], r4"));
  const double shared = sums("shared.add.u64 [r6], d6");
  CHECK(shared > 8 * sums("shared.add.u32 [r6], r4"));
  CHECK(shared > 8 * sums("shared.add.u64 [r6], d7"));
}

TEST_CASE("integers that a warp adds at one address go as one where the code says so, and by lanes where data do") {
  const auto adds = [](std::string_view address) {
    return us_of(kernel(fmt::format(
                     "ld.param.u64 d5, [out]; {} red.global.add.u32 [d5], r4; red.global.add.u32 [d5], r4;", address)),
                 1056);
  };
  const double of_parameter = adds("");
  CHECK(adds("and.b32 r5, r1, 0; cvt.u64.u32 d6, r5; add.s64 d5, d5, d6;") < 1.05 * of_parameter);  // by the block
  CHECK(adds("and.b32 r5, r3, 0; cvt.u64.u32 d6, r5; add.s64 d5, d5, d6;") > 8 * of_parameter);     // by the thread
}

TEST_CASE("a fence for the block waits for no L2") {
  const auto fences = [](std::string_view fence) {
    std::string body;
    for (int i = 0; i < 64; ++i) body += fence;
    return us_of(kernel(body), 132);
  };
  const double none = fences(""), of_block = fences("fence.acq_rel.cta;"), of_gpu = fences("fence.acq_rel.gpu;");
  CHECK(of_block > none + 0.5);
  CHECK(of_gpu - none > 8 * (of_block - none));
  CHECK(fences("membar.cta;") == of_block);
}

}  // namespace
}  // namespace gpulab::tests
