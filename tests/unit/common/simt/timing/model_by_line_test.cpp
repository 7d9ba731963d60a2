#include <array>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/simt/timing/model.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// Lane l of each warp reads word 32 l of shared memory, again and again, then a barrier; lines are those of the PTX.
constexpr const char* conflicts = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred p; .reg .b32 r<16>; .reg .b64 d<8>; .shared .align 16 .b8 s[16384];
  ld.param.u64 d1, [out]; mov.u32 r1, %tid.x; and.b32 r2, r1, 31; mul.lo.u32 r2, r2, 128; mov.u32 r3, s; add.u32 r3, r3, r2;
  mov.u32 r4, 0; mov.u32 r6, 0;
L:
  ld.shared.u32 r5, [r3];
  add.u32 r6, r6, r5; add.u32 r4, r4, 1; setp.lt.u32 p, r4, 64; @p bra L;
  bar.sync 0;
  mul.wide.u32 d3, r1, 4; add.s64 d1, d1, d3;
  st.global.u32 [d1], r6;
  ret;
}
)";
constexpr std::uint32_t shared_load = 9, barrier = 11;

LaunchTime time_of(const char* ptx) {
  SimulatorOptions options;
  options.model = options.lines = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<float>(256), "out");
  const auto found = device->kernel("k");
  device->time([&] { device->launch(found, {{132, 1, 1}, {256, 1, 1}}, std::array{KernelArgument::of(out)}); }, true);
  const auto lines = device->take_lines();
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].time);
  std::string why;
  CHECK(device->take_model(why)->ms == Catch::Detail::Approx(lines[0].time->ms));
  return *lines[0].time;
}

TEST_CASE("the time of a launch is its lines', each with what warps wait for there") {
  const auto time = time_of(conflicts);
  double sum = 0;
  for (const auto& line : time.lines) sum += line.total();
  CHECK(sum == Catch::Detail::Approx(time.kernel_ms));
  const auto of = [&](std::uint32_t number) {
    for (const auto& line : time.lines)
      if (line.line == number) return line;
    return LineTime{};
  };
  CHECK(of(shared_load).shared > 0.5 * time.kernel_ms);
  CHECK(of(barrier).barrier > 0);
  CHECK(of(shared_load).barrier == 0);
}

TEST_CASE("without its bank conflicts a launch would take less, and that is told of their line") {
  const auto time = time_of(conflicts);
  REQUIRE(time.what_ifs.size() == 1);
  CHECK(time.what_ifs[0].line == shared_load);
  CHECK(time.what_ifs[0].kind == "bank_conflict");
  CHECK(time.what_ifs[0].ms < 0.7 * time.ms);
}

/// Thread t of block b adds up words (b + k * blocks) * 256 + t of `in`, for k below `count`.
constexpr const char* sums = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 count) {
  .reg .pred p; .reg .b32 r<16>; .reg .b64 d<8>;
  ld.param.u64 d1, [in]; ld.param.u32 r7, [count]; mov.u32 r1, %tid.x; mov.u32 r2, %ctaid.x; mov.u32 r3, %nctaid.x;
  shl.b32 r2, r2, 8; add.u32 r2, r2, r1; mul.wide.u32 d2, r2, 4; add.s64 d2, d1, d2;
  shl.b32 r3, r3, 10; cvt.u64.u32 d3, r3; mov.u32 r4, 0; mov.u32 r6, 0;
L:
  ld.global.u32 r5, [d2];
  add.u32 r6, r6, r5; add.s64 d2, d2, d3; add.u32 r4, r4, 1; setp.lt.u32 p, r4, r7; @p bra L;
  st.global.u32 [d1], r6;
  ret;
}
)";
constexpr std::uint32_t all_sms = 132, blocks_of_work = all_sms * 64;

LaunchTime sums_by(std::uint32_t blocks, std::uint32_t count) {
  SimulatorOptions options;
  options.model = options.lines = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", sums, {}});
  const auto in = upload(*device, std::vector<float>(std::size_t{blocks_of_work} * 256), "in");
  const auto found = device->kernel("k");
  const std::array arguments{KernelArgument::of(in), KernelArgument::of(count)};
  device->time([&] { device->launch(found, {{blocks, 1, 1}, {256, 1, 1}}, arguments); }, true);
  const auto lines = device->take_lines();
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].time);
  return *lines[0].time;
}

std::optional<double> with_all_sms(const LaunchTime& time) {
  for (const auto& what : time.what_ifs)
    if (what.kind == "idle_sms") return what.ms;
  return std::nullopt;
}

TEST_CASE("what idle SMs could do is what the same work takes that is spread over them") {
  for (const std::uint32_t blocks : {1u, 33u}) {
    INFO(blocks << " blocks");
    const auto few = sums_by(blocks, blocks_of_work / blocks), all = sums_by(all_sms, blocks_of_work / all_sms);
    REQUIRE(with_all_sms(few));
    CHECK(few.ms > 2 * all.ms);
    CHECK(*with_all_sms(few) == Catch::Detail::Approx(all.ms).epsilon(0.15));
    CHECK_FALSE(with_all_sms(all));
  }
}

/// A lane of each block adds to one word; lines are those of the PTX.
constexpr const char* one_word = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred p; .reg .b32 r<4>; .reg .f32 f; .reg .b64 d;
  ld.param.u64 d, [out]; mov.u32 r1, %tid.x; setp.ne.u32 p, r1, 0; mov.f32 f, 0f3F800000;
  @p bra END;
  red.global.add.f32 [d], f;
END:
  ret;
}
)";

TEST_CASE("atomics of many blocks that queue at one address are told of their line, those of few are not") {
  for (const std::uint32_t blocks : {10u, 50000u}) {
    INFO(blocks << " blocks");
    SimulatorOptions options;
    options.model = options.lines = true;
    options.threads = 1;
    const auto device = make_simulator(gpu_profile("h200"), options);
    device->load({"k.ptx", one_word, {}});
    const auto out = upload(*device, std::vector<float>(1), "out");
    const auto found = device->kernel("k");
    device->time(
        [&] {
          device->launch(found, {{blocks, 1, 1}, {32, 1, 1}}, std::array{KernelArgument::of(out)});
        },
        true);
    const auto lines = device->take_lines();
    REQUIRE(lines.at(0).time);
    const auto& what_ifs = lines[0].time->what_ifs;
    REQUIRE(what_ifs.size() == (blocks > 1000 ? 1 : 0));
    if (what_ifs.empty()) continue;
    CHECK(what_ifs[0].line == 8);
    CHECK(what_ifs[0].kind == "queue");
    // Adding at one address costs 3.5 cycles, the start of a block 1.2.
    CHECK(what_ifs[0].ms < 0.6 * lines[0].time->ms);
  }
}

TEST_CASE("a kernel that is too short to be shared is promised nothing of idle SMs") {
  CHECK_FALSE(with_all_sms(sums_by(1, 50)));
}

/// Sixteen multiplications one after another, in `type` ("f64" with what converts to it and back).
std::string multiplies(bool doubles) {
  std::string body;
  for (int i = 0; i < 16; ++i)
    body += doubles
                ? "  cvt.f64.f32 e, f; fma.rn.f64 e, e, 0d3FE0000000000000, 0d4000000000000000; cvt.rn.f32.f64 f, e;\n"
                : "  fma.rn.f32 f, f, 0f3F000000, 0f40000000;\n";
  return R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 r<4>; .reg .f32 f; .reg .f64 e; .reg .b64 d<4>; .shared .align 16 .b8 s[32768];
  ld.param.u64 d1, [out]; mov.u32 r1, %tid.x; mul.wide.u32 d2, r1, 4; add.s64 d1, d1, d2; ld.global.f32 f, [d1];
  st.shared.f32 [s], f;
)" + body +
         "  st.global.f32 [d1], f;\n  ret;\n}\n";
}

LaunchTime of_launch(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads) {
  SimulatorOptions options;
  options.model = options.lines = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("rtx4090"), options);
  device->load({"k.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<float>(1024), "out");
  const auto found = device->kernel("k");
  device->time(
      [&] {
        device->launch(found, {{blocks, 1, 1}, {threads, 1, 1}}, std::array{KernelArgument::of(out)});
      },
      true);
  const auto lines = device->take_lines();
  REQUIRE(lines.at(0).time);
  return *lines[0].time;
}

TEST_CASE("double arithmetic on floats is timed again as float, and takes what float takes") {
  const auto doubles = of_launch(multiplies(true), 1280, 256), floats = of_launch(multiplies(false), 1280, 256);
  REQUIRE(doubles.in_float_ms);
  CHECK(*doubles.in_float_ms < 0.7 * doubles.ms);
  CHECK(*doubles.in_float_ms == Catch::Detail::Approx(floats.ms).epsilon(0.02));
  CHECK_FALSE(floats.in_float_ms);
}

TEST_CASE("an SM that few warps fit on is timed again with as many as there are places for") {
  const auto few = of_launch(multiplies(false), 5000, 32);  // by 32 KiB of shared memory
  REQUIRE(few.more_resident_ms);
  CHECK(*few.more_resident_ms < few.ms);
  CHECK_FALSE(of_launch(multiplies(false), 100, 32).more_resident_ms);    // all blocks are there at once
  CHECK_FALSE(of_launch(multiplies(false), 5000, 512).more_resident_ms);  // warps enough
}

}  // namespace
}  // namespace gpulab::tests
