#include "runner/student_file/host_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/catch.h"

namespace gpulab {
namespace {

/// `text` with the bodies that were taken out written as {-}.
std::string short_form(std::string text) {
  const auto body = fmt::format("{{ asm volatile(\"// {}\"); ", host_body_mark);
  for (auto at = text.find(body); at != std::string::npos; at = text.find(body)) text.replace(at, body.size(), "{-");
  return text;
}

std::string without(const std::string& source, const std::vector<int>& lines) {
  const auto text = without_host_code(source, lines);
  return text ? short_form(*text) : "nothing";
}

TEST_CASE("host code is told by main and launches, not by what comments and names hold") {
  CHECK(host_code("int main (int, char**) { k<<<1, 2>>>(); }") == std::vector<std::string>{"main", "<<<>>>"});
  CHECK(host_code("__global__ void k() { domain(); }").empty());
  CHECK(host_code("// k<<<1, 2>>>() in main()\nprintf(\"<<<\");").empty());
  CHECK(host_code("void launch() { k<<<1, 2>>>(); }") == std::vector<std::string>{"<<<>>>"});
}

TEST_CASE("a wrong line of a host function takes out its body, and all lines keep their numbers") {
  CHECK(without("__global__ void k() {}\nint main() {\n  wrong;\n}\nint n;", {3}) ==
        "__global__ void k() {}\nint main() {-\n\n}\nint n;");
  CHECK(without("namespace a { struct S {\n  void f() { wrong; }\n  void g() {}\n}; }", {2}) ==
        "namespace a { struct S {\n  void f() {-}\n  void g() {}\n}; }");
  CHECK(without("extern \"C\" {\nvoid f() {\nwrong; }\n}", {3}) == "extern \"C\" {\nvoid f() {-\n}\n}");
  CHECK(without("template <class T> void f(T x) {\nif (x) { wrong; }\n}\n", {2}) ==
        "template <class T> void f(T x) {-\n\n}\n");
}

TEST_CASE(
    "what is declared wrongly for the host goes as a whole, and so do the line of an include and a body twice named") {
  CHECK(without("Wrong w;\nint n;", {1}) == "        \nint n;");
  CHECK(without("Wrong a[] = {1,\n 2};\nint n;", {2}) == "               \n    \nint n;");
  CHECK(without("#include \"gone.h\"\nint n;", {1}) == "                 \nint n;");
  const auto once = without_host_code("Wrong f() {\n  wrong;\n}\nint n;", {2});
  REQUIRE(once);
  CHECK(without(*once, {1}).ends_with("\nint n;"));
  CHECK(without(*once, {1}).find("Wrong") == std::string::npos);
}

TEST_CASE("device code stays: a wrong line of it takes out nothing") {
  CHECK(without("__global__ void k() {\n wrong;\n}", {2}) == "nothing");
  CHECK(without("template <class T>\n__host__ __device__ T f(T x) {\n wrong;\n}", {3}) == "nothing");
  CHECK(without("__constant__ Wrong w;", {1}) == "nothing");
  CHECK(without("constexpr int f() {\n return wrong; }", {2}) == "nothing");
  CHECK(without("int main() {\n wrong; }\n__global__ void k() {\n wrong; }", {2, 4}) == "nothing");
  CHECK(without("int n;\n", {7}) == "nothing");
  CHECK(without("int n;\n", {0}) == "nothing");
}

TEST_CASE("braces of comments, literals and the preprocessor open nothing") {
  const std::string source =
      "#define OPEN { \\\n  {\n// {\nconst char* t = \"{\";\nint main() { char c = '{';\n wrong; }\n";
  CHECK(without(source, {6}) == "#define OPEN { \\\n  {\n// {\nconst char* t = \"{\";\nint main() {-\n}\n");
  CHECK(without("}}}} int main() {\nwrong; }", {2}) == "}}}} int main() {-\n}");
}

TEST_CASE("all bodies of the host at once leave kernels, device functions and types") {
  CHECK(short_form(without_host_bodies("struct P { int x; };\nint f() { return 1; }\n__device__ int g() { return 2; }\n"
                                       "__global__ void k() { g(); }\nint main() { k<<<1, 1>>>(); }\n")) ==
        "struct P { int x; };\nint f() {-}\n__device__ int g() { return 2; }\n__global__ void k() { g(); }\n"
        "int main() {-}\n");
}

}  // namespace
}  // namespace gpulab
