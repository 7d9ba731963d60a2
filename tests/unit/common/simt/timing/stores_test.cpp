// What goes from an SM to L2, and how blocks share it: words of structures that L1 joins, sectors that neighbours fill,
// counters of a block's own, lines that an SM asks for, races. And naps, and who runs beside whom.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "common/device/simulator/simulated.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// In r1 the block, in r3 the thread, in r4 the thread's number in the grid; in d8 the address of 64 MB.
double us_of(const std::string& body, std::uint32_t blocks, std::uint32_t threads = 256) {
  const std::string ptx = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in) {{
  .reg .pred p; .reg .b16 h<4>; .reg .b32 r<40>; .reg .f32 f<40>; .reg .b64 d<40>;
  ld.param.u64 d8, [in];
  mov.u32 r1, %ctaid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %tid.x; mad.lo.s32 r4, r1, r2, r3; mov.f32 f1, 0f3F800000;
  {}
  ret;
}}
)",
                                      body);
  SimulatorOptions options;
  options.model = true;
  options.threads = 1;
  options.empty_l2 = true;
  const auto device = make_simulator(gpu_profile("h100"), options);
  device->load({"k.ptx", ptx, {}});
  const auto in = upload(*device, std::vector<float>(std::size_t{16} << 20, 1.5f), "in");
  const auto found = device->kernel("k");
  const LaunchConfig config{{blocks, 1, 1}, {threads, 1, 1}};
  device->time([&] { device->launch(found, config, std::array{KernelArgument::of(in)}); }, true);
  std::string why;
  const auto model = device->take_model(why);
  REQUIRE(model);
  return model->ms * 1e3;
}

/// A structure of so many words of each thread, stored word by word.
std::string structure(int words) {
  std::string body = fmt::format("mul.wide.u32 d4, r4, {}; add.s64 d4, d8, d4;", 4 * words);
  for (int word = 0; word < words; ++word) body += fmt::format("st.global.f32 [d4+{}], f1;", 4 * word);
  return body;
}

}  // namespace

TEST_CASE("L1 joins the words of a structure that a warp stores one after another, where blocks are small") {
  // 32 MB: an H100 takes 21 us by blocks of 256, 36 by blocks of 1024; and 90 and 94 where each lane has a sector.
  const double small = us_of(structure(4), 8192, 256), large = us_of(structure(4), 2048, 1024);
  CHECK(large > 1.4 * small);
  CHECK(small < 30);
  CHECK(us_of(structure(8), 4096, 256) > 0.9 * us_of(structure(8), 1024, 1024));
  CHECK(us_of(structure(8), 4096, 256) > 2.5 * small);
  // Nothing is joined if each word is loaded and stored before the next one is.
  const auto each = [](std::uint32_t blocks, std::uint32_t threads) {
    std::string body = "mul.wide.u32 d4, r4, 16; add.s64 d4, d8, d4;";
    for (int word = 0; word < 4; ++word)
      body += fmt::format(
          "ld.volatile.global.f32 f2, [d4+{0}]; add.f32 f2, f2, f1; st.volatile.global.f32 [d4+{0}], f2;", 4 * word);
    return us_of(body, blocks, threads);
  };
  CHECK(each(8192, 256) > 0.9 * each(2048, 1024));
}

TEST_CASE("rows of threads that store down columns fill the sectors of each other, though blocks lie in one long row") {
  // 4096 x 4096 words, whose sectors have eight rows each: 64 MB are more than L2 holds. An H100 takes 297 us for a
  // transpose; were each sector brought from DRAM to be filled, and written back eight times, it were 830.
  const std::string down =
      "shr.u32 r5, r4, 12; and.b32 r6, r4, 4095; mad.lo.u32 r7, r6, 4096, r5; mul.wide.u32 d4, r7, 4; "
      "add.s64 d4, d8, d4; st.global.f32 [d4], f1;";
  const double us = us_of(down, 65536);
  CHECK(us > 200);
  CHECK(us < 400);
}

TEST_CASE("warps of a block that store down columns right behind a barrier fill sectors together, two lanes of each") {
  // 2048 x 2048 words by blocks of 16 x 16, of which a warp has two rows: an H200 takes 27 us, and 13 behind a barrier;
  // 70 by blocks of 32 x 8, each lane a sector, with one and without.
  const auto down = [](int columns, int rows, const std::string& barrier) {
    const std::string body = fmt::format(
        "rem.u32 r5, r3, {0}; div.u32 r6, r3, {0}; rem.u32 r7, r1, {2}; div.u32 r8, r1, {2}; "
        "mad.lo.u32 r5, r7, {0}, r5; mad.lo.u32 r6, r8, {1}, r6; mad.lo.u32 r9, r5, 2048, r6; mul.wide.u32 d4, r9, 4; "
        "add.s64 d4, d8, d4; {3} st.global.f32 [d4], f1;",
        columns, rows, 2048 / columns, barrier);
    return us_of(body, 2048 * 2048 / 256);
  };
  CHECK(down(16, 16, "bar.sync 0;") < 20);
  CHECK(down(16, 16, "") > 1.5 * down(16, 16, "bar.sync 0;"));
  CHECK(down(32, 8, "bar.sync 0;") > 0.95 * down(32, 8, ""));
  // Who waits behind the barrier for what he loads stores when that comes, not with the others.
  CHECK(down(16, 16, "bar.sync 0; ld.volatile.global.f32 f1, [d4+33554432];") > 1.5 * down(16, 16, "bar.sync 0;"));
}

TEST_CASE("warps that end leave their places to other blocks, however long the rest of their block goes on") {
  // One thread of each block adds 64 words up: an H200 takes 172 us for 156 250 such blocks of 256 threads, 169 by
  // blocks of 32.
  const std::string scan =
      "setp.ne.u32 p, r3, 0; @p ret; mul.wide.u32 d4, r1, 256; add.s64 d4, d8, d4; mov.u32 r5, 0; L: "
      "ld.global.f32 f2, [d4]; add.f32 f1, f1, f2; st.global.f32 [d4], f1; add.s64 d4, d4, 4; add.u32 r5, r5, 1; "
      "setp.lt.u32 p, r5, 64; @p bra L;";
  const double wide = us_of(scan, 100000, 256), narrow = us_of(scan, 100000, 32);
  CHECK(wide < 1.3 * narrow);
  CHECK(narrow < 1.3 * wide);
}

TEST_CASE("a grid of which one block has nothing to do takes as long as if it had") {
  // The first block of what adds up the sums of those before it: 10 million words 29.3 us, as a copy (an H200).
  const std::string add =
      "mul.wide.u32 d4, r4, 4; add.s64 d4, d8, d4; ld.global.f32 f2, [d4]; add.f32 f2, f2, f1; st.global.f32 [d4], f2;";
  const double all = us_of(add, 39000), others = us_of("setp.eq.u32 p, r1, 0; @p ret; " + add, 39000);
  CHECK(others < 1.1 * all);
  CHECK(others > 0.9 * all);
}

TEST_CASE(
    "a race for words that all SMs load, change and store takes L2 longer than each block's own, and stores alone") {
  // Each block goes round 100 times, at the same 128 bytes or at 128 of its own.
  const auto round = [](const std::string& place, const std::string& load) {
    return us_of(place +
                     "and.b32 r6, r3, 31; mul.wide.u32 d5, r6, 4; add.s64 d4, d4, d5; add.s64 d4, d8, d4; mov.u32 r5, "
                     "0; L: " +
                     load +
                     " add.f32 f1, f1, f2; st.volatile.global.f32 [d4], f1; add.u32 r5, r5, 1; "
                     "setp.lt.u32 p, r5, 100; @p bra L;",
                 1024);
  };
  const std::string one = "mov.u64 d4, 0; ", own = "mul.wide.u32 d4, r1, 128; ";
  const std::string load = "ld.volatile.global.f32 f2, [d4];";
  CHECK(round(one, load) > 3 * round(own, load));
  CHECK(round(one, load) > 3 * round(one, "mov.f32 f2, f1;"));
}

TEST_CASE("an atomic on a half is a load and a compare-and-swap of its word, for which the warp waits") {
  // A warp of each of 24 SMs: 520 ns a turn, and 200 of two halves at once (an H200).
  const auto turns = [](const std::string& atomic, int turns) {
    return us_of(
        fmt::format(
            "mul.wide.u32 d4, r4, 4; add.s64 d4, d8, d4; mov.b32 r7, 1006648320; mov.b16 h1, 15360; mov.u32 r5, 0; L: "
            "{} add.u32 r5, r5, 1; setp.lt.u32 p, r5, {}; @p bra L;",
            atomic, turns),
        24, 32);
  };
  const auto each = [&](const std::string& atomic) { return (turns(atomic, 110) - turns(atomic, 10)) * 10; };
  const double one = each("atom.add.noftz.f16 h2, [d4], h1;"), two = each("atom.add.noftz.f16x2 r8, [d4], r7;");
  CHECK(one > 1.4 * two);
  CHECK(two > 120);
  CHECK(one < 800);
  // Two lanes at one word: one of them fails, and tries again.
  const std::string pair = "sub.s64 d6, d4, d8; shr.u64 d6, d6, 1; add.s64 d6, d6, d8; ";
  CHECK(each(pair + "atom.add.noftz.f16 h2, [d6], h1;") > 1.2 * one);
}

TEST_CASE("counters of a block's own do not wait for each other, however few blocks there are") {
  const auto adds = [](int apart) {
    std::string body = fmt::format("mul.wide.u32 d4, r1, {}; add.s64 d4, d8, d4;", apart);
    for (int i = 0; i < 64; ++i) body += "red.global.add.u32 [d4], 1;";
    return body;
  };
  const double one = us_of(adds(0), 132), own = us_of(adds(4096), 132);
  CHECK(one > 8 * own);  // an H100: 772 ns for one of each warp, and 23
}

TEST_CASE("an SM asks L2 for a line a cycle, and all SMs together for sectors of lines of their own more slowly") {
  // 256 loads past L1 of so many bytes from lane to lane, which no bank conflicts keep: 8 lines or 33.
  const auto asks = [](int apart, std::uint32_t blocks) {
    std::string body =
        fmt::format("mul.wide.u32 d4, r3, {}; add.s64 d4, d8, d4; mov.u32 r10, 0; .pragma \"nounroll\"; L:", apart);
    for (int i = 0; i < 8; ++i) body += fmt::format("ld.global.cg.f32 f{}, [d4+{}];", i + 2, (1 << 18) * i);
    for (int i = 0; i < 8; ++i) body += fmt::format("add.f32 f1, f1, f{};", i + 2);
    return us_of(body + "add.u32 r10, r10, 1; setp.lt.u32 p, r10, 32; @p bra L; st.global.f32 [d4], f1;", blocks, 1024);
  };
  CHECK(asks(132, 1) > 2.5 * asks(32, 1));      // an H100: 16.2 ns a request, and 4.3
  CHECK(asks(132, 132) > 1.4 * asks(32, 132));  // 31 and 16.3
}

TEST_CASE("a maximum by compare-and-swap that is there already fails nobody, in global memory as in shared memory") {
  // A thread of each block: the larger one of 1 and what is there, or a sum, until its swap succeeds.
  const auto swaps = [](std::string_view operation) {
    return us_of(fmt::format("setp.ne.u32 p, r3, 0; @p ret; ld.global.f32 f2, [d8]; mov.b32 r5, f2;"
                             "L: mov.b32 f2, r5; {}.f32 f3, f2, f1; mov.b32 r6, f3; mov.u32 r7, r5;"
                             "atom.global.cas.b32 r5, [d8], r7, r6; setp.ne.u32 p, r5, r7; @p bra L;",
                             operation),
                 8192);
  };
  CHECK(swaps("max") < 50);  // all is 1.5 there
  CHECK(swaps("add") > 20 * swaps("max"));
}

TEST_CASE("a nap is as long as the next power of two of nanoseconds, a millisecond at most, and none between looks") {
  const auto naps = [](std::string_view ns) {
    return us_of(
        fmt::format("mov.u32 r10, {}; nanosleep.u32 r10; nanosleep.u32 r10; nanosleep.u32 r10; nanosleep.u32 r10;"
                    "mul.wide.u32 d4, r4, 4; add.s64 d4, d8, d4; st.global.f32 [d4], f1;",
                    ns),
        132);
  };
  const double none = naps("0");
  CHECK(naps("20") == none);
  CHECK(std::abs(naps("700") - none - 4 * (1.024 - 0.032)) < 0.01);
  CHECK(std::abs(naps("3000") - none - 4 * (4.096 - 0.032)) < 0.01);
  CHECK(std::abs(naps("50000000") - none - 4 * (1048.576 - 0.032)) < 0.1);
  // A lock's naps last as long as others hold it, which the simulator's turns do not say.
  const auto lock = [](std::string_view nap) {
    return us_of(fmt::format("setp.ne.u32 p, r3, 0; @p ret; mov.u32 r10, 1000;"
                             "L: atom.global.cas.b32 r5, [d8], 7, 8; setp.eq.u32 p, r5, 7; {} @p bra L;"
                             "st.global.f32 [d8+128], f1;",
                             nap),
                 132);
  };
  CHECK(lock("nanosleep.u32 r10;") < lock("") + 1);
}

}  // namespace gpulab::tests
