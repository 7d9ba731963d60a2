// What the code says by itself, seen by what a launch tells of its lines.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// Of one warp: its first float of `out` is in f1, the double behind it is at d2. `before`: what stands in front of the
/// kernel.
LaunchLines lines_of(std::string_view body, std::string_view before = "") {
  const std::string ptx = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
{}
.visible .entry k(.param .u64 out, .param .f64 factor) {{
  .reg .pred p; .reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 d<9>; .reg .f64 e<9>; .shared .align 16 .b8 s[256];
  ld.param.u64 d1, [out]; ld.global.f32 f1, [d1]; add.s64 d2, d1, 8;
  {}
  ret;
}}
)",
                                      before, body);
  SimulatorOptions options;
  options.lines = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("h200"), options);
  device->load({"k.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<float>(256, 1), "out");
  device->launch(device->kernel("k"), {{1, 1, 1}, {32, 1, 1}},
                 std::array{KernelArgument::of(out), KernelArgument::of(2.0)});
  auto lines = device->take_lines();
  REQUIRE(lines.size() == 1);
  return std::move(lines.front());
}

std::uint64_t doubles_of(std::string_view body, std::string_view before = "") {
  std::uint64_t sum = 0;
  for (const auto& line : lines_of(body, before).doubles) sum += line.instructions;
  return sum;
}

}  // namespace

TEST_CASE("double arithmetic between a float and a float is told, conversions included") {
  constexpr const char* there_and_back =
      "cvt.f64.f32 e1, f1; fma.rn.f64 e2, e1, 0d3FE0000000000000, 0d4000000000000000; cvt.rn.f32.f64 f2, e2; "
      "st.global.f32 [d1], f2;";
  CHECK(doubles_of(there_and_back) == 3);
  CHECK(doubles_of("st.global.f32 [d1], f1;") == 0);
  CHECK(doubles_of("cvt.f64.f32 e1, f1; mul.f64 e2, e1, e1; .reg .b64 b; mov.b64 b, e2; cvt.rn.f32.f64 f2, e2; "
                   "st.global.f32 [d1], f2;") == 3);
}

TEST_CASE("a kernel with a double of its own means its double arithmetic") {
  constexpr const char* kept[] = {
      "cvt.f64.f32 e1, f1; mul.f64 e2, e1, e1; st.global.f64 [d2], e2;",
      "cvt.f64.f32 e1, f1; mul.f64 e2, e1, e1; st.shared.b64 [s], e2;",
      "cvt.f64.f32 e1, f1; ld.global.f64 e2, [d2]; mul.f64 e3, e2, e1; cvt.rn.f32.f64 f2, e3; st.global.f32 [d1], f2;",
      "cvt.f64.f32 e1, f1; ld.param.f64 e2, [factor]; mul.f64 e3, e2, e1; cvt.rn.f32.f64 f1, e3; st.global.f32 [d1], "
      "f1;",
  };
  for (const char* body : kept) CHECK(doubles_of(body) == 0);
  // What comes from whole numbers is the C library's reduction of angles.
  CHECK(doubles_of("cvt.rn.f64.s64 e1, d1; mul.f64 e2, e1, 0d3BF921FB54442D19; cvt.rn.f32.f64 f2, e2; st.global.f32 "
                   "[d1], f2;") == 0);
}

TEST_CASE("a table of the C library's is no double of the kernel's") {
  constexpr const char* body =
      "cvt.f64.f32 e1, f1; mov.u64 d3, TABLE; add.s64 d4, d3, 8; ld.global.nc.f64 e2, [d4]; mul.f64 e3, e1, e2; "
      "cvt.rn.f32.f64 f2, e3; st.global.f32 [d1], f2;";
  const auto with = [&](const std::string& name) {
    std::string text = body;
    text.replace(text.find("TABLE"), 5, name);
    return doubles_of(text, ".global .align 8 .f64 " + name + "[2] = {0d3FE0000000000000, 0d4000000000000000};");
  };
  CHECK(with("__cudart_sin_cos_coeffs") == 3);
  CHECK(with("mine") == 0);
}

TEST_CASE("what the C library's functions are given and give back is their own business") {
  constexpr const char* body =
      "cvt.f64.f32 e1, f1; { .param .b64 param0; .param .b64 ret; st.param.f64 [param0+0], e1; call.uni (ret), NAME, "
      "(param0); ld.param.f64 e2, [ret+0]; } cvt.rn.f32.f64 f2, e2; st.global.f32 [d1], f2;";
  const auto with = [&](const std::string& name) {
    std::string text = body;
    text.replace(text.find("NAME"), 4, name);
    return doubles_of(text,
                      ".func (.param .b64 back) " + name +
                          "(.param .b64 x) { .reg .f64 e<3>; ld.param.f64 e1, [x]; mul.f64 e2, e1, e1; st.param.f64 "
                          "[back+0], e2; ret; }");
  };
  CHECK(with("__internal_accurate_pow") == 3);
  CHECK(with("mine") == 0);
}

TEST_CASE("a kernel leaves nothing where it only computes, loads and keeps values of its block") {
  CHECK(lines_of("").leaves_nothing);
  CHECK(lines_of("add.f32 f2, f1, f1; st.shared.f32 [s], f2; bar.sync 0;").leaves_nothing);
  constexpr const char* seen[] = {
      "st.global.f32 [d1], f1;",
      "st.f32 [d1], f1;",
      "mov.u32 r1, 1; red.global.add.u32 [d1], r1;",
      "atom.global.add.u32 r2, [d1], 1;",
      "mov.u32 r1, %clock;",
      "ld.volatile.global.u32 r1, [d1];",
      "mov.u32 r1, 5; setp.eq.u32 p, r1, 6; @p trap;",
      "nanosleep.u32 10;",
  };
  for (const char* body : seen) CHECK_FALSE(lines_of(body).leaves_nothing);
  CHECK_FALSE(lines_of("call f, ();", ".func f () { ret; }").leaves_nothing);
}

}  // namespace gpulab::tests
