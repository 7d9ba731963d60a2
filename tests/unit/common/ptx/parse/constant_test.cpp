#include "common/ptx/parse/constant.h"

#include <bit>

#include "common/error.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

Constant constant(std::string_view text) {
  TokenStream tokens(text, "test");
  const Constant value = parse_constant(tokens);
  REQUIRE(tokens.at(TokenKind::end));
  return value;
}

std::int64_t integer(std::string_view text) {
  const Constant value = constant(text);
  REQUIRE(value.kind == Constant::Kind::integer);
  return value.as_signed();
}

std::string error_of(std::string_view text) {
  try {
    (void)constant(text);
  } catch (const Error& error) {
    return std::string(error.what()) + (error.hint.empty() ? "" : " | ") + error.hint;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("integer literals of every base") {
  CHECK(integer("42") == 42);
  CHECK(integer("0x2a") == 42);
  CHECK(integer("0X2AU") == 42);
  CHECK(integer("052") == 42);
  CHECK(integer("0b101010") == 42);
  CHECK(integer("0") == 0);
  CHECK(integer("00") == 0);
  CHECK(integer("WARP_SZ") == 32);
}

TEST_CASE("integers are signed unless they do not fit or say U") {
  CHECK_FALSE(constant("9223372036854775807").is_unsigned);
  CHECK(constant("9223372036854775808").is_unsigned);
  CHECK(constant("1U").is_unsigned);
  CHECK(constant("0xFFFFFFFFFFFFFFFF").bits == UINT64_MAX);
}

TEST_CASE("operators bind as in C") {
  CHECK(integer("1+2*3") == 7);
  CHECK(integer("(1+2)*3") == 9);
  CHECK(integer("10-4-3") == 3);
  CHECK(integer("1<<4|3") == 19);
  CHECK(integer("7 % 4") == 3);
  CHECK(integer("6 & 3 == 3") == 0);
  CHECK(integer("1 ? 2 : 3 ? 4 : 5") == 2);
  CHECK(integer("0 || 1 && 0") == 0);
  CHECK(integer("5>=5") == 1);
  CHECK(integer("4<=3") == 0);
  CHECK(integer("1!=2") == 1);
  CHECK(integer("6^3") == 5);
  CHECK(integer("-WARP_SZ+1") == -31);
  CHECK(integer("+ -4") == -4);
  CHECK(integer("~0") == -1);
  CHECK(integer("!5") == 0);
}

TEST_CASE("signedness decides on comparison, division and right shift") {
  CHECK(integer("-1 < 1") == 1);
  CHECK(integer("-1 < 1U") == 0);
  CHECK(integer("-8 >> 1") == -4);
  CHECK(integer("(.u64)-8 >> 60") == 15);
  CHECK(integer("-7 / 2") == -3);
  CHECK(integer("(.s64)0xFFFFFFFFFFFFFFFE / 2") == -1);
}

TEST_CASE("what C leaves undefined has a value here") {
  CHECK(integer("1 << 64") == 0);
  CHECK(integer("-1 >> 100") == -1);
  CHECK(integer("0x8000000000000000U >> 64") == 0);
  CHECK(integer("(-9223372036854775807 - 1) / -1") == INT64_MIN);
  CHECK(integer("(-9223372036854775807 - 1) % -1") == 0);
  CHECK(integer("9223372036854775807 + 1") == INT64_MIN);
}

TEST_CASE("floating-point literals keep their bits") {
  CHECK(constant("0f3F800000").kind == Constant::Kind::f32);
  CHECK(constant("0F7fc00001").bits == 0x7fc00001);
  CHECK(constant("-0f3F800000").bits == 0xbf800000);
  CHECK(constant("0d7FF8000000000001").bits == 0x7ff8000000000001);
  CHECK(constant("1.5").as_double() == 1.5);
  CHECK(constant("-1.5e-3").as_double() == -1.5e-3);
  CHECK(constant("1.").as_double() == 1.0);
  CHECK(constant("1e5").as_double() == 1e5);
  CHECK(constant("1.5+2.0*2.0").as_double() == 5.5);
  CHECK(integer("1.5 > 1.0") == 1);
  CHECK(std::bit_cast<std::uint64_t>(constant("-0.0").as_double()) == std::uint64_t{1} << 63);
}

TEST_CASE("malformed constants are errors that say why") {
  CHECK(error_of("0f3F8") == "malformed literal '0f3F8' | '0f' takes exactly 8 hexadecimal digits");
  CHECK(error_of("0d3FF000000000000Z") ==
        "malformed literal '0d3FF000000000000Z' | '0d' takes exactly 16 hexadecimal digits");
  CHECK(error_of("08") ==
        "malformed literal '08' | integers look like 42, 0x2A, 052, 0b101010, each with an optional U");
  CHECK(error_of("0x") ==
        "malformed literal '0x' | integers look like 42, 0x2A, 052, 0b101010, each with an optional U");
  CHECK(error_of("0x1FFFFFFFFFFFFFFFF") == "malformed literal '0x1FFFFFFFFFFFFFFFF' | it does not fit 64 bits");
  CHECK(error_of("1.0f") ==
        "malformed literal '1.0f' | floating-point literals look like 1.5, 1e-3, 0f3FC00000 or "
        "0d3FF8000000000000");
  CHECK(error_of("1e999") == "malformed literal '1e999' | it does not fit .f64");
  CHECK(error_of("1/0") == "division by zero in a constant expression");
  CHECK(error_of("1 % 0") == "division by zero in a constant expression");
  CHECK(error_of("1.5<<2") == "'<<' takes integers only");
  CHECK(error_of("~1.5") == "'~' takes integers only");
  CHECK(error_of("(.s64)1.5") == "only integers can be cast");
  CHECK(error_of("(1") == "expected ')' to match '(', found the end of the text");
  CHECK(error_of("1?2") == "expected ':' between the values of a conditional expression, found the end of the text");
  CHECK(error_of("1+") == "expected a constant, found the end of the text");
}

TEST_CASE("nesting has a bound, length has none") {
  CHECK(error_of(std::string(100, '(') + "1" + std::string(100, ')')) == "the expression is nested too deeply");
  CHECK(error_of(std::string(100000, '-') + "1") == "the expression is nested too deeply");
  std::string sum = "0";
  for (int i = 0; i < 10000; ++i) sum += "+1";
  CHECK(integer(sum) == 10000);
}
