// What the hardware and its compiler do that takes time in kernels that nobody here wrote: each mechanism by a kernel
// that has it beside one that has it not.
#include <fmt/format.h>

#include <string>

#include "common/device/simulator/simulated.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// 256 threads a block; in d1 and d2 the addresses of the thread's own words of `in` and `out`, in d8 and d9 the
/// arrays'.
std::string kernel(std::string_view body) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.const .align 4 .b8 table[1024];
.visible .entry k(.param .u64 in, .param .u64 out) {{
  .reg .pred p, q; .reg .b32 r<40>; .reg .f32 f<40>; .reg .b64 d<40>; .reg .f64 g<20>; .shared .align 16 .b8 s[8192];
  ld.param.u64 d8, [in]; ld.param.u64 d9, [out];
  mov.u32 r1, %ctaid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %tid.x; mad.lo.s32 r4, r1, r2, r3;
  mul.wide.u32 d3, r4, 4; add.s64 d1, d8, d3; add.s64 d2, d9, d3; mov.u32 r10, 0; mov.f32 f1, 0f3F800000;
  {}
  st.global.f32 [d2], f1;
  ret;
}}
)",
                     body);
}

struct Asked {
  std::uint32_t blocks = 132;
  bool empty_l2 = true;
  std::string_view memory = "in";  ///< what `in` is called, by which one knows whose it is
  std::size_t more = 1 << 20;      ///< words of `in` and `out` beside one for each thread
};

ModelledTime time_of(const std::string& body, const Asked& asked = {}) {
  SimulatorOptions options;
  options.model = true;
  options.threads = 1;
  options.empty_l2 = asked.empty_l2;
  const auto device = make_simulator(gpu_profile("h100"), options);
  const std::string ptx = kernel(body);  // the device keeps a view
  device->load({"k.ptx", ptx, {}});
  const std::vector<float> data(std::size_t{asked.blocks} * 256 + asked.more, 1.5f);
  const auto in = upload(*device, data, asked.memory), out = upload(*device, data, "out");
  device->time(
      [&] {
        device->launch(device->kernel("k"), {{asked.blocks, 1, 1}, {256, 1, 1}},
                       std::array{KernelArgument::of(in), KernelArgument::of(out)});
      },
      true);
  std::string why;
  const auto model = device->take_model(why);
  REQUIRE(model);
  return *model;
}
double us_of(const std::string& body, const Asked& asked = {}) { return time_of(body, asked).kernel_ms * 1e3; }

TEST_CASE(
    "loads overtake stores that lie at another distance of the same register; behind another register's they wait") {
  const auto prefix_sum = [](std::string_view stored) {
    std::string body = "mov.u64 d4, d1;";
    for (int i = 0; i < 4; ++i)
      body += fmt::format("ld.global.f32 f{2}, [d1+{0}]; st.global.f32 [{1}+{0}], f1; add.f32 f1, f1, f{2};", 4096 * i,
                          stored, 2 + i);
    return body;
  };
  // d4 holds the same address, but of a register that anybody may have written.
  const auto hidden = "setp.gt.u32 q, r2, 4096; @q add.s64 d4, d4, 8;" + prefix_sum("d4").substr(15);
  CHECK(us_of("mov.u64 d4, d1;" + hidden) > us_of(prefix_sum("d1")) + 0.2);  // a latency of L2 and more
}

TEST_CASE("a loop that stores is unrolled, too: its loads go ahead where they cannot meet the stores") {
  const auto loop = [](std::string_view pragma) {
    return fmt::format(
        "{} L: ld.global.f32 f2, [d1]; st.global.f32 [d1], f1; add.f32 f1, f1, f2; add.s64 d1, d1, 1024; "
        "add.u32 r10, r10, 1; setp.lt.u32 p, r10, 32; @p bra L;",
        pragma);
  };
  CHECK(us_of(loop(".pragma \"nounroll\";"), {64}) > 1.5 * us_of(loop(""), {64}));
}

TEST_CASE("a table in constant memory serves one address after another") {
  const auto look_up = [](std::string_view index) {
    std::string body = fmt::format("mov.u64 d10, table; {} cvt.u64.u32 d11, r5; add.s64 d10, d10, d11;", index);
    for (int i = 0; i < 32; ++i) body += fmt::format("ld.const.f32 f2, [d10+{}]; add.f32 f1, f1, f2;", 4 * i);
    return body;
  };
  const double same = us_of(look_up("mov.u32 r5, 0;"), {2000});
  const double apart = us_of(look_up("and.b32 r5, r3, 31; shl.b32 r5, r5, 2;"), {2000});
  CHECK(apart > 5 * same);
}

TEST_CASE("one address of constant memory by an index of each lane takes two cycles of the SM, and keeps no warp") {
  const auto sum = [](std::string_view index) {
    std::string body = fmt::format("mov.u64 d10, table; {} cvt.u64.u32 d11, r5; add.s64 d10, d10, d11;", index);
    for (int i = 0; i < 200; ++i) body += fmt::format("ld.const.f32 f2, [d10+{}]; add.f32 f1, f1, f2;", 4 * i);
    return body;
  };
  const std::string by_lane = sum("and.b32 r5, r3, 1; shr.u32 r5, r5, 1;"), by_all = sum("and.b32 r5, r1, 0;");
  // Two cycles of the SM each, and by an index of all lanes half a one: two instructions of four partitions.
  const double loads = 16 * 8 * 200, more = us_of(by_lane, {132 * 16}) - us_of(by_all, {132 * 16});
  CHECK(more > 1.2 * loads / 1980);
  CHECK(more < 2 * loads / 1980);
  // A warp alone has its loads under way at once.
  CHECK(us_of(by_lane, {1}) < 1.1 * us_of(by_all, {1}) + 8 * 200 * 2 / 1980.0);
}

TEST_CASE("bit operations of three operands are one instruction, as are sums of three and a rotation with a sum") {
  // Time that issuing alone would take of 400 steps. A register is written once, as NVVM has it: its name is the
  // step's.
  const auto issued = [](std::string_view step) {
    // What a step takes beside the one before changes from step to step: else all of them were one function of three.
    std::string body = ".reg .b32 x<1300>, a<7>, b<5>;", before = "r3";
    for (int i = 0; i < 7; ++i) body += fmt::format("mad.lo.u32 a{}, r4, {}, r1;", i, 3 * i + 5);
    for (int i = 0; i < 5; ++i) body += fmt::format("mad.lo.u32 b{}, r4, {}, r3;", i, 5 * i + 7);
    for (int i = 0; i < 1200; i += 3) {
      const std::string own = fmt::format("x{}", i);
      body += fmt::format(fmt::runtime(step), before, own, fmt::format("x{}", i + 1), fmt::format("x{}", i + 2),
                          fmt::format("a{}", i % 7), fmt::format("b{}", i % 5));
      before = own;
    }
    const auto time = time_of(body + fmt::format("cvt.rn.f32.u32 f1, {};", before), {1056});
    return time.issue * time.kernel_ms;
  };
  const double one = issued("lop3.b32 {1}, {0}, {4}, {5}, 0xca;"), most = 1.2 * one, two = 1.7 * one;
  CHECK(issued("xor.b32 {2}, {4}, {5}; and.b32 {3}, {0}, {2}; xor.b32 {1}, {3}, {4};") < most);
  CHECK(issued("add.u32 {2}, {0}, {4}; add.u32 {1}, {2}, {5};") < most);
  CHECK(issued("shf.l.wrap.b32 {2}, {0}, {0}, 7; add.u32 {1}, {2}, {4};") < most);
  // Five summands are two instructions, and so is a sum of which others take a part, too.
  CHECK(issued("add.u32 {2}, {0}, {4}; add.u32 {3}, {2}, {5}; add.u32 {1}, {3}, r3;") > 1.4 * one);
  CHECK(issued("add.u32 {2}, {0}, {4}; add.u32 {3}, {2}, {5}; xor.b32 {1}, {3}, {2};") > two);
}

TEST_CASE("lines 0, 1, 4 and 5 of a KB share a slice of L2 for atomics; stores to one sector between loads queue") {
  // Each warp's atomics go to one of two lines so far apart.
  const auto atomics = [](int apart) {
    std::string body = fmt::format(
        "shr.u32 r5, r4, 5; and.b32 r5, r5, 1; mul.wide.u32 d4, r5, {}; add.s64 d4, d9, d4;"
        "and.b32 r5, r3, 31; mul.wide.u32 d5, r5, 4; add.s64 d4, d4, d5;",
        apart);
    for (int i = 0; i < 32; ++i) body += "red.global.add.u32 [d4], 1;";
    return us_of(body, {1056});
  };
  const double together = atomics(128);
  CHECK(atomics(512) > 0.9 * together);
  CHECK(atomics(256) < 0.7 * together);
  CHECK(atomics(1024) < 0.7 * together);
  const auto stores = [](std::string_view place) {
    std::string body = fmt::format("cvt.u64.u32 d4, r1; {} add.s64 d4, d9, d4; mov.u64 d5, d1;", place);
    for (int i = 0; i < 64; ++i) body += "ld.volatile.global.f32 f2, [d5]; add.f32 f1, f1, f2; st.global.f32 [d4], f1;";
    return us_of(body, {528});
  };
  CHECK(stores("mov.u64 d4, 0;") > 2 * stores("shl.b64 d4, d4, 12;"));
}

TEST_CASE("matrices that wmma.load brings from memory take the time of their bytes, and ldmatrix that of its rows") {
  // 16 KB of each warp, as 32 matrices of 16 x 16 halves or by words of 16 bytes.
  const std::string own = "shr.u32 r5, r4, 5; mul.wide.u32 d4, r5, 16384; add.s64 d4, d8, d4; mov.u32 r6, 16;";
  std::string matrices = own, words = own + "and.b32 r5, r3, 31; mul.wide.u32 d5, r5, 16; add.s64 d4, d4, d5;";
  for (int i = 0; i < 32; ++i) {
    matrices += fmt::format(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {{r10,r11,r12,r13,r14,r15,r16,r17}}, [d4+{}], r6;"
        "xor.b32 r20, r20, r10; xor.b32 r20, r20, r13;",
        512 * i);
    words += fmt::format("ld.global.v4.u32 {{r10,r11,r12,r13}}, [d4+{}]; xor.b32 r20, r20, r10;", 512 * i);
  }
  const std::string used = "cvt.rn.f32.u32 f1, r20;";
  const Asked asked{.blocks = 264, .more = 9 << 20};
  const double by_words = us_of(words + used, asked), by_matrices = us_of(matrices + used, asked);
  CHECK(by_matrices > 0.75 * by_words);
  CHECK(by_matrices < 1.5 * by_words);

  const auto rows = [&](std::string_view count, std::string_view registers) {
    std::string body = "and.b32 r5, r3, 31; shl.b32 r5, r5, 4; mov.u32 r6, s; add.u32 r5, r5, r6;";
    for (int i = 0; i < 64; ++i)
      body += fmt::format("ldmatrix.sync.aligned.m8n8.{}.shared.b16 {{{}}}, [r5+{}]; xor.b32 r20, r20, r10;", count,
                          registers, 512 * (i % 8));
    return us_of(body + used, {2000});
  };
  CHECK(rows("x4", "r10,r11,r12,r13") > 2 * rows("x1", "r10"));
}

TEST_CASE("stores of all blocks to parts of a few sectors queue at their slice of L2") {
  const auto store = [](std::string_view address) {
    std::string body = fmt::format("cvt.u64.u32 d4, r1; {} add.s64 d4, d9, d4;", address);
    for (int i = 0; i < 32; ++i) body += "bar.sync 0; st.volatile.global.u8 [d4], r1;";
    return body;
  };
  const auto near = time_of(store(""), {2000});
  const double far = us_of(store("shl.b64 d4, d4, 10;"), {2000});
  CHECK(near.kernel_ms * 1e3 > 1.5 * far);
  CHECK(near.bound == "l2_bandwidth");
}

TEST_CASE("what only one of several blocks goes to is its own, however often it does") {
  const auto add = [](std::string_view address) {
    std::string body = fmt::format("cvt.u64.u32 d4, r1; {} add.s64 d4, d9, d4;", address);
    for (int i = 0; i < 16; ++i) body += "red.global.add.u32 [d4], r4;";
    return body;
  };
  const double own = us_of(add("shl.b64 d4, d4, 8;"), {2000}), all = us_of(add("and.b64 d4, d4, 0;"), {2000});
  CHECK(all > 3 * own);
}

TEST_CASE("an L2 that starts empty has nothing to write back before it reads") {
  // 24 MiB in and as much out: long enough that what every launch takes to begin hides nothing.
  const std::string body = "ld.global.f32 f1, [d1];";
  const double dirty = us_of(body, {24576, false}), empty = us_of(body, {24576, true});
  CHECK(dirty > 1.2 * empty);
}

TEST_CASE(
    "a division branches to a subroutine for rare operands: loads do not go ahead of it, and none of an approximate "
    "one") {
  const auto steps = [](std::string_view division) {
    std::string body;
    for (int i = 0; i < 4; ++i)
      body += fmt::format("ld.global.f32 f{2}, [d1+{0}]; {1} f1, f1, f{2};", 4096 * i, division, 2 + i);
    return body;
  };
  CHECK(us_of(steps("div.rn.f32"), {64}) > us_of(steps("div.approx.ftz.f32"), {64}) + 2 * 0.25);
}

TEST_CASE("a double's constant is brought by two instructions, unless its lower half is 0") {
  const auto sums = [](std::string_view constant) {
    std::string body = "cvt.f64.f32 g1, f1; cvt.f64.f32 g2, f1;";
    for (int i = 0; i < 64; ++i)
      body += fmt::format("fma.rn.f64 g1, g1, g1, {0}; fma.rn.f64 g2, g2, g2, {0};", constant);
    return body + "add.f64 g1, g1, g2; cvt.rn.f32.f64 f1, g1;";
  };
  CHECK(us_of(sums("0d3FF71547652B82FE"), {4000}) > 1.3 * us_of(sums("0d3FF0000000000000"), {4000}));
}

TEST_CASE("memory of the host comes over its link, and the model says that it has no ground for it") {
  const std::string body = "ld.global.f32 f1, [d1];";
  const auto own = time_of(body, {4096}), host = time_of(body, {4096, true, "cudaHostAlloc #1"});
  CHECK(host.kernel_ms > 10 * own.kernel_ms);
  CHECK(host.kernel_ms > 4.0 * 256 * 4096 / 51e6);
  CHECK(own.no_ground.empty());
  CHECK(host.no_ground == "it uses the host's memory over a link whose speed is assumed");
  CHECK(host.high_ms / host.low_ms > 2 * own.high_ms / own.low_ms);
  for (const auto* maker : {"cudaMallocHost #1", "cudaHostRegister #2", "cuMemAllocHost #1", "cuMemHostAlloc #3"})
    CHECK(time_of(body, {4096, true, maker}).kernel_ms == host.kernel_ms);
  for (const auto* maker : {"cudaMallocManaged #1", "cuMemAllocManaged #1"})
    CHECK(time_of(body, {4096, true, maker}).no_ground ==
          "it uses managed memory, whose pages may have to come from the host first");
}

TEST_CASE("a warp waits with its next store where the memory pipe has no room for it, and computes later") {
  std::string stores = "mul.wide.u32 d4, r4, 128; add.s64 d4, d9, d4; ";
  for (int i = 0; i < 32; ++i) stores += fmt::format("st.global.f32 [d4+{}], f1; ", 4 * i);
  std::string computes = "mov.f32 f2, f1; ";
  for (int i = 0; i < 1500; ++i) computes += "fma.rn.f32 f2, f2, f1, f1; ";
  computes += "setp.gt.f32 q, f2, f1; @q st.global.f32 [d9], f2; ";
  CHECK(us_of(stores + computes, {1}) > us_of(stores, {1}) + 0.2 * us_of(computes, {1}));
}

TEST_CASE("a warp ends when what it has asked for is there, read or not") {
  const double asks = us_of("ld.global.f32 f2, [d1]; ", {1}), asks_not = us_of("mov.f32 f2, f1; ", {1});
  CHECK(asks > asks_not + 0.2);  // a latency of DRAM: 0.34 us
}

TEST_CASE("a word that a store leaves alone in its pair of sectors has DRAM bring both") {
  const auto store = [](int apart) {
    const std::string body = fmt::format("mul.wide.u32 d4, r4, {}; add.s64 d4, d9, d4; st.global.u32 [d4], r4;", apart);
    return us_of(body, {.blocks = 528, .more = 1 << 22});
  };
  CHECK(store(64) > 1.25 * store(32));
  CHECK(store(128) > 1.25 * store(64));
}

TEST_CASE("a warp that looks again at what others may store has no ground") {
  const std::string body =
      "mov.u32 r6, 3; L: ld.volatile.global.u32 r5, [d8]; sub.u32 r6, r6, 1; setp.ne.u32 p, r6, 0; @p bra L;";
  CHECK(time_of(body).no_ground == "its threads wait for what others do, and how long depends on who runs when");
}

TEST_CASE("random loads that L2 holds get less of it than loads side by side") {
  const auto loads = [](std::string_view address) {
    std::string body = fmt::format("mul.lo.u32 r5, r4, 1; {} ", address);
    for (int i = 0; i < 8; ++i)
      body += fmt::format(
          "mad.lo.u32 r5, r5, 1664525, {}; shr.u32 r6, r5, 14; {} mul.wide.u32 d4, r6, 32; add.s64 d4, d8, d4; "
          "ld.global.cg.f32 f{}, [d4]; ",
          i, address, 2 + i);
    return body;
  };
  // As many sectors: by a hash, or 32 in a row from where the first lane's hash leads.
  const double random = us_of(loads("and.b32 r6, r6, 131071;"), {2000});
  const double row = us_of(
      loads("shfl.sync.idx.b32 r6, r6, 0, 31, -1; and.b32 r6, r6, 65535; and.b32 r7, r3, 31; add.u32 r6, r6, r7;"),
      {2000});
  CHECK(random > 1.1 * row);
}

TEST_CASE("words that are stored at random over more than L2 holds come from DRAM again and again") {
  const auto store = [](std::string_view address) {
    std::string body = "mov.u32 r5, r4;";
    for (int i = 0; i < 4; ++i)
      body += fmt::format(fmt::runtime(address), i) +
              " mul.wide.u32 d4, r6, 4; add.s64 d4, d9, d4; st.global.f32 [d4], f1; ";
    return body;
  };
  const double random = us_of(store("mad.lo.u32 r5, r5, 1664525, 12345; shr.u32 r6, r5, 8;"), {65536});
  const double rows = us_of(store("mad.lo.u32 r6, {}, 65536, r4;"), {65536});
  CHECK(random > 3 * rows);
}

TEST_CASE("rows of a pitch that is a power of two stay in L1 side by side") {
  // Each warp reads a word of 64 rows, and again: what lies in one set would be gone.
  const auto rows = [](int pitch) {
    std::string body = fmt::format(
        "and.b32 r5, r3, 31; mul.wide.u32 d4, r5, 4; shr.u32 r6, r3, 5; mul.wide.u32 d5, r6, 128; "
        "add.s64 d4, d4, d8; add.s64 d4, d4, d5; mov.u32 r10, 0; L: .pragma \"nounroll\"; mov.u64 d6, d4;");
    for (int i = 0; i < 32; ++i) body += fmt::format("ld.global.f32 f2, [d6+{}]; add.f32 f1, f1, f2;", i * pitch);
    return body + "add.u32 r10, r10, 1; setp.lt.u32 p, r10, 16; @p bra L;";
  };
  const double apart = us_of(rows(65536), {66}), near = us_of(rows(1024), {66});
  CHECK(apart < 1.5 * near);
}

TEST_CASE("L1 reads lanes whose words lie in one of its banks one after another, and looks up four lines in a cycle") {
  // 16 times the same words, a line of L1 each: of one bank, or of 32 banks.
  const auto loads = [](int pitch) {
    std::string body =
        fmt::format("and.b32 r5, r3, 31; mul.wide.u32 d4, r5, {}; add.s64 d4, d4, d8; .pragma \"nounroll\"; L:", pitch);
    for (int i = 0; i < 8; ++i) body += fmt::format("ld.global.f32 f2, [d4+{}]; add.f32 f1, f1, f2;", 4 * i);
    return body + "add.u32 r10, r10, 1; setp.lt.u32 p, r10, 16; @p bra L;";
  };
  CHECK(us_of(loads(128), {264}) > 2 * us_of(loads(132), {264}));
}

TEST_CASE("a float added in shared memory is a loop of its warp; warps at one address fail each other") {
  const auto add = [](std::string_view address) {
    std::string body = fmt::format("mov.u32 r5, s; {} add.u32 r5, r5, r6;", address);
    for (int i = 0; i < 8; ++i) body += "red.shared.add.f32 [r5], f1;";
    return body;
  };
  const double own = us_of(add("shr.u32 r6, r3, 5; shl.b32 r6, r6, 2;"), {1});
  CHECK(own > 8 * 32 * 90 / 1980.0);  // a turn for each lane
  CHECK(us_of(add("mov.u32 r6, 0;"), {1}) > 3 * own);
}

TEST_CASE("a shared word that warps swap until they succeed has them fail each other, if they expect what they found") {
  const auto swaps = [](std::string_view address, std::string_view fresh, std::string_view expected = "r7") {
    return us_of(fmt::format("mov.u32 r5, s; {} add.u32 r5, r5, r6; mov.u32 r11, 9; ld.shared.u32 r6, [r5]; "
                             "L: mov.u32 r7, r6; {}; atom.shared.cas.b32 r6, [r5], {}, r8; setp.ne.u32 p, r6, r7; "
                             "@p bra L;",
                             address, fresh, expected),
                 {1});
  };
  constexpr std::string_view one = "mov.u32 r6, 0;", own = "shr.u32 r6, r3, 5; shl.b32 r6, r6, 2;";
  const double sums = swaps(one, "add.u32 r8, r7, 1"), sums_apart = swaps(own, "add.u32 r8, r7, 1");
  CHECK(sums_apart > 32 * 200 / 1980.0);  // a turn for each lane
  CHECK(sums > 256 * 250 / 1980.0);       // a turn for each lane of all warps
  // All but one lane find that maximum there, and what they swap for it is the same: nobody fails.
  CHECK(swaps(one, "max.u32 r8, r7, r11") < 0.1 * sums);
  CHECK(swaps(one, "max.u32 r8, r7, r11") < 0.5 * sums_apart);
  // Each of these is done once: what is there is what the loop found, and no lock.
  CHECK(swaps(one, "max.u32 r8, r7, r11", "1234567") < 0.1 * sums);
}

TEST_CASE("a branch that may part lanes has them meet again; one that all take alike has not") {
  const auto branches = [](std::string_view of) {
    std::string body = fmt::format("add.u32 r5, {}, 1; mov.u32 r6, 0;", of);
    for (int i = 0; i < 32; ++i)
      body +=
          fmt::format("setp.ne.u32 p, r5, {0}; @p bra B{0}; atom.global.add.u32 r7, [d9], 1; B{0}: add.u32 r6, r6, r5;",
                      100000 + i);
    return body + "cvt.rn.f32.u32 f1, r6;";
  };
  CHECK(us_of(branches("r4"), {2000}) > 1.5 * us_of(branches("r1"), {2000}));
}

TEST_CASE("branches out of a loop, and back, bring no lanes together in it") {
  const auto loop = [](bool leaves) {
    std::string body = "add.u32 r5, r4, 1; mov.u32 r6, 0; L:";
    for (int i = 0; i < 16; ++i)
      body += fmt::format(
          "setp.eq.u32 p, r5, {0}; @p bra {1}; bar.warp.sync -1; add.u32 r6, r6, r5; I{0}: add.u32 r6, r6, 3;",
          100000 + i, leaves ? "E" : fmt::format("I{}", 100000 + i));
    return body + "add.u32 r10, r10, 1; setp.lt.u32 p, r10, 8; @p bra L; E: cvt.rn.f32.u32 f1, r6;";
  };
  CHECK(us_of(loop(false), {66}) > 1.3 * us_of(loop(true), {66}));
}

TEST_CASE("code beyond what the instruction caches hold is fetched as it comes by") {
  const auto sums = [](int count) {
    std::string body = "mov.f32 f2, f1; add.f32 f3, f1, f1; mul.f32 f4, f3, f3;";
    for (int i = 0; i < count; ++i) body += fmt::format("fma.rn.f32 f{0}, f{0}, f{0}, f1;", 2 + i % 3);
    return body + "add.f32 f1, f2, f3; add.f32 f1, f1, f4;";
  };
  CHECK(us_of(sums(16384), {1}) > 5 * us_of(sums(4096), {1}));
}

TEST_CASE("a thread's words of local memory lie beside those of its warp: a line for each access") {
  const auto walk = [](std::string_view space, std::string_view address) {
    std::string body = fmt::format(
        ".local .align 4 .b8 own[64]; {} and.b32 r5, r4, 0; cvt.u64.u32 d6, r5; add.s64 d4, d4, d6;", address);
    for (int i = 0; i < 16; ++i) body += fmt::format("st.{}.f32 [d4+{}], f1;", space, 4 * (i % 4));
    return body;
  };
  // As much as stores of a line each to global memory, where no thread meets another.
  const double local = us_of(walk("local", "mov.u64 d4, own;"), {2000});
  const double global = us_of(walk("volatile.global", "mov.u64 d4, d2;"), {2000});
  CHECK(local > 0.5 * global);
}

TEST_CASE("a warp that comes back to several places in turn waits for them if anybody stores there") {
  const auto look = [](std::string_view store) {
    return fmt::format(
        "mov.u32 r6, 3; {} L: ld.volatile.global.u32 r5, [d8]; ld.volatile.global.u32 r5, [d8+4096]; "
        "ld.global.f32 f2, [d1]; sub.u32 r6, r6, 1; setp.ne.u32 p, r6, 0; @p bra L;",
        store);
  };
  CHECK(time_of(look("st.global.u32 [d8], r6;")).no_ground ==
        "its threads wait for what others do, and how long depends on who runs when");
  CHECK(time_of(look("")).no_ground.empty());
}

TEST_CASE("a comparison and a shuffle wait for what they are given, as an addition does") {
  const auto loop = [](std::string_view use) {
    return fmt::format(
        ".pragma \"nounroll\"; L: ld.global.f32 f2, [d1]; {} add.s64 d1, d1, 1024; add.u32 r10, r10, 1; "
        "setp.lt.u32 p, r10, 32; @p bra L;",
        use);
  };
  const double added = us_of(loop("add.f32 f1, f1, f2;"));
  const double compared = us_of(loop("setp.gt.f32 q, f2, f1; @q add.f32 f1, f1, f1;"));
  const double shuffled = us_of(loop("mov.b32 r5, f2; shfl.sync.bfly.b32 r6, r5, 1, 31, -1; xor.b32 r7, r7, r6;"));
  const double unused = us_of(loop(""));
  CHECK(added > 2 * unused);
  CHECK(compared > 0.95 * added);
  CHECK(shuffled > 0.95 * added);
}

TEST_CASE("what becomes a part of another instruction takes no room in the instruction caches") {
  // 9200 instructions, of which 5750 are left where loads of shared memory are joined by four: 128 KB hold 8800.
  const auto loop = [](int apart) {
    std::string body = "mov.u32 r6, s; .pragma \"nounroll\"; L: ";
    for (int i = 0; i < 4600; ++i)
      body += fmt::format("ld.shared.f32 f{0}, [r6+{1}]; fma.rn.f32 f1, f{0}, f{0}, f1;", 2 + i % 8, i * apart % 8192);
    return body + "add.u32 r10, r10, 1; setp.lt.u32 p, r10, 8; @p bra L;";
  };
  const double joined = us_of(loop(4), {1}), alone = us_of(loop(8), {1});
  CHECK(alone > 200);   // 1150 lines, each 50 cycles, eight times
  CHECK(joined < 160);  // 36 800 sums of eight warps, 4 cycles each, take 74
}

TEST_CASE("a matrix instruction waits for its sum, which another has just made") {
  const auto products = [](bool one_sum) {
    std::string body;
    for (int i = 0; i < 64; ++i)
      body += fmt::format(
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{f{0},f{1},f{2},f{3}}}, {{r20,r21,r22,r23}}, "
          "{{r24,r25}}, "
          "{{f{0},f{1},f{2},f{3}}};",
          one_sum ? 4 : 4 + i % 8 * 4, one_sum ? 5 : 5 + i % 8 * 4, one_sum ? 6 : 6 + i % 8 * 4,
          one_sum ? 7 : 7 + i % 8 * 4);
    return body + "add.f32 f1, f4, f1;";
  };
  CHECK(us_of(products(true), {1}) > us_of(products(false), {1}) + 0.3);
}

}  // namespace
}  // namespace gpulab::tests
