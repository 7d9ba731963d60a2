#include "common/ptx/flow/lower_calls.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/unit/error_of.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr std::string_view header = ".version 8.3\n.target sm_75\n.address_size 64\n";

/// Runs entry `k` with an output of 32 integers.
std::vector<int> output_of(const std::string& functions, std::string_view body) {
  const std::string text = fmt::format(
      "{}{}.visible .entry k(.param .u64 out) {{ .reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<9>; "
      ".reg .f64 %fd<4>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, "
      "%rd1, "
      "%rd2;\n{}\nst.global.u32 [%rd1], %r2; ret; }}\n",
      header, functions, body);
  const auto device = simulator_with({"calls.ptx", text, {}});
  const auto out = upload(*device, std::vector<int>(32), "out");
  launch(*device, "k", one_warp, out);
  return read_values<int>(*device, out, 32);
}

template <typename F>
std::vector<int> of_lanes(F f) {
  std::vector<int> values;
  for (int t = 0; t < 32; ++t) values.push_back(f(t));
  return values;
}

const std::string add_and_twice = R"(
.func (.reg .u32 sum, .reg .u64 wide) add(.reg .u32 a, .reg .u32 b)
{
  .reg .pred q;
again:
  add.u32 a, a, 1;
  setp.lt.u32 q, a, 10;
  @q bra again;
  add.u32 sum, a, b;
  cvt.u64.u32 wide, b;
  setp.gt.u32 q, b, 20;
  @q ret;
  add.u32 sum, sum, 1000;
}
.func (.reg .f64 product) times(.reg .f32 a, .reg .f64 b)
{
  cvt.f64.f32 product, a;
  mul.rn.f64 product, product, b;
  ret;
}
)";

TEST_CASE("parameters and results pass in registers, also through a loop at the function's first instruction") {
  CHECK(output_of(add_and_twice, "call (%r3, %rd4), add, (3, %r1); cvt.u32.u64 %r4, %rd4; add.u32 %r2, %r3, %r4;") ==
        of_lanes([](int t) { return 10 + 2 * t + (t > 20 ? 0 : 1000); }));
}

TEST_CASE("a call with registers may be guarded, and literals take the parameter's type") {
  CHECK(output_of(add_and_twice,
                  "mov.f64 %fd1, 0d3FF0000000000000; setp.lt.u32 %p1, %r1, 7;\n"
                  "@%p1 call (%fd1), times, (2.5, 4.0); cvt.rzi.u32.f64 %r2, %fd1;") ==
        of_lanes([](int t) { return t < 7 ? 10 : 1; }));
}

TEST_CASE("an alias is the function that it stands for, in calls, in addresses and in tables") {
  const std::string functions = R"(
.func (.param .b32 r) plus_five(.param .b32 a)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [a];
  add.u32 %r2, %r1, 5;
  st.param.b32 [r], %r2;
  ret;
}
.func (.param .b32 r) other(.param .b32 a);
.func (.param .b32 r) third(.param .b32 a);
.alias other, plus_five;
.alias third, other;
.global .u64 table[1] = {third};
)";
  const auto expected = of_lanes([](int t) { return t + 5; });
  const std::string call =
      "{{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), {}, (a){}; ld.param.b32 %r2, [r]; }}";
  const std::string indirect = "p: .callprototype (.param .b32 _) _ (.param .b32 _);\n";
  CHECK(output_of(functions, fmt::format(fmt::runtime(call), "third", "")) == expected);
  CHECK(output_of(functions, indirect + "mov.u64 %rd3, other;" + fmt::format(fmt::runtime(call), "%rd3", ", p")) ==
        expected);
  CHECK(output_of(functions, indirect + "ld.global.u64 %rd3, [table];" +
                                 fmt::format(fmt::runtime(call), "%rd3", ", p")) == expected);
}

TEST_CASE("a predicate cannot pass in a register") {
  CHECK(error_of([] { return output_of(".func f(.reg .pred a)\n{ ret; }\n", "call f, (%p1); mov.u32 %r2, 0;"); }) ==
        "a predicate is passed in a register: the simulator passes numbers alone");
}

}  // namespace
}  // namespace gpulab::tests
