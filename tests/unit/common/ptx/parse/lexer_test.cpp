#include "common/ptx/parse/lexer.h"

#include <string>
#include <vector>

#include "tests/catch.h"

using namespace gpulab::ptx;

namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    found.emplace_back(token.text);
    if (token.kind == TokenKind::bad) break;
  }
  return found;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("an opcode with its modifiers is one word") {
  CHECK(words("ld.global.nc.v4.f32 x") == Words{"ld.global.nc.v4.f32", "x"});
  CHECK(words("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32") ==
        Words{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32"});
}

TEST_CASE("a label keeps its colon apart") {
  CHECK(words("$L__BB0_1:.loc") == Words{"$L__BB0_1", ":", ".loc"});
  CHECK(words("a : .callprototype") == Words{"a", ":", ".callprototype"});
}

TEST_CASE("directives end at the next dot") { CHECK(words(".param.u32 .b8 x") == Words{".param", ".u32", ".b8", "x"}); }

TEST_CASE("percent opens a register name or is an operator") {
  CHECK(words("%r1|%p2 5 % 3") == Words{"%r1", "|", "%p2", "5", "%", "3"});
  CHECK(words("%tid.x") == Words{"%tid.x"});
}

TEST_CASE("literals are one token each") {
  CHECK(words("0x1E+4") == Words{"0x1E", "+", "4"});
  CHECK(words("1.5e-3-2") == Words{"1.5e-3", "-", "2"});
  CHECK(words("0d3FE0000000000000,-0f3f800000") == Words{"0d3FE0000000000000", ",", "-", "0f3f800000"});
  CHECK(words("42U 9.0 1.") == Words{"42U", "9.0", "1."});
  CHECK(words("[%r1+-4]") == Words{"[", "%r1", "+", "-", "4", "]"});
}

TEST_CASE("comments and preprocessor lines are passed") {
  CHECK(words("a // b\nc /* d\n e */ f\n#line 3\n g # h").size() == 5);  // '#' within a line is bad
  CHECK(words("a // b") == Words{"a"});
  CHECK(words("@@DWARF .byte 3\nret") == Words{"ret"});
}

TEST_CASE("lines are counted through comments and skipped bodies") {
  Lexer lexer("a\n/* \n\n */ b { c\n } d");
  CHECK(lexer.next().line == 1);
  CHECK(lexer.next().line == 4);
  CHECK(lexer.next().punctuation == '{');
  REQUIRE(lexer.skip_braces());
  const Token token = lexer.next();
  CHECK(token.text == "d");
  CHECK(token.line == 5);
}

TEST_CASE("braces in strings and comments do not end a skipped body") {
  Lexer lexer("{ \"}\" // }\n /* } */ { } / } after");
  (void)lexer.next();
  REQUIRE(lexer.skip_braces());
  CHECK(lexer.next().text == "after");
}

TEST_CASE("bodies are skipped one after another") {
  Lexer lexer("{ \"}\" } a { /* } */ } b { // }\n } c { { } } d");
  for (const char* after : {"a", "b", "c", "d"}) {
    CHECK(lexer.next().punctuation == '{');
    REQUIRE(lexer.skip_braces());
    CHECK(lexer.next().text == after);
  }
}

TEST_CASE("a body without an end is not skipped") {
  for (const char* text : {"{", "{ {}", "{ // }", "{ /* }", "{ \"}"}) {
    Lexer lexer(text);
    (void)lexer.next();
    CHECK_FALSE(lexer.skip_braces());
  }
}

TEST_CASE("open strings and comments and foreign characters are bad tokens") {
  for (const std::string text : {"\"abc", "\"abc\n\"", "/* abc", "/*/", "\x01", "\xc3", "`", "'", "\\", "$ ", "."}) {
    Lexer lexer(text);
    INFO(text);
    CHECK((lexer.next().kind == TokenKind::bad || text == "$ "));
  }
}

TEST_CASE("zero bytes at the end are the end, elsewhere they are bad") {
  CHECK(words(std::string_view("ret\0\0", 5)) == Words{"ret"});
  Lexer lexer(std::string_view("\0ret", 4));
  CHECK(lexer.next().kind == TokenKind::bad);
}

TEST_CASE("an empty text has no tokens") { CHECK(words("").empty()); }
