// Whole modules: declarations, functions, what is skipped, and the compiled modules in tests/ptx/modules.

#include <fstream>
#include <sstream>

#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/ptx/module_invariants.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

std::string module_text(const std::string& name) {
  std::ifstream file(tests::tests_folder().string() + "/ptx/modules/" + name, std::ios::binary);
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Module parsed(const std::string& body) {
  return parse(".version 8.3\n.target sm_90a, debug\n.address_size 64\n" + body, "test.ptx");
}

const Function& function(const Module& module, std::string_view name) {
  for (const Function& candidate : module.functions) {
    if (candidate.name == name) return candidate;
  }
  throw std::runtime_error("no function " + std::string(name));
}

}  // namespace

TEST_CASE("version, target and files of a module are known") {
  const Module module = parsed(".file 1 \"a.cu\"\n.file 7 \"dir/b.h\", 1234, 5\n");
  CHECK(module.version_major == 8);
  CHECK(module.version_minor == 3);
  CHECK(module.target == "sm_90a");
  CHECK(module.address_size == 64);
  REQUIRE(module.files.size() == 2);
  CHECK(module.files[1].first == 7);
  CHECK(module.files[1].second == "dir/b.h");
}

TEST_CASE("a module may be moved and outlive the text it was parsed from") {
  Module moved;
  {
    std::string text =
        ".version 7.0\n.target sm_75\n.entry k { .reg .u32 %r<4>; { .reg .u32 %r<2>; mov.u32 %r1, %r0; } }";
    Module module = parse(text, "m");
    text.assign(text.size(), '?');
    moved = std::move(module);
  }
  CHECK(moved.target == "sm_75");
  CHECK(function(moved, "k").instructions.at(0).operands.at(0).name == "%r1");
}

TEST_CASE("functions have parameters, results and launch bounds") {
  const Module module = parsed(R"(
    .visible .entry k(.param .u64 .ptr .global .align 16 out, .param .align 8 .b8 s[24], .param .f32 x)
    .maxntid 256 .minnctapersm 2 .maxnreg 40 .reqnctapercluster 2, 1, 1 .explicitcluster { ret; }
    .func (.param .b32 r) f(.param .b32 a, .param .b8 rest[]) .noreturn ;
    .entry bare .reqntid 8,4,2 { ret; })");
  const Function& k = function(module, "k");
  CHECK(k.is_entry);
  CHECK(k.has_body);
  REQUIRE(k.parameters.size() == 3);
  CHECK(k.parameters[1].name == "s");
  CHECK(k.parameters[1].size == 24);
  CHECK(k.parameters[1].align == 8);
  CHECK(k.parameters[2].type.name == "f32");
  CHECK(k.max_threads[0] == 256);
  CHECK(k.max_threads[2] == 1);
  CHECK(k.min_blocks_per_sm == 2);
  CHECK(k.max_registers == 40);
  CHECK(k.required_cluster[0] == 2);
  const Function& f = function(module, "f");
  CHECK_FALSE(f.has_body);
  CHECK(f.is_noreturn);
  CHECK(f.results.at(0).size == 4);
  CHECK(f.parameters.at(1).size == 0);
  CHECK(function(module, "bare").required_threads[1] == 4);
}

TEST_CASE("a definition replaces its declarations, in either order") {
  const Module module = parsed(
      ".func f(.param .u32 a);\n.entry k { call f, (1); ret; }\n.func f(.param .u32 a) { ret; }\n.func f(.param .u32 "
      "a);\n"
      ".extern .global .u32 x;\n.global .u32 x = 5;\n.extern .global .u32 x;");
  CHECK(module.functions.size() == 2);
  CHECK(function(module, "f").has_body);
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].initial.at(0) == 5);
  CHECK_FALSE(module.variables[0].is_extern);
}

TEST_CASE("declarations without a semicolon, as compilers before PTX 3.0 wrote them, are taken") {
  const Module module =
      parsed(".visible .func f (.param .u32 a)\n.file 1 \"x\"\n.func g()\n.visible .func g() { ret; }");
  CHECK_FALSE(function(module, "f").has_body);
  CHECK(function(module, "g").has_body);
}

TEST_CASE("bodies that nobody wants are skipped but known") {
  const std::string text =
      ".version 7.0\n.target sm_75\n.entry a { nonsense { } ; \"}\" // }\n /* } */ }\n.entry b { .reg .u32 x; mov.u32 "
      "x, 1; }";
  const Module module = parse(text, "m", [](std::string_view name) { return name == "b"; });
  CHECK(function(module, "a").has_body);
  CHECK(function(module, "a").instructions.empty());
  REQUIRE(function(module, "b").instructions.size() == 1);
  CHECK(function(module, "b").instructions[0].ptx_line == 5);
  CHECK(entry_names(text) == std::vector<std::string_view>{"a", "b"});
}

TEST_CASE("aliases and debug sections do not disturb") {
  const Module module = parsed(
      ".func f() { ret; }\n.func g();\n.alias g, f;\n.section .debug_info { .b8 1\n .b32 .debug_abbrev }\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 102,0\n}\n");
  REQUIRE(module.aliases.size() == 1);
  CHECK(module.aliases[0].first == "g");
  CHECK(module.aliases[0].second == "f");
}

TEST_CASE("everything in the compiled modules is parsed, in every dialect") {
  const auto name =
      GENERATE(as<std::string>(), "sm75.ptx", "sm100.ptx", "sm75_rdc.ptx", "debug.ptx", "handwritten.ptx");
  const std::string text = module_text(name);
  const Module module = parse(text, name);
  CHECK(broken_invariant(module).empty());
  std::vector<std::string_view> entries;
  for (const Function& f : module.functions) {
    if (f.is_entry) entries.push_back(f.name);
    CHECK((!f.has_body || !f.instructions.empty()));
  }
  CHECK(entries == entry_names(text));
}

TEST_CASE("an nvcc module holds what its source says") {
  const Module module = parse(module_text("sm75.ptx"), "sm75.ptx");
  const auto variable = [&](std::string_view name) -> const Variable& {
    for (const Variable& candidate : module.variables) {
      if (candidate.name == name) return candidate;
    }
    throw std::runtime_error("no variable " + std::string(name));
  };
  CHECK(variable("table").space == Space::constant);
  CHECK(variable("table").size == 16);
  CHECK(variable("table").initial.at(12) == 4);
  CHECK(variable("dynamic").is_extern);
  CHECK(variable("dynamic").size == 0);
  CHECK(variable("functions").relocations.at(1).symbol == "_Z6triplei");
  CHECK_FALSE(variable("functions").relocations.at(1).generic);
  CHECK(variable("counters").relocations.at(1).addend == 4);
  CHECK(variable("counters").relocations.at(1).generic);
  const Variable& packed = variable("packed");
  CHECK(packed.initial.at(0) == 'a');
  REQUIRE(packed.relocations.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(packed.relocations[i].offset == i + 1);
    CHECK(packed.relocations[i].size == 1);
    CHECK(packed.relocations[i].shift == 8 * i);
  }
  const Function& calls = function(module, "_Z5callsPii8Argument");
  REQUIRE(calls.calls.size() == 4);
  CHECK(calls.calls[0].target.name == "__assertfail");
  CHECK(calls.calls[0].arguments.size() == 5);
  CHECK(calls.calls[1].target.name == "vprintf");
  CHECK(calls.calls[1].results.size() == 1);
  CHECK(calls.calls[2].target.kind == Operand::Kind::reg);
  CHECK_FALSE(calls.calls[2].prototype.empty());
}

TEST_CASE("errors in a module say where and what was expected") {
  const auto error_of = [](const std::string& text) {
    try {
      (void)parse(text, "test.ptx");
    } catch (const Error& error) {
      CHECK(error.code == ExitCode::usage);
      return error.where + ": " + error.what() + (error.hint.empty() ? "" : " | ") + error.hint;
    }
    return std::string("accepted");
  };
  const std::string head = ".version 7.0\n.target sm_75\n";
  CHECK(error_of("") ==
        "test.ptx:1:1: this is no PTX: it does not begin with .version | 'nvcc -ptx FILE.cu' compiles CUDA "
        "C++ to PTX");
  CHECK(error_of("__global__ void k() {}") ==
        "test.ptx:1:1: this is no PTX: it does not begin with .version | 'nvcc -ptx FILE.cu' compiles CUDA C++ to PTX");
  CHECK(error_of(std::string("\x7f") + "ELF") == "test.ptx:1:1: unexpected byte 0x7f");
  CHECK(error_of(".version seven") == "test.ptx:1:10: malformed version 'seven' | it looks like 8.5");
  CHECK(error_of(head + "global") == "test.ptx:3:1: expected a directive such as .global or .entry, found 'global'");
  CHECK(error_of(head + ".banana") == "test.ptx:3:1: unknown directive '.banana'");
  CHECK(error_of(head + ".visible .entry") ==
        "test.ptx:3:16: expected the name of an entry, found the end of the text");
  CHECK(error_of(head + ".entry k(.param u32 x)") == "test.ptx:3:17: expected a type such as .u32, found 'u32'");
  CHECK(error_of(head + ".entry k(.u32 x)") == "test.ptx:3:10: expected a .param or .reg parameter, found '.u32'");
  CHECK(error_of(head + ".entry k()") == "test.ptx:3:11: expected the body of 'k' or ';', found the end of the text");
  CHECK(error_of(head + ".entry k() .fast { ret; }") == "test.ptx:3:12: unknown directive '.fast' of 'k'");
  CHECK(error_of(head + ".entry k { ret; }\n.entry k { ret; }") == "test.ptx:4:8: 'k' is defined twice");
  for (const char* size : {"0", "2, 0, 1", "2147483648, 2147483648, 4"})
    CHECK(error_of(head + ".entry k() .reqnctapercluster " + size + " { ret; }") ==
          "test.ptx:3:12: a cluster that no GPU has | its dimensions are 1 to 16");
  CHECK(error_of(head + ".entry k() .blocksareclusters { ret; }") ==
        "test.ptx:3:12: a grid that counts clusters, not blocks (.blocksareclusters): not in this version | leave the "
        "clusters out of __block_size__, and use __cluster_dims__");
  CHECK(error_of(head + ".entry k {\n  ret;\n") ==
        "test.ptx:5:1: the body of 'k' has no end | the text may be cut off");
  CHECK(error_of(head + ".section .debug_info {") ==
        "test.ptx:3:22: '{' without a matching '}' | the text may be cut off");
  CHECK(error_of(head + "/* no end") == "test.ptx:3:1: the comment has no end | close it with */");
  CHECK(error_of(head + ".file 1 \"a\n\"") == "test.ptx:3:9: the string has no end on its line | close it with \"");
  CHECK(error_of(head + ".reg .u32 %r<3>;") ==
        "test.ptx:3:1: registers at module scope are not supported | they ended with PTX 2.0");
  CHECK(error_of(head + ".alias f, g;").find("'f' is not declared") != std::string::npos);
  CHECK(error_of(head + ".address_size 48") == "test.ptx:3:1: an address size is 32 or 64");
}
