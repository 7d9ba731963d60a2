// Divisions and roots whose operands take a subroutine.
#include "common/simt/timing/trace/slow_ways.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "common/device/simulator/simulated.h"
#include "tests/catch.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

/// 64 divisions of each thread's a by b; lane 3 alone has `odd` for a.
double us_of(std::string_view opcode, std::string_view a, std::string_view b, std::string_view odd = "") {
  const bool is_double = opcode.ends_with("f64");
  const std::string type = is_double ? "f64" : "f32", letter = is_double ? "g" : "f";
  std::string ptx = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .pred p; .reg .b32 r<4>; .reg .f32 f<8>; .reg .f64 g<8>; .reg .b64 d<4>;
  ld.param.u64 d1, [out]; mov.u32 r1, %tid.x; mul.wide.u32 d2, r1, 8; add.s64 d1, d1, d2; setp.eq.u32 p, r1, 3;
  mov.{0} {1}1, {2}; mov.{0} {1}2, {3}; @p mov.{0} {1}1, {4};
)",
                                type, letter, a, b, odd.empty() ? a : odd);
  // What it has computed once ptxas does not compute again: the operand is brought anew each time.
  constexpr int operand = 1 << 17;
  ptx += fmt::format("st.global.{} [d1+{}], {}1;\n", type, operand, letter);
  for (int i = 0; i < 64; ++i) {
    const bool root = !opcode.starts_with("div");
    ptx += fmt::format("ld.volatile.global.{} {}1, [d1+{}];\n", type, letter, operand);
    ptx += fmt::format("{} {}3, {}1{}; st.global.{} [d1+{}], {}3;\n", opcode, letter, letter,
                       root ? "" : fmt::format(", {}2", letter), type, 256 * i, letter);
  }
  ptx += "ret; }\n";
  SimulatorOptions options;
  options.model = true;
  options.threads = 1;
  const auto device = make_simulator(gpu_profile("h100"), options);
  device->load({"k.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<float>(64 << 10, 0.0f), "out");
  device->time(
      [&] {
        device->launch(device->kernel("k"), {{1, 1, 1}, {32, 1, 1}}, std::array{KernelArgument::of(out)});
      },
      true);
  std::string why;
  const auto model = device->take_model(why);
  REQUIRE(model);
  return model->ms * 1e3;
}

struct Way {
  const char *opcode, *a, *b;
  bool slow;
};

}  // namespace

TEST_CASE("zero and tiny dividends, divisors near the ends of the range and infinities take a division's long way") {
  constexpr const char *zero = "0f00000000", *three = "0f40400000", *seven = "0f40E00000", *tiny = "0f00800000",
                       *huge = "0f7F000000", *infinite = "0f7F800000", *minus = "0fC0400000";
  constexpr const char *zero64 = "0d0000000000000000", *three64 = "0d4008000000000000", *seven64 = "0d401C000000000000",
                       *tiny64 = "0d0010000000000000", *huge64 = "0d7FE0000000000000";
  constexpr Way ways[] = {
      {"div.rn.f32", three, seven, false},      {"div.rn.f32", minus, seven, false},
      {"div.rn.f32", zero, seven, true},        {"div.rn.f32", three, zero, true},
      {"div.rn.f32", tiny, seven, true},        {"div.rn.f32", three, huge, true},
      {"div.rn.f32", infinite, seven, true},    {"sqrt.rn.f32", seven, seven, false},
      {"sqrt.rn.f32", zero, seven, true},       {"sqrt.rn.f32", minus, seven, true},
      {"rcp.rn.f32", seven, seven, false},      {"rcp.rn.f32", zero, seven, true},
      {"rcp.rn.f32", infinite, seven, true},    {"div.rn.f64", three64, seven64, false},
      {"div.rn.f64", zero64, seven64, true},    {"div.rn.f64", three64, zero64, true},
      {"div.rn.f64", tiny64, seven64, true},    {"div.rn.f64", three64, huge64, true},
      {"sqrt.rn.f64", seven64, seven64, false}, {"sqrt.rn.f64", zero64, seven64, true},
      {"rcp.rn.f64", seven64, seven64, false},  {"rcp.rn.f64", zero64, seven64, true},
      {"div.full.f32", zero, seven, false},
  };
  for (const Way &way : ways) {
    INFO(way.opcode << " " << way.a << " " << way.b);
    const bool is_double = std::string_view(way.opcode).ends_with("f64");
    const double usual = us_of(way.opcode, is_double ? three64 : three, is_double ? seven64 : seven);
    const double taken = us_of(way.opcode, way.a, way.b);
    CHECK((taken > usual + 64 * 12 * 4 / 1980.0) == way.slow);  // 12 instructions at least, each 4 cycles
  }
}

TEST_CASE("one lane's operands send its warp on the long way, and no other") {
  const double usual = us_of("div.rn.f32", "0f40400000", "0f40E00000");
  const double all = us_of("div.rn.f32", "0f00000000", "0f40E00000");
  const double one = us_of("div.rn.f32", "0f40400000", "0f40E00000", "0f00000000");
  CHECK(one > usual + 1);
  CHECK(one == all);
}

TEST_CASE("only what rounds to the last bit has a long way") {
  using simt::Quotient;
  CHECK(simt::quotient_of("div.rn.f32") == Quotient::div32);
  CHECK(simt::quotient_of("div.rn.ftz.f32") == Quotient::div32);
  CHECK(simt::quotient_of("sqrt.rn.f64") == Quotient::sqrt64);
  CHECK(simt::quotient_of("rcp.approx.ftz.f32") == Quotient::none);
  CHECK(simt::quotient_of("div.s32") == Quotient::none);
}

}  // namespace gpulab::tests
