// What is computed twice costs once, as in ptxas' code for sm_90; conversions and halves by what an H100 takes.
#include "common/simt/timing/code/repeats.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "common/ptx/parser.h"
#include "common/simt/decode/decode.h"
#include "common/simt/timing/code/instruction_costs.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// Machine instructions of a kernel of one basic block.
std::uint32_t issued(const std::string& body) {
  const std::string text = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .pred p; .reg .u32 x<9>; .reg .b16 h<9>; .reg .f32 f<9>; .reg .b64 d;
  ld.param.u64 d, [out]; mov.u32 x0, %tid.x; mov.b32 {{h0, h1}}, x0;
  {}
  st.global.f32 [d], f1; st.global.f32 [d+4], f2; st.global.u32 [d+8], x1; st.global.u32 [d+12], x2;
  ret;
}}
)",
                                       body);
  const auto program = decode(std::make_shared<ptx::Module>(ptx::parse(text, "k.ptx")), "k", {});
  const TimedCode code(*program, {.used = 64}, 1);
  std::uint32_t sum = 0;
  for (std::uint32_t b = 0; b < program->blocks.size(); ++b)
    for (const TimedInstruction& t : code.block(b).code) sum += t.cost.issue;
  return sum;
}

/// How many more than without `second`.
std::uint32_t cost_of_second(const std::string& first, const std::string& second) {
  return issued(first + second) - issued(first);
}

}  // namespace

TEST_CASE("an instruction that another one of its basic block has done before costs nothing") {
  const std::string convert = "cvt.f32.f16 f1, h0; ";
  CHECK(cost_of_second(convert, "cvt.f32.f16 f2, h0; ") == 0);
  CHECK(cost_of_second(convert, "cvt.f32.f16 f2, h1; ") == 1);
  CHECK(cost_of_second(convert, "mov.b16 h2, h0; cvt.f32.f16 f2, h2; ") == 0);
  CHECK(cost_of_second("and.b32 x1, x0, 7; ", "and.b32 x2, x0, 7; ") == 0);
  CHECK(cost_of_second("and.b32 x1, x0, 7; ", "and.b32 x2, x0, 9; ") == 1);
  CHECK(cost_of_second("add.f32 f1, f3, 0f3f800000; ", "add.f32 f2, f3, 0f40000000; ") == 1);
}

TEST_CASE("what is computed from repeated results is repeated, too") {
  const std::string first = "cvt.f32.f16 f3, h0; ex2.approx.ftz.f32 f1, f3; ";
  CHECK(cost_of_second(first, "cvt.f32.f16 f4, h0; ex2.approx.ftz.f32 f2, f4; ") == 0);
}

TEST_CASE("a repeated instruction counts where its operand or its result has changed since") {
  CHECK(cost_of_second("not.b32 x1, x0; shl.b32 x0, x0, 3; ", "not.b32 x2, x0; ") == 1);
  // The first result is gone from its register, not from the machine: ptxas keeps it in another.
  CHECK(cost_of_second("popc.b32 x1, x0; add.u32 x1, x1, x0; ", "popc.b32 x2, x0; ") == 0);
  // Both ways of a branch compute it, none for the other.
  CHECK(cost_of_second("setp.lt.u32 p, x0, 5; @p popc.b32 x1, x0; ", "@!p popc.b32 x2, x0; ") >= 1);
}

TEST_CASE("what follows from more than operands is not repeated: clocks, carries, memory") {
  CHECK(cost_of_second("mov.u32 x1, %clock; ", "mov.u32 x2, %clock; ") >= 1);
  CHECK(cost_of_second("add.cc.u32 x1, x0, 5; ", "add.cc.u32 x2, x0, 5; ") == 1);
  CHECK(cost_of_second("addc.u32 x1, x0, 5; ", "addc.u32 x2, x0, 5; ") == 1);
  CHECK(cost_of_second("ld.global.u32 x1, [d]; ", "ld.global.u32 x2, [d]; ") == 1);
}

TEST_CASE("a join does not take away a result that a repeated instruction's readers need") {
  // Of x3's one reader LOP3 would take the mask along; x4 is the same mask, and is read beside it.
  const std::string once = "and.b32 x3, x0, 7; xor.b32 x1, x3, 3; and.b32 x4, x0, 7; popc.b32 x2, x4; ";
  CHECK(issued(once) == issued("and.b32 x3, x0, 7; xor.b32 x1, x3, 3; popc.b32 x2, x3; "));
}

TEST_CASE("conversions take the pipe that an H100 has for them") {
  const auto cost = [](std::string_view opcode) { return cost_of(opcode, Unit::conversion); };
  CHECK(cost("cvt.f32.f16").pipe == Pipe::heavy);
  CHECK(cost("cvt.rn.f16.f32").pipe == Pipe::alu);
  CHECK(cost("cvt.rn.f16x2.f32").pipe == Pipe::alu);
  CHECK(cost("cvt.f32.bf16").pipe == Pipe::alu);
  CHECK(cost("cvt.rn.f32.s32").pipe == Pipe::alu);
  CHECK(cost("cvt.sat.f32.f32").pipe == Pipe::fp32);
  for (const auto* opcode :
       {"cvt.rzi.s32.f32", "cvt.rn.f32.u8", "cvt.rn.f32.s16", "cvt.rzi.u16.f16", "cvt.rn.f16.s32"}) {
    INFO(opcode);
    CHECK(cost(opcode).pipe == Pipe::special);
    CHECK(cost(opcode).cycles == 8);
  }
  CHECK(cost("cvt.rna.tf32.f32").issue == 4);
  CHECK(cost("cvt.u32.u16").pipe == Pipe::alu);
  CHECK(cost("cvt.rn.f64.s32").cycles == 8);
}

TEST_CASE("pairs of halves go to either of two pipes, single ones to one") {
  CHECK(cost_of("fma.rn.f16x2", Unit::fp32).pipe == Pipe::fp32);
  CHECK(cost_of("fma.rn.f16x2", Unit::fp32).cycles == 3);
  CHECK(cost_of("mul.bf16", Unit::fp32).pipe == Pipe::heavy);
  CHECK(cost_of("setp.lt.f16", Unit::fp32).pipe == Pipe::alu);
}

}  // namespace gpulab::simt
