#include "runner/student_file/arguments/template_kernels.h"

#include "runner/judge/kernel_search/find_kernel.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("a template kernel is known by its name, its own parameters and the function's") {
  const auto found = template_kernels(
      "namespace a { namespace b::c {\n"
      "template <typename T, class U, int N, bool FLAG = true>\n"
      "__global__ void __launch_bounds__(256, 2) total(const T* in, T* out, int n) { if (n > N) { out[0] = 1; } }\n"
      "} }\n"
      "template <class T> __device__ T helper(T x) { return x; }\n"
      "__global__ void plain(int* out) {}\n"
      "template<unsigned int B> static __global__ void last() {}\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "a::b::c::total");
  CHECK(found[0].parameters == Strings{"typename", "typename", "int"});
  CHECK(found[0].arguments == 3);
  CHECK(found[1].name == "last");
  CHECK(found[1].arguments == 0);
}

TEST_CASE("text that is no C++ gives no template kernels, and no crash") {
  for (const char* text :
       {"template __global__", "template < __global__ (", "template <typename T __global__ void k(",
        "}}}} template<> __global__ void (int)", "template <class T> __global__ void __launch_bounds__",
        "template <class... T> __global__ void k(T... all) {}"})
    CHECK(template_kernels(text).empty());
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "template<class T> namespace{";
  CHECK(template_kernels(deep).empty());
}

TEST_CASE("instances are those of the contract's types, of the kernel that has its name") {
  Contract contract{
      .name = "total", .signature = "(const T* in, T* out, int n)", .summary = "", .types = {Scalar::i32, Scalar::f32}};
  const std::string source =
      "template <typename T> __global__ void total(const T* a, T* b, int c) {}\n"
      "template <typename T> __global__ void other(const T* a, T* b, int c) {}\n"
      "template <typename T> __global__ void total(const T* a) {}\n";
  CHECK(wanted_instances(source, {contract}, "") == "total<int>\ntotal<float>");
  CHECK(wanted_instances(source, {contract}, "other") == "other<int>\nother<float>");
  CHECK(wanted_instances(source, {contract}, "other<double>") == "other<double>");
  CHECK(wanted_instances("__global__ void total(const int* a, int* b, int c) {}", {contract}, "").empty());
  contract.types.clear();
  contract.signature = "(const float* in, float* out, int n)";
  CHECK(wanted_instances("template <int TILE> __global__ void k(const float* a, float* b, int c) {}", {contract}, "") ==
        "k<256>");
}

KernelSignature kernel(const Strings& types) {
  KernelSignature made{"k", {}};
  for (const auto& type : types) {
    KernelParameter parameter;
    parameter.type = type;
    parameter.floating = type == "float" || type == "double";
    parameter.bytes = type == "int" || type == "unsigned int" || type == "float" ? 4 : 8;
    made.parameters.push_back(parameter);
  }
  return made;
}

TEST_CASE("a signature fits whatever the const of its inputs and the width of its integers") {
  const Contract contract{.name = "total",
                          .signature = "(const T* in, T* out, int n)",
                          .summary = "",
                          .types = {Scalar::i32, Scalar::f32},
                          .more_types = {Scalar::f64}};
  CHECK(fit(contract, kernel({"int const*", "int*", "int"}))->type == Scalar::i32);
  CHECK(fit(contract, kernel({"float*", "float*", "unsigned long"}))->type == Scalar::f32);
  CHECK(fit(contract, kernel({"double const*", "double*", "unsigned int"}))->type == Scalar::f64);
  CHECK_FALSE(fit(contract, kernel({"long const*", "long*", "int"})));
  CHECK_FALSE(fit(contract, kernel({"int const*", "float*", "int"})));
  CHECK_FALSE(fit(contract, kernel({"int const*", "int const*", "int"})));
  CHECK_FALSE(fit(contract, kernel({"int const*", "int*", "float"})));
  CHECK_FALSE(fit(contract, kernel({"int const*", "int*"})));
  const auto wide = adapted({BufferArgument{"in"}, BufferArgument{"out"}, std::int32_t{7}},
                            kernel({"int const*", "int*", "unsigned long"}));
  CHECK(std::get<std::int64_t>(wide[2]) == 7);
}

TEST_CASE("an instance of a template kernel has arguments of the kinds that it asks for") {
  const auto found = template_kernels("template <typename T, int TILE, bool CHECKED>\n__global__ void total(T* x) {}");
  REQUIRE(found.size() == 1);
  CHECK(instance_of(found[0]) == "total<float, 256, true>");
}

}  // namespace
}  // namespace gpulab
