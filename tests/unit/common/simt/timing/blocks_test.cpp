// What it takes that blocks run at once, or have to wait for a place: carveouts, sectors that they share, blocks that
// have nothing to do; and how far off that may be.
#include <fmt/format.h>

#include <string>

#include "common/device/simulator/simulated.h"
#include "common/simt/timing/spread.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// In r1 the block, in r4 the thread's number in the grid; in d8 the address of 64 MB.
std::string kernel(std::string_view body) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in) {{
  .reg .pred p; .reg .b32 r<40>; .reg .f32 f<40>; .reg .b64 d<40>; .shared .align 16 .b8 s[6144];
  ld.param.u64 d8, [in];
  mov.u32 r1, %ctaid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %tid.x; mad.lo.s32 r4, r1, r2, r3; mov.f32 f1, 0f3F800000;
  {}
  ret;
}}
)",
                     body);
}

ModelledTime time_of(const std::string& body, const LaunchConfig& config) {
  SimulatorOptions options;
  options.model = true;
  options.threads = 1;
  options.empty_l2 = true;
  const auto device = make_simulator(gpu_profile("h100"), options);
  const std::string ptx = kernel(body);  // the device keeps a view
  device->load({"k.ptx", ptx, {}});
  const auto in = upload(*device, std::vector<float>(std::size_t{16} << 20, 1.5f), "in");
  const auto found = device->kernel("k");
  device->time([&] { device->launch(found, config, std::array{KernelArgument::of(in)}); }, true);
  std::string why;
  const auto model = device->take_model(why);
  REQUIRE(model);
  return *model;
}

double us_of(const std::string& body, std::uint32_t blocks, int carveout = -1) {
  LaunchConfig config{{blocks, 1, 1}, {256, 1, 1}};
  config.carveout = carveout;
  return time_of(body, config).ms * 1e3;
}

/// A line for each thread, to be read and written.
const std::string lines =
    "mul.wide.u32 d4, r4, 128; add.s64 d4, d8, d4; ld.global.f32 f1, [d4]; add.f32 f1, f1, f1; st.global.f32 [d4], f1;";

TEST_CASE("who goes round an array in steps of a line finds nothing of it in L2, if its lines have no room there") {
  // 8192 blocks, each thread one word, a line apart: four times the lines of 64 MB, or 16 times those of 16 MB.
  const auto strided = [](int words) {
    return us_of(fmt::format("shl.b32 r5, r4, 5; and.b32 r5, r5, {}; mul.wide.u32 d1, r5, 4; add.s64 d1, d8, d1;"
                             "ld.global.f32 f2, [d1]; setp.lt.f32 p, f2, 0f00000000; @p st.global.f32 [d1], f2;",
                             words - 1),
                 8192);
  };
  CHECK(strided(16 << 20) > 2 * strided(4 << 20));
}

}  // namespace

TEST_CASE("a kernel that prefers L1 has as few blocks on an SM as shared memory is left for, and waits for longer") {
  const std::string shared = "mov.u32 r6, s; st.shared.f32 [r6], f1;" + lines;
  const double as_many_as_fit = us_of(shared, 2048), preferred = us_of(shared, 2048, 0);
  CHECK(preferred > 1.4 * as_many_as_fit);  // one block at once, not eight
  CHECK(us_of(shared, 2048, 100) < 1.1 * as_many_as_fit);
}

TEST_CASE("blocks that run at once and ask for the same words wait for DRAM as one does that asks alone") {
  // A chain of loads through lines far apart, by one thread of each block: alone or at the same lines as 131 others.
  const auto chain = [](std::string_view mine) {
    std::string body =
        fmt::format("setp.ne.u32 p, r3, 0; @p ret; {} mul.wide.u32 d4, r5, 262144; add.s64 d4, d8, d4;", mine);
    for (int i = 0; i < 32; ++i)
      body += fmt::format(
          "ld.global.u32 r6, [d4+{}]; and.b32 r6, r6, 1; cvt.u64.u32 d5, r6; shl.b64 d5, d5, 2; add.s64 d4, d4, d5;",
          8192 * i);
    return body + "st.global.f32 [d4], f1;";
  };
  const double alone = us_of(chain("mov.u32 r5, r1;"), 132), shared = us_of(chain("mov.u32 r5, 0;"), 132);
  CHECK(shared > 0.9 * alone);
}

TEST_CASE("blocks that have nothing to do come and go, and their number does not count as work of the others") {
  const std::string some = "setp.gt.u32 p, r1, 1055; @p ret;" + lines;
  const double without = us_of(some, 1056), with = us_of(some, 1056 + 32768);
  CHECK(with > without + 4);  // an H100 takes some 10 us for so many
  CHECK(with < without + 25);
}

TEST_CASE("a block among empty ones takes as long as all of its work, however little of it is traced") {
  // Of two blocks that an SM gets two million instructions are kept. A step is slow beside what an empty block does.
  const auto ms_of = [](int steps) {
    return time_of(fmt::format("setp.ne.u32 p, r1, 0; @p bra DONE; mov.u32 r10, 0; .pragma \"nounroll\"; "
                               "L: sqrt.rn.f32 f1, f1; add.u32 r10, r10, 1; setp.lt.u32 p, r10, {}; @p bra L; "
                               "mul.wide.u32 d4, r4, 4; add.s64 d4, d8, d4; st.global.f32 [d4], f1; DONE: ",
                               steps),
                   {{200, 1, 1}, {32, 1, 1}})
        .ms;
  };
  const double whole = ms_of(250'000), cut = ms_of(1'500'000);
  CHECK(cut > 5.7 * whole);
  CHECK(cut < 6.3 * whole);
}

TEST_CASE("of words side by side that all SMs store again and again L2 merges the first sector and the last") {
  const auto us_of_store = [](int offset) {
    return time_of(fmt::format("mul.wide.u32 d4, r3, 4; add.s64 d4, d8, d4; mov.u32 r10, 0; .pragma \"nounroll\"; "
                               "L: st.global.f32 [d4+{}], f1; add.u32 r10, r10, 1; setp.lt.u32 p, r10, 256; @p bra L;",
                               offset),
                   {{132, 1, 1}, {32, 1, 1}})
               .ms *
           1e3;
  };
  const double apart = us_of_store(4), whole = us_of_store(0);
  CHECK(whole < 10);
  CHECK(apart > 40);  // 33 792 stores, 1.44 ns each
  CHECK(apart < 60);
}

TEST_CASE("what a block leaves of a sector other blocks store to, and DRAM need not fill it") {
  // Two words of a sector for each two threads; three other blocks have its other words, or nobody has.
  const auto store = [](std::string_view place) {
    return fmt::format(
        "shr.u32 r6, r3, 1; and.b32 r7, r3, 1; {} shl.b32 r6, r6, 3; add.u32 r6, r6, r7; "
        "mul.wide.u32 d4, r6, 4; add.s64 d4, d8, d4; st.global.f32 [d4], f1;",
        place);
  };
  const std::string joined =
      store("and.b32 r8, r1, 3; mad.lo.u32 r7, r8, 2, r7; shr.u32 r8, r1, 2; mad.lo.u32 r6, r8, 128, r6;");
  const std::string alone = store("mad.lo.u32 r6, r1, 128, r6;");
  CHECK(time_of(joined, {{8192, 1, 1}, {256, 1, 1}}).dram < 0.5 * time_of(alone, {{8192, 1, 1}, {256, 1, 1}}).dram);
}

TEST_CASE("which of four blocks has the work does not matter, whatever lies between those that one SM gets") {
  const auto one_of_four = [](int which) {
    return fmt::format(
        "and.b32 r6, r1, 3; setp.ne.u32 p, r6, {}; @p ret; mov.u32 r6, 200; L: fma.rn.f32 f1, f1, f1, f1; "
        "sub.u32 r6, r6, 1; setp.ne.u32 p, r6, 0; @p bra L; mul.wide.u32 d4, r4, 4; add.s64 d4, d8, d4; "
        "st.global.f32 [d4], f1;",
        which);
  };
  const double first = us_of(one_of_four(0), 32768), second = us_of(one_of_four(1), 32768);
  CHECK(second > 0.7 * first);
  CHECK(second < 1.4 * first);
}

TEST_CASE("the first warps of blocks of four go to one partition after the other, those of two to every other one") {
  // One warp of each block has all the work: eight chains of 100 turns.
  const auto one_warp = [](std::string_view which, std::uint32_t threads, std::uint32_t blocks) {
    std::string body = fmt::format("shr.u32 r6, r3, 5; {} setp.ne.u32 p, r6, r7; @p ret; mov.u32 r6, 100; L: ", which);
    for (int i = 1; i <= 8; ++i) body += fmt::format("fma.rn.f32 f{0}, f{0}, f{0}, f{0}; ", i);
    body += "sub.u32 r6, r6, 1; setp.ne.u32 p, r6, 0; @p bra L; ";
    for (int i = 2; i <= 8; ++i) body += fmt::format("add.f32 f1, f1, f{}; ", i);
    body += "mul.wide.u32 d4, r4, 4; add.s64 d4, d8, d4; st.global.f32 [d4], f1;";
    return time_of(body, {{blocks, 1, 1}, {threads, 1, 1}}).kernel_ms * 1e3;
  };
  const double first = one_warp("mov.u32 r7, 0;", 128, 2112);
  CHECK(first < 1.2 * one_warp("div.u32 r7, r1, 132; and.b32 r7, r7, 3;", 128, 2112));
  CHECK(one_warp("mov.u32 r7, 0;", 64, 2112) > 1.3 * first);  // two of the four
}

TEST_CASE("requests of many sectors have wider intervals than those of few, most of all where latency bounds") {
  const auto& gpu = *simt::gpu_timing("h100");
  const auto width = [&](const char* bound, bool gathers) {
    simt::LaunchKinds kinds;
    kinds.gathers = gathers;
    const simt::Spread spread = simt::spread_of(kinds, bound, gpu);
    return spread.down * spread.up;
  };
  for (const char* bound : {"issue", "dram_bandwidth", "l2_bandwidth", "latency"}) {
    INFO(bound);
    CHECK(width(bound, true) > width(bound, false));
    CHECK(width(bound, true) <= width("latency", true));
  }
  CHECK(width("dram_bandwidth", false) < 1.6);
}

}  // namespace gpulab::tests
