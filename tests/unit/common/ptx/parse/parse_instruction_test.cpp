// Instructions, guards and calls.

#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"
#include "tests/ptx/module_invariants.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

const std::string head =
    ".version 8.3\n.target sm_90\n.extern .func (.param .b32 r) f(.param .b32 a);\n.entry k(.param .u64 out) {\n"
    ".reg .pred p, q; .reg .u32 %r<10>; .reg .u64 %rd<4>; .param .b32 in, back;\n";

Module parsed(const std::string& body) {
  Module module = parse(head + body + "\n}", "test.ptx");
  CHECK(broken_invariant(module).empty());
  return module;
}

const Function& function(const Module& module) { return module.functions.back(); }

std::string error_of(const std::string& body) {
  try {
    (void)parsed(body);
  } catch (const Error& error) {
    return error.where.substr(8) + ": " + error.what() + (error.hint.empty() ? "" : " | ") + error.hint;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an instruction knows its opcode, guard and line") {
  const Module module = parsed("\n@!p ld.global.nc.v2.u32 {%r1, %r2}, [%rd1];\n@q ret;\nbar.sync 0;");
  const auto& instructions = function(module).instructions;
  REQUIRE(instructions.size() == 3);
  CHECK(instructions[0].opcode == "ld.global.nc.v2.u32");
  CHECK(instructions[0].guard == "p");
  CHECK(instructions[0].guard_negated);
  CHECK(instructions[0].ptx_line == 7);
  CHECK(instructions[1].guard == "q");
  CHECK_FALSE(instructions[1].guard_negated);
  CHECK(instructions[1].operands.empty());
  CHECK(instructions[2].guard.empty());
  CHECK(instructions[2].location == -1);
}

TEST_CASE("an opcode may be written in parts") {
  const Module module = parsed("ld .global .u32 %r1, [%rd1]; @ ! p mov.u32 %r1, 1;");
  CHECK(function(module).instructions[0].opcode == "ld.global.u32");
  CHECK(function(module).instructions[1].guard_negated);
}

TEST_CASE("opcodes that nobody knows are parsed") {
  CHECK(
      function(parsed("frobnicate.wide.banana %r1, [%rd1+4], {%r2, 3}, 0f3F800000;")).instructions[0].operands.size() ==
      4);
}

TEST_CASE("calls come in all forms") {
  const Module module = parsed(R"(
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call.uni (back), f, (in);
    call f, (in);
    call f;
    call (_), f, (5);
    call (%r1), f, (%r2, 3, 0f3F800000);
    call (back), %rd1, (in), proto;
    call %rd1, proto;
    @p call.uni (back), f, ();
    call (), f, ();)");
  const Function& k = function(module);
  REQUIRE(k.calls.size() == 9);
  CHECK(k.instructions[0].opcode == "call.uni");
  CHECK(k.instructions[0].call == 0);
  CHECK(k.instructions[0].operands.empty());
  CHECK(k.calls[0].results.at(0) == "back");
  CHECK(k.calls[0].target.kind == Operand::Kind::symbol);
  CHECK(k.calls[0].target.name == "f");
  CHECK(k.calls[0].arguments.at(0).kind == Operand::Kind::symbol);
  CHECK(k.calls[0].arguments.at(0).name == "in");
  CHECK(k.calls[0].prototype.empty());
  CHECK(k.calls[1].results.empty());
  CHECK(k.calls[2].arguments.empty());
  CHECK(k.calls[3].results.at(0) == "_");
  CHECK(k.calls[3].arguments.at(0).integer == 5);
  CHECK(k.calls[4].results.at(0) == "%r1");
  CHECK(k.calls[4].arguments.size() == 3);
  CHECK(k.calls[5].target.kind == Operand::Kind::reg);
  CHECK(k.calls[5].prototype == "proto");
  CHECK(k.calls[6].prototype == "proto");
  CHECK(k.instructions[7].guard == "p");
  CHECK(k.calls[8].results.empty());
}

TEST_CASE("a function may call itself and one that is defined further down") {
  const Module module =
      parse(".version 7.0\n.target sm_75\n.func a() { call a; call b; ret; }\n.func b() { call a; ret; }", "test.ptx");
  CHECK(module.functions[0].calls.size() == 2);
}

TEST_CASE("bad instructions are errors that say why") {
  CHECK(error_of("mov.u32 %r1, %r2") ==
        ":7:1: expected ',' or ';' in 'mov.u32', found '}' | every instruction ends in ';'");
  CHECK(error_of("mov.u32 %r1 %r2;") ==
        ":6:13: expected ',' or ';' in 'mov.u32', found '%r2' | every instruction ends in ';'");
  CHECK(error_of("mov.u32 %r1,;") == ":6:13: expected an operand of 'mov.u32', found ';'");
  CHECK(error_of("@ ret;") == ":6:3: the guard 'ret' is not a register | declare it with .reg .pred");
  CHECK(error_of("@nothing ret;") == ":6:2: the guard 'nothing' is not a register | declare it with .reg .pred");
  CHECK(error_of("@!%r1 ret;") ==
        ":6:3: the guard '%r1' is no predicate but a register of .u32 | declare it with .reg .pred");
  CHECK(error_of("@p ;") == ":6:4: expected an instruction after its guard, found ';'");
  CHECK(error_of("call 5;") == ":6:6: expected a function or a register that holds its address, found '5'");
  CHECK(error_of("call g;").find(":6:6: 'g' is not declared") == 0);
  CHECK(error_of("call (x), f;") == ":6:7: 'x' is not declared here | declare it with .param");
  CHECK(error_of("call (back) f;") == ":6:13: expected ',' between results and target of a call, found 'f'");
  CHECK(error_of("call %rd1, (in), proto;") == ":6:18: 'proto' is no .callprototype or .calltargets declared above");
  CHECK(error_of("call f, (in;") == ":6:12: expected ')' after the arguments of a call, found ';'");
  CHECK(error_of("call f, (nothing);").find(":6:10: 'nothing' is not declared") == 0);
  CHECK(error_of("call p_label; p_label: ret;").find(":6:6: 'p_label' is not declared") == 0);
}
