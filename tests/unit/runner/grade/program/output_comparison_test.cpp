#include "runner/grade/program/output_comparison.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

const OutputRule exact, strict{.space_counts = true};
const OutputRule numbers{.by = OutputRule::By::numbers, .absolute = 0.01, .relative = 1e-3};

}  // namespace

TEST_CASE("exact: white space at the ends of lines and empty lines at the end are nothing, unless they count") {
  CHECK(difference("a b\nc\n", "a b  \r\nc\n\n\n", exact).empty());
  CHECK(difference("a b\n", "a b \n", strict) == "line 1 is 'a b ', not 'a b': white space at its end counts here");
  CHECK(difference("a\n", "a", strict) == "the output ends before line 2: ''");
  CHECK(difference("a\n", "a\n", strict).empty());
  CHECK(difference("a b", "a  b", exact) == "line 1 is 'a  b', not 'a b'");
}

TEST_CASE("exact: the first line that differs is told, one too few and one too many, too") {
  CHECK(difference("a\nb\n", "", exact) == "there is no output; line 1 should be 'a'");
  CHECK(difference("a\nb\n", "a\n", exact) == "the output ends before line 2: 'b'");
  CHECK(difference("a\n", "a\nb\n", exact) == "line 2 is too much: 'b'");
  CHECK(difference("", "", exact).empty());
}

TEST_CASE("what a program printed cannot write to a terminal by way of a message, nor fill a page") {
  CHECK(difference("a", "\x1b[2J", exact) == "line 1 is '\\x1b[2J', not 'a'");
  CHECK(difference("a", std::string(1000, 'x'), exact).size() < 130);
}

TEST_CASE("numbers: words that are numbers on both sides may differ by the larger tolerance, other words not at all") {
  CHECK(difference("x=3.5, 1e6", "x = 3.509,  1000999", numbers).empty());
  CHECK(difference("sum 3.5", "sum 3.52", numbers) == "line 1: '3.52' is not '3.5' within 0.01, or 0.001 of it");
  CHECK(difference("sum 1", "total 1", numbers) == "line 1: 'total' is not 'sum'");
  CHECK(difference("1\n2\n3", "1\n2", numbers) == "the output ends behind 2 words, where '3' should follow");
  CHECK(difference("1", "1\n7", numbers) == "line 2: '7' is too much");
  CHECK(difference("1", "", numbers) == "there is no output; it should begin with '1'");
}

TEST_CASE("numbers: NaN is right where NaN is expected and nowhere else, infinities by their sign") {
  CHECK(difference("nan inf -inf", "-nan INF -inf", numbers).empty());
  CHECK(difference("1", "nan", numbers) == "line 1: 'nan' is not '1' within 0.01, or 0.001 of it");
  CHECK_FALSE(difference("nan", "1", numbers).empty());
  CHECK_FALSE(difference("inf", "-inf", numbers).empty());
  CHECK_FALSE(difference("inf", "1e308", numbers).empty());
  CHECK_FALSE(difference("1e308", "-1e308", numbers).empty());
}
