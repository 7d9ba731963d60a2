#include <fmt/format.h>

#include <string>

#include "common/device/simulator/simulated.h"
#include "common/simt/timing/trace/trace.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

constexpr std::uint32_t kBlocks = 1056;  ///< of 256 threads: eight on each SM

/// printf, and a text for it.
constexpr std::string_view kPrintf =
    R"(.extern .func (.param .b32 count) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[3] = {104, 105, 0};
)";

auto modelling(std::string_view gpu) {
  SimulatorOptions options;
  options.model = true;
  options.threads = 1;
  return make_simulator(gpu_profile(gpu), options);
}

ModelledTime time_of(std::string_view body, std::size_t words = kBlocks + 1, std::uint32_t blocks = kBlocks) {
  const auto device = modelling("h100");
  const std::string ptx = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
{}.visible .entry k(.param .u64 data) {{
  .reg .pred p, q; .reg .b32 r<16>; .reg .b64 d<8>;
  ld.param.u64 d1, [data]; mov.u32 r1, %ctaid.x; mov.u32 r2, %tid.x; mov.u32 r3, 0;
  mul.wide.u32 d2, r1, 4; add.s64 d2, d2, d1; setp.ne.u32 p, r2, 0;
  {}
DONE:
  ret;
}}
)",
                                      kPrintf, body);
  device->load({"k.ptx", ptx, {}});
  const auto data = upload(*device, std::vector<std::uint32_t>(words, 1), "data");
  device->time(
      [&] {
        device->launch(device->kernel("k"), {{blocks, 1, 1}, {256, 1, 1}}, std::array{KernelArgument::of(data)});
      },
      true);
  std::string why;
  return device->take_model(why).value();
}

constexpr std::string_view kPoll = "L: atom.global.add.u32 r4, [d2], 0; setp.eq.u32 q, r4, 0; @q bra L; ";
constexpr std::string_view kPass = "atom.global.add.u32 r5, [d2+4], 1; ";

TEST_CASE(
    "blocks that each wait for the one before take a link's time each, and the model says that it has no ground") {
  const auto chain = time_of(fmt::format("@p bra DONE; {}{}", kPoll, kPass));
  CHECK(chain.ms > kBlocks * 0.0003);
  CHECK(chain.ms < kBlocks * 0.00035);
  CHECK(chain.no_ground.starts_with("its threads wait for what others do"));
}

TEST_CASE(
    "the first block of a chain need not wait, and a link takes what a block does before it lets the next one go") {
  // Flags behind the sums: a block looks at its flag, loads the sum, stores the next one's, a fence, and its flag.
  constexpr std::string_view sums = "@p bra DONE; add.s64 d3, d2, 4228; setp.eq.u32 q, r1, 0; @q bra FIRST; ";
  constexpr std::string_view poll = "L: atom.global.add.u32 r4, [d3], 0; setp.eq.u32 q, r4, 9; @q bra L; ";
  constexpr std::string_view load = "ld.global.u32 r5, [d2]; add.u32 r5, r5, 1; st.global.u32 [d2+4], r5; ";
  constexpr std::string_view pass = "atom.global.exch.b32 r6, [d3+4], 1; bra DONE; ";
  const auto chain = [&](std::string_view before_pass) {
    return time_of(fmt::format("{}{}{}{} FIRST: {}", sums, poll, before_pass, pass, pass), 2 * kBlocks + 3);
  };
  const auto bare = chain(""), loads = chain(load), fenced = chain(fmt::format("{} membar.gl; ", load));
  CHECK(bare.ms > kBlocks * 0.0003);
  CHECK(bare.ms < kBlocks * 0.00035);
  CHECK(loads.ms - bare.ms > kBlocks * 0.00014);  // of L2, not of DRAM: the block before has just stored it
  CHECK(loads.ms - bare.ms < kBlocks * 0.00022);
  CHECK(fenced.ms > kBlocks * 0.0008);  // an H100 takes 0.85 us
  CHECK(fenced.ms < kBlocks * 0.0009);
}

TEST_CASE("blocks that take their number from a counter are a chain, too, and so are as many as there are SMs") {
  // The counter is behind the flags. One block of these is traced for the SM's time, the first.
  constexpr std::uint32_t blocks = 98;
  const auto chain = time_of(
      fmt::format("@p bra DONE; atom.global.add.u32 r1, [d1+8000], 1; sub.u32 r1, r1, 1; mul.wide.u32 d2, r1, 4; "
                  "add.s64 d2, d2, d1; setp.eq.u32 q, r1, 0; @q bra FIRST; "
                  "L: atom.global.add.u32 r4, [d2], 0; setp.eq.u32 q, r4, 0; @q bra L; FIRST: {}",
                  kPass),
      2001, blocks);
  CHECK(chain.ms > blocks * 0.0003);
  CHECK(chain.ms < blocks * 0.0004);
}

TEST_CASE("who takes numbers from a counter until all are gone shares them with all that run at once, without ground") {
  // A number is 32 dependent steps of a thread. Of 1056 blocks the simulator's first ones take all 8448.
  std::string work;
  for (int i = 0; i < 32; ++i) work += "mad.lo.u32 r7, r7, r7, r1; ";
  const auto queue = [&](std::string_view limit) {
    return time_of(
        fmt::format("setp.ne.u32 q, r2, 0; L: atom.global.add.u32 r4, [d1], 1; setp.ge.u32 q, r4, {}; "
                    "@q bra DONE; {} st.global.u32 [d2], r7; bra L; ",
                    limit, work));
  };
  const auto shared = queue("270337");  // as many as there are threads, and the word's own 1
  CHECK(shared.ms < 0.03);
  CHECK(shared.no_ground == "its threads take work from a counter, and how much each gets depends on who runs when");
  // What a counter says once, or where to store, is shared as it is.
  CHECK(time_of(fmt::format("atom.global.add.u32 r4, [d1], 1; setp.ge.u32 q, r4, 270337; @q bra DONE; {} "
                            "st.global.u32 [d2], r7; ",
                            work))
            .no_ground.empty());
  CHECK(time_of(fmt::format("L: atom.global.add.u32 r4, [d1], 1; {} and.b32 r4, r4, 7; mul.wide.u32 d4, r4, 4; "
                            "add.s64 d4, d4, d1; st.global.u32 [d4], r7; add.u32 r3, r3, 1; setp.lt.u32 q, r3, 4; "
                            "@q bra L; ",
                            work))
            .no_ground.empty());
}

TEST_CASE("atomics that change nothing are looks: who waits by them looks once, however often the simulator has it") {
  // Each block waits for the next one, which the simulator runs behind it.
  for (const char* op :
       {"or.b32 r4, [d2+4], 0", "and.b32 r4, [d2+4], -1", "max.u32 r4, [d2+4], 0", "min.u32 r4, [d2+4], 4294967295",
        "max.s32 r4, [d2+4], -2147483648", "cas.b32 r4, [d2+4], 7, 7", "cas.b32 r4, [d2+4], r7, 0",
        "cas.b32 r4, [d2+4], r1, r1", "add.u32 r4, [d2+4], r7"}) {
    const auto time = time_of(fmt::format(
        "@p bra DONE; mov.u32 r7, 0; atom.global.add.u32 r5, [d2], 1; setp.eq.u32 q, r1, 1055; @q bra DONE; "
        "L: atom.global.{}; setp.eq.u32 q, r4, 1; @q bra L; ",
        op));
    INFO(op);
    CHECK(time.ms < 0.01);
    CHECK(time.no_ground.starts_with("its threads wait for what others do"));
  }
}

TEST_CASE("blocks that store for the next one before they poll are no chain, nor those that poll one flag") {
  const auto look_back = time_of(fmt::format("@p bra DONE; {}{}{}", kPass, kPoll, kPass));
  const auto one_flag = time_of(fmt::format("@p bra DONE; mov.u64 d2, d1; {}", kPoll));
  const auto no_poll = time_of(fmt::format("@p bra DONE; atom.global.add.u32 r4, [d2], 0; {}", kPass));
  for (const auto& time : {look_back, one_flag, no_poll}) {
    CHECK(time.ms < 0.03);
    CHECK(time.no_ground.empty());
  }
}

TEST_CASE("who looks by an atomic that adds zero looks once, however often the simulator's turns have it look") {
  const auto time = time_of(
      "@p bra DONE; atom.global.add.u32 r5, [d2], 1; setp.eq.u32 q, r1, 1055; @q bra DONE; "
      "L: atom.global.add.u32 r4, [d2+4], 0; setp.eq.u32 q, r4, 1; @q bra L; ");
  CHECK(time.ms < 0.01);
  CHECK(time.no_ground.starts_with("its threads wait for what others do"));
}

TEST_CASE("a warp's compare-and-swaps at one address go lane by lane, its additions as one") {
  const auto swap = time_of("atom.global.cas.b32 r5, [d1], r1, 2; "), add = time_of("red.global.add.u32 [d1], 1; ");
  CHECK(swap.ms > 0.19);  // 8448 warps of 32 lanes, 1.45 cycles each
  CHECK(swap.ms < 0.21);
  CHECK(add.ms < 0.02);
}

TEST_CASE("exchanges and counters that wrap go lane by lane, too; minima and bits as one") {
  for (const char* op : {"exch.b32 r5, [d1], r1", "inc.u32 r5, [d1], 17", "dec.u32 r5, [d1], 17"}) {
    const auto time = time_of(fmt::format("atom.global.{}; ", op));
    CHECK(time.ms > 0.19);
    CHECK(time.ms < 0.21);
  }
  CHECK(time_of("atom.global.min.u32 r5, [d1], r1; atom.global.xor.b32 r5, [d1], r1; ").ms < 0.04);
}

TEST_CASE(
    "a warp that prints takes as long as on an H100, 1056 of them 2 us each; who could print takes no such time") {
  const auto print_of = [](int thread) {
    return time_of(
        fmt::format("setp.ne.u32 q, r2, {}; @q bra DONE; mov.u64 d3, text; cvta.global.u64 d4, d3; mov.u64 d5, 0; {{ "
                    ".param .b64 a0; "
                    ".param .b64 a1; .param .b32 c; st.param.b64 [a0], d4; st.param.b64 [a1], d5; "
                    "call.uni (c), vprintf, (a0, a1); ld.param.b32 r6, [c]; }}",
                    thread));
  };
  const auto prints = print_of(0);  // 2.19 ms as measured, of three characters
  CHECK(prints.ms > 2.1);
  CHECK(prints.ms < 2.3);
  CHECK(prints.no_ground.empty());
  CHECK(prints.high_ms > 2 * prints.low_ms);
  CHECK(print_of(256).ms < 0.02);
}

TEST_CASE("swaps at one address that are tried again until they succeed take two round trips each") {
  const auto retried = time_of(
      "@p bra DONE; ld.global.u32 r4, [d1]; L: mov.u32 r5, r4; add.s32 r6, r5, 1; atom.global.cas.b32 r4, [d1], r5, "
      "r6; setp.ne.s32 q, r4, r5; @q bra L; ");
  CHECK(retried.ms > 0.32);  // 1056 lanes, each 618 cycles
  CHECK(retried.ms < 0.36);
  CHECK(time_of("@p bra DONE; atom.global.cas.b32 r4, [d1], r3, 1; ").ms < 0.02);
}

TEST_CASE("of swaps at one address the longer each takes, the more lanes wait: of a warp each those that are left") {
  const auto ms_of_success = [](int lanes, int times) {
    const auto time = time_of(
        fmt::format("setp.ge.u32 p, r2, {}; @p bra DONE; mov.u32 r8, 0; R: ld.global.u32 r4, [d1]; L: mov.u32 r5, r4; "
                    "add.s32 r6, r5, 1; atom.global.cas.b32 r4, [d1], r5, r6; setp.ne.s32 q, r4, r5; @q bra L; "
                    "add.u32 r8, r8, 1; setp.lt.u32 q, r8, {}; @q bra R; ",
                    lanes, times));
    return time.ms / (kBlocks * lanes * times);
  };
  using Catch::Detail::Approx;
  constexpr double cycle = 1 / 1.98e6;
  CHECK(ms_of_success(1, 8) == Approx(882 * cycle).epsilon(0.1));  // an H100, 1056 warps, as both below
  CHECK(ms_of_success(8, 8) == Approx(3260 * cycle).epsilon(0.1));
  CHECK(ms_of_success(32, 2) == Approx(6970 * cycle).epsilon(0.2));
}

TEST_CASE("who copies by a tensor map has no ground; other bulk copies have one") {
  CHECK(time_of("cp.async.bulk.prefetch.tensor.1d.L2.global [d1, {r1}]; ").no_ground ==
        "it copies by tensor maps, and what such copies take has not been measured");
  CHECK(time_of("cp.async.bulk.prefetch.L2.global [d1], 16; ").no_ground.empty());
}

TEST_CASE("who goes round until a clock says so has no ground; who only reads the clock has one") {
  constexpr std::string_view begin = "mov.u64 d3, %clock64; ", end = "mov.u64 d4, %clock64; sub.s64 d5, d4, d3; ";
  const auto waits = time_of(fmt::format("{} L: {} setp.lt.s64 q, d5, 1000; @q bra L;", begin, end));
  CHECK(waits.no_ground == "its threads wait until a clock says that it is time, and the simulator's clock is its own");
  const auto takes = time_of(fmt::format("{} L: add.u32 r3, r3, 1; setp.lt.u32 q, r3, 9; @q bra L; {}", begin, end));
  CHECK(takes.no_ground.empty());
}

TEST_CASE("warps that find others' result in the simulator would swap on a GPU, all of the first wave, lane by lane") {
  constexpr std::string_view look = "ld.global.u32 r4, [d1]; ";
  const auto swaps =
      time_of(fmt::format("{} setp.ne.u32 q, r1, 0; @q bra DONE; atom.global.cas.b32 r5, [d1], r4, 2;", look));
  const auto only_looks = time_of(fmt::format("{} add.u32 r5, r4, 1;", look));
  // 8448 warps of 32 lanes, 1.45 cycles each
  CHECK(swaps.ms > 0.19);
  CHECK(swaps.ms < 0.21);
  CHECK(swaps.no_ground.starts_with("its threads swap at one address"));
  CHECK(only_looks.ms < 0.02);
  CHECK(only_looks.no_ground.empty());
}

/// Six planes of 8 MB, of which each block reads 8 KB of its own plane and of the next one, on a GPU with 4 MB of L2.
/// `near`: who reads the same sectors runs side by side; else a plane later.
double planes_ms(bool near) {
  constexpr std::uint32_t planes = 6, chunks = 1024;
  const auto device = modelling("t4");
  const std::string ptx = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data) {{
  .reg .b32 r<8>; .reg .b64 d<4>;
  ld.param.u64 d1, [data]; mov.u32 r1, %ctaid.{}; mov.u32 r2, %ctaid.{}; mov.u32 r3, %tid.x;
  mad.lo.u32 r4, r1, {}, r2; mad.lo.u32 r4, r4, 256, r3; mul.wide.u32 d2, r4, 32; add.s64 d2, d2, d1;
  ld.global.u32 r5, [d2]; ld.global.u32 r6, [d2+{}];
  ret;
}}
)",
                                      near ? "x" : "z", near ? "z" : "x", chunks, chunks * 8192);
  device->load({"k.ptx", ptx, {}});
  const auto data = upload(*device, std::vector<std::uint32_t>((planes + 1) * std::size_t{chunks} * 2048), "data");
  const Dim3 grid = near ? Dim3{planes, 1, chunks} : Dim3{chunks, 1, planes};
  device->time(
      [&] {
        device->launch(device->kernel("k"), {grid, {256, 1, 1}}, std::array{KernelArgument::of(data)});
      },
      true);
  std::string why;
  return device->take_model(why).value().ms;
}

TEST_CASE("what a block of the plane before has brought has left L2 where a plane is larger; a neighbour's is there") {
  const double near = planes_ms(true), far = planes_ms(false);
  CHECK(far > 1.5 * near);
  CHECK(far < 2.2 * near);
}

}  // namespace
}  // namespace gpulab::tests
