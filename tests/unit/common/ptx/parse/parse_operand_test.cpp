#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"
#include "tests/ptx/module_invariants.h"

using namespace gpulab;
using namespace gpulab::ptx;
using Kind = Operand::Kind;

namespace {

const std::string head =
    ".version 8.3\n.target sm_90\n.global .u32 data[4]; .global .texref picture;\n.entry k(.param .u64 out) {\n"
    ".reg .pred p, q; .reg .u32 %r<10>, %a; .reg .u64 %rd<4>; .reg .f32 %f<4>; .reg .v4 .u32 vec;\n";

Module parsed(const std::string& operands) {
  Module module = parse(head + "op.x " + operands + ";\n}", "test.ptx");
  CHECK(broken_invariant(module).empty());
  return module;
}

std::vector<Operand> operands(const Module& module) { return module.functions.back().instructions.at(0).operands; }

std::string error_of(const std::string& text) {
  try {
    (void)parsed(text);
  } catch (const Error& error) {
    return error.where.substr(8) + ": " + error.what() + (error.hint.empty() ? "" : " | ") + error.hint;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("registers carry their index, special registers their component") {
  const Module module = parsed("%r3, %r3, %tid.x, %clock64, %lanemask_lt");
  const auto all = operands(module);
  CHECK(all[0].kind == Kind::reg);
  CHECK(all[0].reg == 0);
  CHECK(all[1].reg == 0);
  CHECK(all[2].kind == Kind::special);
  CHECK(all[2].name == "%tid.x");
  CHECK(all[2].reg == -1);
  CHECK(all[3].name == "%clock64");
  CHECK(all[4].kind == Kind::special);
}

TEST_CASE("a declared register may have a special register's name") {
  const Module module = parse(head + "{ .reg .u32 %tid, %laneid<2>; mov.u32 %tid, %laneid1; } }", "test.ptx");
  CHECK(operands(module)[0].kind == Kind::reg);
  CHECK(operands(module)[1].kind == Kind::reg);
}

TEST_CASE("immediates keep their bits") {
  const Module module = parsed(
      "-4, 0xFFFFFFFFU, 0xFFFFFFFFFFFFFFFF, WARP_SZ, -WARP_SZ, 0f3F800000, 0d3FF0000000000000, "
      "-1.5, (1 << 4 | 3) * 2, !0, ~0, - 3");
  const auto all = operands(module);
  CHECK(all[0].kind == Kind::integer);
  CHECK(all[0].integer == -4);
  CHECK(all[1].integer == 0xFFFFFFFF);
  CHECK(all[2].integer == -1);
  CHECK(all[3].integer == 32);
  CHECK(all[4].integer == -32);
  CHECK(all[5].kind == Kind::f32);
  CHECK(all[5].bits == 0x3F800000);
  CHECK(all[6].kind == Kind::f64);
  CHECK(all[6].bits == 0x3FF0000000000000);
  CHECK(all[7].kind == Kind::f64);
  CHECK(all[7].bits == 0xBFF8000000000000);
  CHECK(all[8].integer == 38);
  CHECK(all[9].integer == 1);
  CHECK(all[10].integer == -1);
  CHECK(all[11].integer == -3);
}

TEST_CASE("addresses have a base and an offset") {
  const Module module =
      parsed("[%rd1], [%rd1+4], [%rd1+-4], [%rd1-4], [ %rd1 + 4 + 4 ], [data+4*2], [out], [4], [0x10+4], data[3]");
  const auto all = operands(module);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(all[i].kind == Kind::address);
    CHECK(all[i].is_reg);
    CHECK(all[i].name == "%rd1");
  }
  CHECK(all[1].integer == 4);
  CHECK(all[2].integer == -4);
  CHECK(all[3].integer == -4);
  CHECK(all[4].integer == 8);
  CHECK_FALSE(all[5].is_reg);
  CHECK(all[5].name == "data");
  CHECK(all[5].integer == 8);
  CHECK(all[6].name == "out");
  CHECK(all[7].name.empty());
  CHECK(all[7].integer == 4);
  CHECK(all[8].integer == 20);
  CHECK(all[9].kind == Kind::address);
  CHECK(all[9].integer == 12);
}

TEST_CASE("what follows the base of a texture's operand are operands of their own") {
  const Module module = parsed("{%r1, %r2, %r3, %r4}, [picture, {%f1, %f2}], [picture, picture, {%f1}]");
  const auto all = operands(module);
  REQUIRE(all.size() == 6);
  CHECK(all[1].kind == Kind::address);
  CHECK(all[1].elements.empty());
  CHECK(all[2].kind == Kind::vector);
  CHECK(all[2].elements.size() == 2);
  CHECK(all[3].kind == Kind::address);
  CHECK(all[4].kind == Kind::symbol);
  CHECK(all[5].elements.size() == 1);
}

TEST_CASE("symbols have offsets, and an index counts elements") {
  const Module module =
      parse(head + "mov.u64 %rd1, data+4; mov.u64 %rd1, data-4; mov.u64 %rd1, data[2]; mov.u64 %rd1, k; }", "test.ptx");
  const auto& instructions = module.functions.back().instructions;
  for (const Instruction& instruction : instructions) CHECK(instruction.operands[1].kind == Kind::symbol);
  CHECK(instructions[0].operands[1].integer == 4);
  CHECK(instructions[1].operands[1].integer == -4);
  CHECK(instructions[2].operands[1].integer == 8);
  CHECK(instructions[3].operands[1].name == "k");
}

TEST_CASE("vectors hold registers, constants and gaps") {
  const Module module = parsed("{%r1, _, 5, %tid.x, {%r2}}");
  const auto elements = operands(module)[0].elements;
  REQUIRE(elements.size() == 5);
  CHECK(elements[1].kind == Kind::underscore);
  CHECK(elements[2].integer == 5);
  CHECK(elements[3].kind == Kind::special);
  CHECK(elements[4].kind == Kind::vector);
}

TEST_CASE("a vector register is the vector of its components") {
  const Module module = parsed("vec, vec.x, vec.w, vec.g");
  const auto all = operands(module);
  REQUIRE(all[0].kind == Kind::vector);
  REQUIRE(all[0].elements.size() == 4);
  CHECK(all[0].elements[3].name == "vec.w");
  CHECK(all[1].reg == all[0].elements[0].reg);
  CHECK(all[2].reg == all[0].elements[3].reg);
  CHECK(all[3].reg == all[0].elements[1].reg);
}

TEST_CASE("two destinations, negation and byte selectors") {
  const Module module = parsed("%r1|p, p|_, _|q, !p, -%r1, %r2.b0, -%r3.h1");
  const auto all = operands(module);
  CHECK(all[0].name == "%r1");
  CHECK(all[0].second == "p");
  CHECK(all[0].second_reg >= 0);
  CHECK(all[1].second == "_");
  CHECK(all[1].second_reg == -1);
  CHECK(all[2].kind == Kind::underscore);
  CHECK(all[2].second == "q");
  CHECK(all[3].negated);
  CHECK(all[3].name == "p");
  CHECK(all[4].negated);
  CHECK(all[5].selector == "b0");
  CHECK(all[5].name == "%r2");
  CHECK(all[6].selector == "h1");
  CHECK(all[6].negated);
}

TEST_CASE("bad operands are errors that say why") {
  CHECK(error_of("[%rd1") == ":6:11: expected ']' to close an address, found ';'");
  CHECK(error_of("[]") == ":6:7: expected an address, found ']'");
  CHECK(error_of("[%rd1+%r1]") == ":6:12: expected a constant, found '%r1'");
  CHECK(error_of("[1.5]") == ":6:7: expected an integer, found '1.5'");
  CHECK(error_of("[%tid.x]") == ":6:7: '%tid.x' is no address");
  CHECK(error_of("{%r1, }") == ":6:12: expected an operand of 'op.x', found '}'");
  CHECK(error_of("{%r1") == ":6:10: expected '}' to close a vector operand, found ';'");
  CHECK(error_of("!data") == ":6:7: only registers can be negated, not 'data'");
  CHECK(error_of("%r1|5") == ":6:10: expected a register after '|', found '5'");
  CHECK(error_of("%r1|data") == ":6:10: 'data' is not a register");
  CHECK(error_of("vec.q") == ":6:6: vector register 'vec' has no component 'q'");
  CHECK(error_of("data.x") == ":6:6: 'data' is not declared");
  CHECK(error_of("out.x") == ":6:6: 'out' has no components");
  CHECK(error_of("unknown+4").find(":6:6: 'unknown' is not declared") == 0);
  CHECK(error_of("k[2]") == ":6:6: 'k' is no array declared above");
  CHECK(error_of(std::string(40, '{') + "%r1" + std::string(40, '}')) == ":6:23: the operand is nested too deeply");
}
