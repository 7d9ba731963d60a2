#include "runner/report/advice/source_words.h"

#include "runner/report/words/lines.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

std::vector<std::string> code(std::string_view text) { return code_lines(lines_of(text)); }

}  // namespace

TEST_CASE("comments and what stands in quotes are no code") {
  CHECK(code("a = 1; // 0.5\n/* 0.5\n0.25 */ b = '\"'; c = \"0.5\";\nd = 1'000.0;") ==
        std::vector<std::string>{"a = 1; ", "", " b = ; c = ;", "d = 1'000.0;"});
}

TEST_CASE("a kernel is what stands between its __global__ and the end of its braces") {
  const auto lines = code("// __global__\n__global__ void a() {\n  if (x) { y(); }\n}\nint f() {\n}\n");
  CHECK(kernel_around(lines, 3).head == 2);
  CHECK(kernel_around(lines, 3).last == 4);
  CHECK(kernel_around(lines, 4).head == 2);
  CHECK(kernel_around(lines, 6).head == 0);  // f's, which is no kernel
  CHECK(kernel_around(lines, 1).head == 0);
  CHECK(kernel_around(lines, 4'000'000'000).head == 0);
  CHECK(kernel_around(code("__global__ void a() {"), 1).head == 0);  // it never ends
}

TEST_CASE("of several shared arrays the largest is the one that takes the room") {
  const auto lines = code("__global__ void a() {\n__shared__ float x[4];\n__shared__ float t[32][33];\nint i;\n}\n");
  CHECK(shared_declaration(lines, {1, 5}) == 3);
  CHECK(shared_declaration(lines, {1, 2}) == 2);
  CHECK(shared_declaration(lines, {4, 5}) == 0);
  CHECK(shared_declaration(code("extern __shared__ float s[];"), {1, 1}) == 1);
  CHECK(shared_declaration(code("__shared__ int s[99999999999999999999][9999999][99999];"), {1, 1}) == 1);
}

TEST_CASE("a literal without f is a double, and so is what stands for one") {
  const auto word = [](std::string_view text, std::uint32_t line = 1) { return double_word(code(text), line); };
  CHECK(word("v = v * 0.5 + 2.0f;") == "0.5");
  CHECK(word("v = v * .5;") == ".5");
  CHECK(word("v = v * 1e-3;") == "1e-3");
  CHECK(word("v = v * 2.;") == "2.");
  CHECK(word("v = v * 0.5f + 2 + 0x1E + 1e3F + x.y + a[1].x;").empty());
  CHECK(word("v = M_PI * v;") == "M_PI");
  CHECK(word("#define PI 3.14\nv = PI * v;", 2) == "PI");
  CHECK(word("#define PI 3.14f\nv = PI * v;", 2).empty());
  CHECK(word("const double HALF = x();\nv = HALF * v;", 2) == "HALF");
  CHECK(word("v = pow(v, 2);") == "pow()");
  CHECK(word("v = powf(v, 2) + my.pow(v);").empty());
  CHECK(word("v = 0.5;", 2).empty());
  CHECK(word("v = 0.5;", 0).empty());
}

TEST_CASE("a kernel's work is its first loop, else what it assigns last") {
  CHECK(work_line(code("__global__ void a() {\nint i = 1;\nfor (;;) i += 1;\nj = i;\n}"), {1, 5}) == 3);
  CHECK(work_line(code("__global__ void a() {\nint i = 1;\nj = i;\nif (i == 2 || i <= 3) f();\n}"), {1, 5}) == 3);
  CHECK(work_line(code("__global__ void a() {}"), {1, 1}) == 0);
}

TEST_CASE("a word stands by itself") {
  const auto lines = code("double x;\nmy_double y;");
  CHECK(has_word(lines, {1, 1}, "double"));
  CHECK_FALSE(has_word(lines, {2, 2}, "double"));
  CHECK_FALSE(has_word(lines, {0, 0}, "double"));
}
