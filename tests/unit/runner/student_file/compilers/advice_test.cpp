// What is said beside the errors of nvcc's programs.
#include "runner/student_file/compilers/advice.h"

#include "tests/catch.h"

namespace gpulab {
namespace {

std::string told(std::string_view log, std::vector<SourceText> sources = {}) {
  std::string all;
  for (const auto& sentence : advice_on(log, sources)) all += sentence + "\n";
  return all;
}

TEST_CASE("a dynamic array that two instances of a template declare of two types gets advice, another error none") {
  const std::string source =
      "template <typename T>\n__global__ void k(T* x) {\n  extern __shared__ T s[];\n  T y;\n}\n";
  const CompileError error{"k.cu", "declaration is incompatible with previous \"s\" (declared at line 3)", 3};
  CHECK(advice_on(error, source).find("unsigned char memory[]; and T* s = reinterpret_cast<T*>(memory)") !=
        std::string::npos);
  CHECK(advice_on({"k.cu", error.text, 4}, source).empty());
  CHECK(advice_on({"k.cu", "expected a \";\"", 3}, source).empty());
  CHECK(advice_on({"k.cu", error.text, 0}, source).empty());
  CHECK(advice_on({"k.cu", error.text, 99}, source).empty());
}

TEST_CASE("static shared memory beyond the limit is told in decimal, with the array's line") {
  const SourceText source{"k.cu",
                          "__global__ void other() {\n  __shared__ int a[1];\n}\n__global__ void k(float* x) {\n"
                          "  __shared__ float buf[16384];\n}\n"};
  CHECK(
      told("ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x10000 bytes, 0xc000 max)\n",
           {source}) ==
      "k(float*) has 65536 bytes of static shared memory (k.cu:5), and 49152 are the most: make the array smaller, or "
      "dynamic (extern __shared__ T s[], its bytes as the third argument in <<<>>>, allowed before by "
      "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))\n");
}

TEST_CASE("what is declared and nowhere defined is told with the line that declares it") {
  const SourceText source{"k.cu", "#include <cstdio>\nextern __device__ float helper(float x);\n"};
  CHECK(told("ptxas fatal   : Unresolved extern function '_Z6helperf'\n", {source}) ==
        "the device function helper(float) is declared (k.cu:2) and defined in none of these files: device code of "
        "several "
        "files has to be linked, by nvcc -rdc=true with all of them; or define it here\n");
  CHECK(
      told("ptxas fatal   : Unresolved extern variable 'table'\n").find("the device variable table is declared and") ==
      0);
  CHECK(told("nvlink error   : Undefined reference to '_Z6helperf' in '/tmp/a.o'\n", {source}) ==
        "helper(float) is declared (k.cu:2) and defined in none of the files that are linked: give nvcc the file that "
        "has "
        "it, too, compiled with -rdc=true\n");
}

TEST_CASE("what several files define is told once") {
  CHECK(
      told("/usr/bin/ld: b.o: in function `twice(float)':\n/tmp/b.cu:2: multiple definition of `twice(float)'; a.cu:2\n"
           "/tmp/c.cu:2: multiple definition of `twice(float)'; a.cu:2\n") ==
      "twice(float) is defined in several files: in a header, functions are to be inline, and a variable is declared "
      "there by extern and defined in one .cu file\n");
  CHECK(told("nvlink error   : Multiple definition of '_Z5twicef' in 'b.o', first defined in 'a.o'\n")
            .starts_with("twice(float) is"));
}

TEST_CASE("a function of the host's that a kernel calls is told with its line; one of std:: is not to be changed") {
  const SourceText source{"k.cu", "float host_only(float x) { return x; }\n"};
  const std::string said =
      "k.cu(4): error: calling a __host__ function(\"host_only(float)\") from a __global__ function(\"k\") ";
  CHECK(told(said + "is not allowed\n", {source}) ==
        "host_only(float) (k.cu:1) is compiled for the host alone: write __device__ before it (or __host__ "
        "__device__), so "
        "that kernels may call it\n");
  CHECK(told("k.cu(4): error: calling a __host__ function(\"std::sort(int *)\") from").empty());
}

TEST_CASE("lines of compilers that end anywhere are read") {
  for (const char* line :
       {"Unresolved extern function '", "Entry function '_Z1kPf' uses too much shared data (0x", "nvlink", ""})
    CHECK(told(line).empty());
  CHECK(told(std::string(100000, '(')).empty());
}

}  // namespace
}  // namespace gpulab
