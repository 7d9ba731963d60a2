#include <cstring>
#include <deque>

#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

const std::string head = ".version 8.3\n.target sm_90\n";

/// Names are views into a module's own strings: modules stay.
const std::vector<Variable>& variables(const std::string& text) {
  static std::deque<Module> modules;
  return modules.emplace_back(parse(head + text, "test.ptx")).variables;
}

Variable variable(const std::string& text) { return variables(text).back(); }

using Bytes = std::vector<std::uint8_t>;

std::string error_of(const std::string& text) {
  try {
    (void)parse(head + text, "test.ptx");
  } catch (const Error& error) {
    return error.where.substr(8) + ": " + error.what() + (error.hint.empty() ? "" : " | ") + error.hint;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("variables know their size, alignment and state space") {
  const Variable matrix = variable(".shared .align 16 .v2 .f32 tile[4][3];");
  CHECK(matrix.space == Space::shared);
  CHECK(matrix.size == 4 * 3 * 8);
  CHECK(matrix.align == 16);
  CHECK(matrix.vector == 2);
  CHECK(matrix.is_array);
  const Variable natural = variable(".global .f64 x;");
  CHECK(natural.align == 8);
  CHECK_FALSE(natural.is_array);
  CHECK(variable(".global .v4 .f32 x;").align == 16);
  CHECK(variable(".global .b128 x;").size == 16);
  CHECK(variable(".const[2] .u16 old;").space == Space::constant);
  CHECK(variable(".global .attribute(.managed) .align 4 .u32 m = 4;").is_managed);
}

TEST_CASE("one declaration may name several variables") {
  const auto found = variables(".global .u32 a, b[2] = {1, 2}, c<3>;");
  REQUIRE(found.size() == 5);
  CHECK(found[1].size == 8);
  CHECK(found[4].name == "c2");
}

TEST_CASE("numbers are stored little endian in the variable's type") {
  CHECK(variable(".global .u32 x = 0x01020304;").initial == Bytes{4, 3, 2, 1});
  CHECK(variable(".global .s16 x = -2;").initial == Bytes{0xfe, 0xff});
  CHECK(variable(".global .b8 x[3] = {0x1ff, 2};").initial == Bytes{0xff, 2});
  CHECK(variable(".global .f32 x = 1.0;").initial == Bytes{0, 0, 0x80, 0x3f});
  CHECK(variable(".global .f32 x = 0f40000000;").initial == Bytes{0, 0, 0, 0x40});
  CHECK(variable(".global .b32 x = 0f40000000;").initial == Bytes{0, 0, 0, 0x40});
  CHECK(variable(".global .f64 x = 1;").initial == Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(variable(".global .u8 x = 1 << 4 | 1;").initial == Bytes{0x11});
}

TEST_CASE("rows of nested initialisers start at their own element") {
  CHECK(variable(".global .u8 x[2][3] = {{1, 2}, {3}};").initial == Bytes{1, 2, 0, 3});
  CHECK(variable(".global .u8 x[2][2][2] = {{{1}, {2}}, {{3, 4}}};").initial == Bytes{1, 0, 2, 0, 3, 4});
  CHECK(variable(".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};").initial == Bytes{1, 2, 3, 4});
  CHECK(variable(".global .v4 .u8 x = {1, 2, 3, 4};").initial == Bytes{1, 2, 3, 4});
}

TEST_CASE("an open array is as large as its initialiser") {
  CHECK(variable(".global .u32 x[] = {1, 2, 3};").size == 12);
  CHECK(variable(".global .u32 x[][2] = {{1, 2}, {3}};").size == 16);
}

TEST_CASE("addresses in initialisers become relocations") {
  const auto found = variables(".global .u32 a[4]; .global .u64 p[3] = {a, generic(a)+8, a-4};");
  const auto& relocations = found.back().relocations;
  REQUIRE(relocations.size() == 3);
  CHECK(relocations[0].symbol == "a");
  CHECK_FALSE(relocations[0].generic);
  CHECK(relocations[1].offset == 8);
  CHECK(relocations[1].addend == 8);
  CHECK(relocations[1].generic);
  CHECK(relocations[2].addend == -4);
  CHECK(found.back().initial.size() == 24);
}

TEST_CASE("single bytes of an address can be initial values") {
  const auto found = variables(".global .u32 a; .global .u8 p[3] = {7, 0xFF(a+4), 0xFF00(generic(a))+8};");
  const auto& relocations = found.back().relocations;
  REQUIRE(relocations.size() == 2);
  CHECK(relocations[0].size == 1);
  CHECK(relocations[0].shift == 0);
  CHECK(relocations[0].addend == 4);
  CHECK(relocations[1].offset == 2);
  CHECK(relocations[1].shift == 8);
  CHECK(relocations[1].addend == 8);
  CHECK(relocations[1].generic);
}

TEST_CASE("opaque variables and their properties are taken") {
  CHECK(variable(".global .samplerref s = { addr_mode_0 = wrap, filter_mode = nearest };").type.name == "samplerref");
  CHECK(variable(".global .texref t;").size == 8);
}

TEST_CASE("bad variables are errors that say why") {
  CHECK(error_of(".global .u33 x;") ==
        ":3:9: unknown type '.u33' | types are .b8 to .b128, .u8, .s32, .f16x2, .f64, .pred …");
  CHECK(error_of(".global .u32 .f32 x;") == ":3:14: a second type, '.f32'");
  CHECK(error_of(".global x;") == ":3:9: expected a type such as .u32, found 'x'");
  CHECK(error_of(".global .align 3 .u32 x;") == ":3:16: an alignment must be a power of two");
  CHECK(error_of(".global .pred p;") == ":3:15: predicates live in registers only | declare it .reg .pred");
  CHECK(error_of(".global .u32 x[2][];") == ":3:18: only the first dimension of an array may be left open");
  CHECK(error_of(".shared .u32 x[];") == ":3:14: 'x' has no size | only .extern arrays may be without one");
  CHECK(error_of(".global .u32 x[1099511627776][16];") == ":3:14: 'x' is too large | at most 1099511627776 bytes");
  CHECK(error_of(".global .u32 x[-1];") == ":3:16: the array is too large | at most 1099511627776 bytes");
  CHECK(error_of(".global .u32 x[2] = {1, 2, 3};") == ":3:28: more initial values than 'x' holds | it has 8 bytes");
  CHECK(error_of(".global .u32 x[1][2] = {{1}, {2}};") == ":3:30: more initial values than 'x' holds | it has 8 bytes");
  CHECK(error_of(".global .u32 x = 1.5;") == ":3:18: '1.5' is no initial value of type .u32");
  CHECK(error_of(".global .u64 x = y;") ==
        ":3:18: 'y' is not declared | labels and variables of an inner { } are not known outside of it");
  CHECK(error_of(".global .u8 x = 0xF0(x);") == ":3:17: '0xF0' does not select bytes of an address that fit .u8");
  CHECK(error_of(".global .u32 x = {1;") == ":3:20: expected '}' to close the initialiser, found ';'");
  CHECK(error_of(".global .u32 x") ==
        ":3:15: expected ';' after a declaration of variables, found the end of the text");
  CHECK(error_of(".global .u32 x; .global .u32 x;") == ":3:30: 'x' is defined twice");
  CHECK(error_of(".global .u32 x<5000>;") == ":3:16: a number of variables 5000 is too large | at most 1024");
  CHECK(error_of(".global .u8 x[4096][268435456] = {{1}, {1}, {1}, {1}};") ==
        ":3:42: the initialisers are too large | at most 268435456 bytes in all");
  CHECK(error_of(".global .u8 x[] = " + std::string(40, '{') + std::string(40, '}') + ";") ==
        ":3:35: the initialiser is nested too deeply");
}
