// Scopes, registers, labels and tables in function bodies.

#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"
#include "tests/ptx/module_invariants.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

const std::string head = ".version 8.3\n.target sm_90\n";

Module parsed(const std::string& text) {
  Module module = parse(head + text, "test.ptx");
  CHECK(broken_invariant(module).empty());
  return module;
}

Module parsed_body(const std::string& body) { return parsed(".entry k(.param .u64 out) {\n" + body + "\n}"); }

const Function& last_function(const Module& module) { return module.functions.back(); }

std::string error_of(const std::string& body) {
  try {
    (void)parse(head + ".entry k(.param .u64 out) {\n" + body + "\n}", "test.ptx");
  } catch (const Error& error) {
    return error.where.substr(8) + ": " + error.what() + (error.hint.empty() ? "" : " | ") + error.hint;
  }
  return "accepted";
}

std::uint32_t label(const Function& function, std::string_view name) {
  for (const Label& candidate : function.labels) {
    if (candidate.name == name) return candidate.instruction;
  }
  throw std::runtime_error("no label " + std::string(name));
}

std::vector<std::string_view> register_names(const Function& function) {
  std::vector<std::string_view> names;
  for (const Register& reg : function.registers) names.push_back(reg.name);
  return names;
}

using Names = std::vector<std::string_view>;

}  // namespace

TEST_CASE("of a register range only those that occur are listed, with their type") {
  const Module module =
      parsed_body(".reg .f32 %f<1000000>; .reg .pred p, q; mov.f32 %f7, %f999999; @p mov.f32 %f7, %f7;");
  const Function& function = last_function(module);
  CHECK(register_names(function) == Names{"%f7", "%f999999", "p"});
  CHECK(function.registers[0].type.name == "f32");
  CHECK(function.registers[0].type.size == 4);
  CHECK(function.registers[2].type.name == "pred");
}

TEST_CASE("a range's prefix may end in a digit, and names may look like members") {
  const Module module = parsed_body(
      ".reg .u32 r<20>; .reg .u64 r1_<3>, q1<3>, q<2>; .reg .f32 r100; add.u32 r12, r1_2, r100; mov.u64 q12, q1;");
  CHECK(register_names(last_function(module)) == Names{"r12", "r1_2", "r100", "q12", "q1"});
  CHECK(last_function(module).registers[3].type.size == 8);
}

TEST_CASE("registers of an inner scope are other registers") {
  const Module module = parsed_body(R"(
    .reg .u32 %r<4>, x;
    mov.u32 %r1, x;
    { .reg .u64 %r<4>, x; mov.u64 %r1, x; mov.u32 %r1, x; }
    { .reg .f32 x; mov.f32 x, x; }
    mov.u32 %r1, x;)");
  const Function& function = last_function(module);
  CHECK(register_names(function) == Names{"%r1", "x", "%r1@2", "x@2", "x@3"});
  CHECK(function.registers[2].type.size == 8);
  CHECK(function.instructions[4].operands[0].name == "%r1");
  CHECK(function.instructions[4].operands[0].reg == 0);
}

TEST_CASE("an inner range hides an outer register and the reverse") {
  const Module module = parsed_body(".reg .u32 a1, b<3>; { .reg .u64 a<3>, b1; mov.u64 a1, b1; } mov.u32 a1, b1;");
  const Function& function = last_function(module);
  CHECK(function.registers.at(function.instructions[0].operands[0].reg).type.size == 8);
  CHECK(function.registers.at(function.instructions[0].operands[1].reg).type.size == 8);
  CHECK(function.registers.at(function.instructions[1].operands[0].reg).type.size == 4);
  CHECK(function.registers.at(function.instructions[1].operands[1].reg).type.size == 4);
}

TEST_CASE("labels are found forwards and backwards, and belong to their scope") {
  const Module module = parsed_body(R"(
  top:
    bra done;
    { again: bra again; bra done; bra top; done: ret; }
    { bra again; again: bra done; }
  done: end:)");
  const Function& function = last_function(module);
  const auto target = [&](std::size_t i) {
    CHECK(function.instructions[i].operands[0].kind == Operand::Kind::label);
    return label(function, function.instructions[i].operands[0].name);
  };
  CHECK(target(0) == 7);  // the outer done: the end of the body
  CHECK(target(1) == 1);
  CHECK(target(2) == 4);
  CHECK(target(3) == 0);
  CHECK(target(5) == 6);
  CHECK(target(6) == 7);
  CHECK(label(function, "end") == function.instructions.size());
}

TEST_CASE("call parameters of every call sequence are variables of their own") {
  const Module module = parsed(R"(
    .extern .func (.param .b32 r) f(.param .b32 a);
    .entry k {
      { .reg .b32 temp_param_reg; .param .b32 param0; st.param.b32 [param0+0], 1; .param .b32 retval0;
        call.uni (retval0), f, (param0); }
      { .reg .b32 temp_param_reg; .param .b32 param0; st.param.b32 [param0+0], 2; .param .b32 retval0;
        call.uni (retval0), f, (param0); }
    })");
  const Function& function = last_function(module);
  REQUIRE(function.variables.size() == 4);
  CHECK(function.variables[0].space == Space::param);
  CHECK(function.variables[2].name == "param0@2");
  CHECK(function.instructions[2].operands[0].name == "param0@2");
  CHECK(function.calls[1].arguments[0].name == "param0@2");
  CHECK(function.calls[1].results[0] == "retval0@2");
  CHECK(function.registers.empty());
}

TEST_CASE("a local variable that hides one of the module is told from it") {
  const Module module =
      parsed(".global .u32 x;\n.entry k { .reg .u64 a; { .shared .u32 x; mov.u64 a, x; } mov.u64 a, x; }");
  const Function& function = last_function(module);
  CHECK(function.variables.at(0).name == "x@2");
  CHECK(function.instructions[0].operands[1].name == "x@2");
  CHECK(function.instructions[1].operands[1].name == "x");
}

TEST_CASE("parameters may be registers") {
  const Module module =
      parsed(".func (.reg .u32 r) f(.reg .u32 a) { mov.u32 r, a; ret; }\n.entry k { .reg .u32 x; call (x), f, (x); }");
  const Function& f = module.functions.front();
  CHECK(f.results.at(0).space == Space::reg);
  CHECK(f.results.at(0).name == "r");
  CHECK(f.instructions[0].operands[1].reg >= 0);
  CHECK(last_function(module).calls.at(0).results.at(0) == "x");
}

TEST_CASE("branch and call tables list their targets") {
  const Module module = parsed(R"(.func f() { ret; } .func g() { ret; }
    .entry k { .reg .u32 i; .reg .u64 p;
      table: .branchtargets one, two;
      calls: .calltargets f, g;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
      { .reg .u32 j; inner: .branchtargets two, here; here: brx.idx j, inner; }
      brx.idx i, table;
      call p, (), calls;
      one: two: ret; })");
  const Function& function = last_function(module);
  REQUIRE(function.branch_targets.size() == 2);
  CHECK(function.branch_targets[0].name == "table");
  CHECK(function.branch_targets[0].labels == std::vector<std::string_view>{"one", "two"});
  CHECK(function.branch_targets[1].labels == std::vector<std::string_view>{"two", "here"});
  CHECK(function.instructions[1].operands[1].kind == Operand::Kind::symbol);
  CHECK(function.instructions[1].operands[1].name == "table");
  CHECK(function.call_targets.at(0).second == std::vector<std::string_view>{"f", "g"});
  CHECK(function.calls.at(0).prototype == "calls");
}

TEST_CASE("deeply nested scopes, many names and many labels stay quick") {
  std::string body;
  for (int i = 0; i < 200; ++i) body += "{ .reg .u32 %r<4>; mov.u32 %r1, 1; bra end;";
  body += std::string(200, '}');
  for (int i = 0; i < 20000; ++i) body += "$L" + std::to_string(i) + ": bra $L" + std::to_string(19999 - i) + ";";
  const Module module = parsed_body(".reg .u32 %r<2>;" + body + "end: ret;");
  CHECK(last_function(module).labels.size() == 20001);
  CHECK(last_function(module).registers.size() == 200);
}

TEST_CASE("bad bodies are errors that say why") {
  CHECK(error_of("  bra nowhere;") ==
        ":4:7: 'nowhere' is not declared | labels and variables of an inner { } are not known outside of it");
  CHECK(error_of("bra X; { X: ret; }").find(":4:5: 'X' is not declared") == 0);
  CHECK(error_of("t: .branchtargets a, out;\na: ret;") == ":4:22: 'out' is not a label of 'k'");
  CHECK(error_of(".reg .u32 x; .reg .f32 x;") == ":4:24: 'x' is declared twice in its scope");
  CHECK(error_of(".reg .u32 x<2>, x<3>;") == ":4:17: 'x' is declared twice in its scope");
  CHECK(error_of("L: L: ret;") == ":4:4: 'L' is declared twice in its scope");
  CHECK(error_of(".reg .u32 %r<9>; mov.u32 %r1, %r9;") ==
        ":4:31: register '%r9' is not declared | '%r<9>' declares 9 registers, counted from 0");
  CHECK(error_of(".reg .b32 %r<4294967295>;") == ":4:11: 'k' declares too many registers | at most 4194304");
  CHECK(error_of(".reg .b32 %r<99999999999>;") ==
        ":4:14: a number of registers 99999999999 is too large | at most "
        "4294967295");
  CHECK(error_of(".reg .v2 .b32 %r<4>;") == ":4:15: vector registers cannot be declared as a range");
  CHECK(error_of(".reg .v8 .b32 x;") == ":4:15: a vector register has 2 or 4 components");
  CHECK(error_of(".reg .b32 %r<x>;") == ":4:14: expected a number of registers, found 'x'");
  CHECK(error_of(".reg .b32 a b;") == ":4:13: expected ';' after a declaration of registers, found 'b'");
  CHECK(error_of(".banana;") == ":4:1: unknown directive '.banana' in the body of 'k'");
  CHECK(error_of("5;") == ":4:1: expected an instruction, a label or a declaration, found '5'");
  CHECK(error_of(std::string(300, '{')) == ":4:255: scopes are nested too deeply");
  CHECK(error_of("p: .callprototype _ }") == ":4:21: expected ';' after .callprototype, found '}'");
  CHECK(error_of("t: .branchtargets 5;") == ":4:19: expected a label, found '5'");
  CHECK(error_of(".pragma 5;") == ":4:9: expected a string after .pragma, found '5'");
}
