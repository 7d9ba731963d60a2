#include "runner/student_file/arguments/filled_arguments.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {
namespace {

KernelSignature kernel(std::vector<KernelParameter> parameters) { return {"k", std::move(parameters)}; }
using Specs = std::vector<std::string>;

TEST_CASE("what is left out follows from the types: threads, ones, iota for what is const, zeros") {
  const auto k = kernel({{"float const*", 8}, {"int*", 8}, {"int", 4}, {"double", 8, true}, {"bool", 1}, {"char", 1}});
  CHECK(filled_arguments(k, {}, 1024) ==
        Specs{"p1:f32[1024]=iota", "p2:i32[1024]=zeros", "p3:i32=1024", "p4:f64=1", "p5:u8=1", "p6:i8=127"});
  const std::vector<FileArgument> given{parse_argument("x:f32[8]=1"), parse_argument("p3:i32[8]=1")};
  CHECK(filled_arguments(k, given, 8).front() == "p3_:i32=8");
}

TEST_CASE("an element of several numbers counts as these, a struct by value is zeros, a name is the parameter's own") {
  auto k = kernel({{"float4 const*", 8}, {"Point", 12, false, true}, {"unsigned long", 8}});
  k.parameters[0].name = "points";
  CHECK(filled_arguments(k, {}, 2) == Specs{"points:f32[8]=iota", "p2:bytes[12]=zeros", "p3:u64=2"});
}

TEST_CASE("what a pointer points to is not guessed") {
  CHECK(error_of([] {
          return filled_arguments(kernel({{"Node*", 8}}), {}, 2);
        }) ==
        "k: parameter 1 (Node*) has to be named: what it points to is not known | --arg 'p1:u8[128]=zeros', as many "
        "bytes as the kernel takes");
  CHECK(error_of([] { return filled_arguments(kernel({{".u64", 8}}), {}, 2); }).starts_with("k: parameter 1 (.u64)"));
}

TEST_CASE("names and types come from the kernel's declaration") {
  auto k = kernel({{".u64", 8}, {".u64", 8}, {".u32", 4}});
  read_declaration(
      "void k(int a); // k\n__global__ void k(const float *__restrict__ in, unsigned char out[], size_t n = 3) {}", k);
  CHECK(k.text() == "k(float const*, unsigned char*, size_t)");
  CHECK(k.parameters[1].name == "out");
  auto mangled = kernel({{"int*", 8}});
  mangled.name = "ns::k<int, 4>";
  read_declaration("template <class T, int n>\n__global__ __launch_bounds__(64) void k(T* data)\n{", mangled);
  CHECK(mangled.parameters[0].name == "data");
  CHECK(mangled.text() == "ns::k<int, 4>(int*)");
}

}  // namespace
}  // namespace gpulab
