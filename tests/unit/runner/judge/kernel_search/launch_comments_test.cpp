#include "runner/judge/kernel_search/launch_comments.h"

#include "labs/registry.h"
#include "runner/listing/contract_text.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("a comment says which blocks the kernel below it is made for") {
  CHECK(launches_in_comments("// gpulab: block 32x8 for 32x32\n__global__ void k(int* x) {}", "k") ==
        Texts{"32x8 for 32x32"});
  CHECK(launches_in_comments("/* gpulab:  blocks  64,\t128 */ __global__ void k(int* x) {}", "k") ==
        Texts{"64", "128"});
  CHECK(launches_in_comments("/*\n * gpulab: block 64\n */ __global__ void k(int* x) {}", "k") == Texts{"64"});
  CHECK(launches_in_comments("__global__ void k(int* x) {\n  // gpulab: block 64\n}", "k") == Texts{"64"});
  CHECK(launches_in_comments("// gpulab: block 32x8   for\t 32x32\r\n__global__ void k() {}", "k") ==
        Texts{"32x8 for 32x32"});
}

TEST_CASE("what stands in a literal says nothing, and what #if leaves out does") {
  CHECK(launches_in_comments("const char* s = \"// gpulab: block 64\";\n__global__ void k() {}", "k").empty());
  CHECK(launches_in_comments("auto s = R\"(\n// gpulab: block 64\n)\";\n__global__ void k() {}", "k").empty());
  CHECK(launches_in_comments("#if 0\n// gpulab: block 64\n#endif\n__global__ void k() {}", "k") == Texts{"64"});
}

TEST_CASE("other comments that name gpulab ask for nothing") {
  for (const char* text : {"// gpulab check reduce: block 64", "// gpulab: a block of 64", "// gpulab: blocking 64",
                           "// gpulab: block", "// see gpulab: block 64", "// gpulab:"})
    CHECK(launches_in_comments(std::string(text) + "\n__global__ void k() {}", "k").empty());
}

TEST_CASE("of two kernels each has its own comments; one that has none takes those at the top of the file") {
  const std::string two =
      "// gpulab: block 64\n__global__ void __launch_bounds__(64) a(int* x) { if (x) { x[0] = 1; } }\n"
      "// gpulab: block 128\ntemplate <typename T>\n__global__ void b(T* x) {}\n";
  CHECK(launches_in_comments(two, "a") == Texts{"64"});
  CHECK(launches_in_comments(two, "b") == Texts{"128"});
  const std::string helped = "__global__ void helper() {}\n__global__ void k() {}";
  CHECK(launches_in_comments("// gpulab: block 64\n#include <cstdio>\n" + helped, "k") == Texts{"64"});
  CHECK(launches_in_comments("#include <cstdio>\n// gpulab: block 64\n" + helped, "k").empty());  // the helper's
  CHECK(launches_in_comments("int x;\n// gpulab: block 64\n" + helped, "k").empty());
}

TEST_CASE("a text that is no program ends the search, and nothing else") {
  CHECK(launches_in_comments("__global__ ( ( { // gpulab: block 64", "k").empty());
  CHECK(launches_in_comments("/* gpulab: block 64", "k") == Texts{"64"});
  CHECK(launches_in_comments("R\"(", "k").empty());
  CHECK(launches_in_comments("// gpulab: block 64 \\", "k") == Texts{"64 \\"});
  CHECK(launches_in_comments("", "k").empty());
  std::string many = "// gpulab: block 1";
  for (int i = 0; i < 10000; ++i) many += ", 1";
  CHECK(launches_in_comments(many, "k").size() == 32);
  std::string lines;  // 4 MB, each of which was once looked through for each of its lines
  for (int i = 0; i < 200000; ++i) lines += "// gpulab: block 64\n";
  CHECK(launches_in_comments(lines + "__global__ void k() {}", "k").size() == 32);
}

TEST_CASE("no starter asks for a block, though each says how a source does") {
  for (const auto& lab : all_labs())
    for (const auto& contract : lab.contracts)
      CHECK(launches_in_comments(starter_text(lab, contract), contract.name).empty());
}

}  // namespace
}  // namespace gpulab
