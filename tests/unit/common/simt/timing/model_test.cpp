#include "common/simt/timing/model.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "common/device/simulator/simulated.h"
#include "common/embedded.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// Each thread copies a word from `in` to `out`, then does `body` with it; n blocks of 256 threads.
std::string kernel(std::string_view body = {}, std::string_view before = {}) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
  .reg .pred p; .reg .b32 r<16>; .reg .f32 f<8>; .reg .b64 d<8>; .shared .align 16 .b8 s[4096];
  ld.param.u64 d1, [in]; ld.param.u64 d2, [out];
  mov.u32 r1, %ctaid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %tid.x; mad.lo.s32 r4, r1, r2, r3;
  mul.wide.u32 d3, r4, 4; add.s64 d1, d1, d3; add.s64 d2, d2, d3; mov.u32 r10, 0;
  {}
  ld.global.f32 f1, [d1];
  {}
  st.global.f32 [d2], f1;
  ret;
}}
)",
                     before, body);
}

/// What the model says of `blocks` blocks of 256 threads on an H200.
ModelledTime time_of(const std::string& ptx, std::uint32_t blocks, int threads = 1, std::uint32_t repeats = 1) {
  SimulatorOptions options;
  options.model = true;
  options.threads = threads;
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", ptx, {}});
  const std::vector<float> data(std::size_t{blocks} * 256, 1.5f);
  const auto in = upload(*device, data, "in"), out = upload(*device, data, "out");
  const auto found = device->kernel("k");
  device->time(
      [&] {
        for (std::uint32_t i = 0; i < repeats; ++i)
          device->launch(found, {{blocks, 1, 1}, {256, 1, 1}},
                         std::array{KernelArgument::of(in), KernelArgument::of(out)});
      },
      true);
  std::string why;
  const auto model = device->take_model(why);
  REQUIRE(model);
  CHECK(why.empty());
  return *model;
}

TEST_CASE("a large copy is bound by DRAM: twice the bytes take twice the time, at the bandwidth that was measured") {
  const auto ptx = kernel();
  const auto small = time_of(ptx, 1 << 15), large = time_of(ptx, 1 << 16);
  CHECK(small.bound == "dram_bandwidth");
  CHECK(large.ms > 1.7 * small.ms);
  CHECK(large.ms < 2.3 * small.ms);
  const double gbs = 2.0 * 4 * 256 * (1 << 16) / large.ms / 1e6;
  CHECK(gbs > 2000);
  CHECK(gbs < 4600);
}

TEST_CASE("a launch of one block takes little more than an empty one, and says so") {
  const auto one = time_of(kernel(), 1);
  CHECK(one.ms > 0.0027);
  CHECK(one.ms < 0.005);
  CHECK(one.bound == "launch");
  CHECK(one.sms_used == 1);
}

TEST_CASE("the modelled time does not depend on the number of CPU threads") {
  const auto ptx = kernel("bar.sync 0; fma.rn.f32 f1, f1, f1, f1;");
  const auto one = time_of(ptx, 5000, 1), four = time_of(ptx, 5000, 4);
  CHECK(one.ms == four.ms);
  CHECK(one.issue == four.issue);
  CHECK(one.achieved_occupancy == four.achieved_occupancy);
}

TEST_CASE("bank conflicts take time: 32 ways are slower than none") {
  const auto with_stride = [](int shift) {
    std::string body = fmt::format("and.b32 r5, r3, 31; shl.b32 r5, r5, {}; mov.u32 r6, s; add.u32 r6, r6, r5;", shift);
    for (int i = 0; i < 64; ++i) body += "ld.volatile.shared.f32 f2, [r6]; add.f32 f1, f1, f2;";
    return kernel(body);
  };
  const auto none = time_of(with_stride(2), 4000), all = time_of(with_stride(7), 4000);
  CHECK(all.ms > 8 * none.ms);
  CHECK(all.bound == "shared_bandwidth");
}

TEST_CASE("a chain of loads waits for each of them; loads side by side wait once") {
  std::string chain, beside;
  for (int i = 0; i < 4; ++i) {
    chain +=
        "ld.global.u32 r5, [d1+4096]; and.b32 r5, r5, 0; cvt.u64.u32 d4, r5; add.s64 d1, d1, d4; add.s64 d1, d1, 4096;";
    beside += fmt::format("ld.global.u32 r{}, [d1+{}];", 5 + i, 4096 * (i + 1));
  }
  beside += "add.u32 r5, r5, r6; add.u32 r5, r5, r7; add.u32 r5, r5, r8;";
  const auto ptx_of = [](const std::string& loads) { return kernel("", "setp.gt.u32 p, r1, 0; @p ret;" + loads); };
  const auto one = time_of(ptx_of(chain), 64), other = time_of(ptx_of(beside), 64);
  CHECK(one.ms - other.ms > 2 * 0.0003);  // two latencies of DRAM and more
}

TEST_CASE("the time of warps adds up to one, and most of it goes where the kernel lets them wait") {
  const auto warps_of = [](const std::string& step, std::uint32_t blocks) {
    std::string body = "and.b32 r5, r3, 31; shl.b32 r5, r5, 2; mov.u32 r6, s; add.u32 r6, r6, r5;";
    for (int i = 0; i < 512; ++i) body += step;  // long beside the copy
    const auto warps = time_of(kernel(body), blocks).warps;
    CHECK(std::abs(warps.issue + warps.memory + warps.shared + warps.barrier + warps.result - 1) < 1e-9);
    return warps;
  };
  CHECK(warps_of("fma.rn.f32 f1, f1, f1, f1;", 64).result > 0.5);
  CHECK(warps_of("", 64).memory > 0.5);
  // A chain of addresses through shared memory.
  CHECK(warps_of("ld.volatile.shared.u32 r7, [r6]; and.b32 r7, r7, 0; add.u32 r6, r6, r7;", 64).shared > 0.5);
  CHECK(warps_of("bar.sync 0;", 64).barrier > 0.5);
  // As many independent additions as two SMs' worth of warps can issue.
  CHECK(warps_of("add.s32 r7, r5, 1; add.s32 r8, r5, 2; add.s32 r5, r7, r8;", 4000).issue > 0.5);
}

TEST_CASE("floating-point atomics at one address go lane by lane; a warp's integers go as one") {
  const auto real = time_of(kernel("red.global.add.f32 [d5], f1;", "ld.param.u64 d5, [out];"), 1000);
  const auto whole = time_of(kernel("red.global.add.u32 [d5], r4;", "ld.param.u64 d5, [out];"), 1000);
  CHECK(real.bound == "atomics");
  CHECK(real.ms > 10 * whole.ms);
}

TEST_CASE("a second launch finds in L2 what the first has brought") {
  const auto once = time_of(kernel(), 2000, 1, 1), twice = time_of(kernel(), 2000, 1, 2);
  CHECK(twice.ms > once.ms);
  CHECK(twice.ms < 2 * once.ms);
}

TEST_CASE("a loop that the source forbids to unroll is slower than one that ptxas unrolls") {
  const auto loop = [](std::string_view pragma) {
    constexpr auto text =
        "ld.param.u64 d6, [in]; mul.wide.u32 d7, r3, 4; add.s64 d6, d6, d7; {} L: ld.global.f32 f2, [d6]; add.f32 f3, "
        "f3, f2; "
        "add.s64 d6, d6, 1024; add.u32 r10, r10, 1; setp.lt.u32 p, r10, 32; @p bra L;";
    return kernel("", fmt::format(text, pragma));
  };
  const auto unrolled = time_of(loop(""), 132), kept = time_of(loop(".pragma \"nounroll\";"), 132);
  CHECK(kept.ms > 1.5 * unrolled.ms);
}

TEST_CASE("blocks that grow along the grid take about as long as as many that are alike") {
  // Block b, or each, goes through its loop so often: the same sum.
  const auto loop = [](std::string_view turns) {
    return kernel(
        fmt::format("{} mov.u32 r11, 0;\nL: .pragma \"nounroll\"; mad.lo.s32 r10, r10, r3, r11; xor.b32 r10, r10, r11; "
                    "add.u32 r11, r11, 1; setp.lt.u32 p, r11, r12; @p bra L; st.global.u32 [d2], r10;",
                    turns));
  };
  const double growing = time_of(loop("shr.u32 r12, r1, 2;"), 4096).ms,
               alike = time_of(loop("mov.u32 r12, 512;"), 4096).ms;
  CHECK(growing < 1.5 * alike);
  CHECK(growing > alike / 1.5);
}

TEST_CASE("of a block that is too long to be traced whole all warps are traced in part: they wait side by side") {
  const auto turns = [](int count) {
    return kernel(
        fmt::format("mov.u32 r11, {}; L: ld.global.f32 f2, [d1]; add.f32 f1, f1, f2; "
                    "sub.u32 r11, r11, 1; setp.ne.u32 p, r11, 0; @p bra L;",
                    count));
  };
  const double whole = time_of(turns(20'000), 1).ms, cut = time_of(turns(400'000), 1).ms;
  CHECK(cut > 19 * whole);
  CHECK(cut < 21 * whole);
}

/// Milliseconds of two launches of one block, each a run of its own, on a simulator with a cold or an empty L2.
std::array<double, 2> two_runs(const std::string& ptx, bool of_program) {
  SimulatorOptions options;
  options.model = true;
  options.empty_l2 = of_program;
  const auto device = make_simulator(gpu_profile("h100"), options);
  device->load({"k.ptx", ptx, {}});
  const std::vector<float> data(256, 1.5f);
  const auto in = upload(*device, data, "in"), out = upload(*device, data, "out");
  std::array<double, 2> ms{};
  for (double& run : ms) {
    device->time(
        [&] {
          device->launch(device->kernel("k"), {{1, 1, 1}, {256, 1, 1}},
                         std::array{KernelArgument::of(in), KernelArgument::of(out)});
        },
        true);
    std::string why;
    run = device->take_model(why).value().ms;
  }
  return ms;
}

TEST_CASE("a whole program's first launch of a kernel fetches its code; later ones, and those of a lab, find it") {
  std::string body;
  for (int i = 0; i < 1600; ++i) body += "fma.rn.f32 f1, f1, f1, f1; ";
  const auto program = two_runs(kernel(body), true), lab = two_runs(kernel(body), false);
  constexpr double cycles = 25 * 1600 / 8;
  CHECK(program[0] - program[1] > 0.7 * cycles / 1.98e6);
  CHECK(program[0] - program[1] < 1.1 * cycles / 1.98e6);
  CHECK(lab[0] == lab[1]);
}

TEST_CASE("whoever does not ask gets no modelled time") {
  const auto device = make_simulator(gpu_profile("h200"));
  device->time([] {}, true);
  std::string why;
  CHECK_FALSE(device->take_model(why));
}

TEST_CASE("a GPU of which nobody knows the latencies has no modelled time") {
  CHECK(simt::gpu_timing("h200") != nullptr);
  CHECK(simt::gpu_timing("gtx970") == nullptr);
}

TEST_CASE("numbers of a GPU that come from a file are not validated, and the time follows from them") {
  std::string text;
  for (const EmbeddedFile& file : embedded_configs())
    if (file.path == "timing/h200.json") text = file.text;
  const auto at = text.find("\"value\": ", text.find("\"clock\"")) + 9;
  text.replace(at, text.find(',', at) - at, "0.99");
  CHECK(simt::timing_of("t4", text, "mine.json").clock_ghz == 0.99);
  CHECK(simt::timing_of("t4", text, "mine.json").gpu == "t4");
  CHECK_FALSE(simt::timing_of("t4", text, "mine.json").validated);
  SimulatorOptions options;
  options.model = true;
  const auto ptx = kernel();
  const auto modelled = [&](const std::string& profile) {
    const auto device = make_simulator(gpu_profile(profile), options);
    device->load({"k.ptx", ptx, {}});
    const auto in = upload(*device, std::vector<float>(256), "in");
    device->time(
        [&] {
          device->launch(device->kernel("k"), {{1, 1, 1}, {256, 1, 1}},
                         std::array{KernelArgument::of(in), KernelArgument::of(in)});
        },
        true);
    std::string why;
    return device->take_model(why);
  };
  const auto usual = modelled("h200"), estimate = modelled("t4");
  REQUIRE((usual && estimate));
  CHECK(usual->validated);
  CHECK_FALSE(estimate->validated);
  CHECK(estimate->high_ms / estimate->low_ms > usual->high_ms / usual->low_ms);
  options.timing = text;
  const auto slow = modelled("h200"), told = modelled("t4");
  REQUIRE((slow && told));
  CHECK(slow->ms > usual->ms);
  CHECK(told->ms != estimate->ms);
}

}  // namespace
}  // namespace gpulab::tests
