#include "common/device/ptx_entries.h"

#include "tests/catch.h"

namespace gpulab {
namespace {

constexpr std::string_view two_kernels = R"(.version 9.0 // .entry in a comment { is not one
.target sm_75
.address_size 64
.global .align 1 .b8 $str[6] = {123, 125, 37, 100, 10, 0};
.func twice(.param .b32 x) { ret; }
.visible .entry first(
  .param .u64 first_param_0
)
.maxntid 256, 1, 1
{
  { .reg .b32 temp; } /* } */
  ret;
}
	.weak .entry second()
{
  .pragma "nounroll } ";
  ret;
}
)";

TEST_CASE("entries are found with their linkage and their whole body") {
  const auto found = outline(two_kernels);
  REQUIRE(found.entries.size() == 2);
  CHECK(found.separable);
  CHECK(found.entries[0].name == "first");
  CHECK(two_kernels.substr(found.entries[0].begin).substr(0, 21) == ".visible .entry first");
  CHECK(two_kernels.substr(found.entries[0].end, 14) == "\n\t.weak .entry");
  CHECK(found.entries[1].name == "second");
  CHECK(two_kernels.substr(found.entries[1].end) == "\n");
}

TEST_CASE("a text reduced to one entry keeps what all kernels share") {
  const auto only = with_only_entry(two_kernels, outline(two_kernels), "second");
  CHECK(only.find("first") == std::string::npos);
  CHECK(only.find(".weak .entry second()") != std::string::npos);
  CHECK(only.find(".func twice") != std::string::npos);
  CHECK(only.find("$str[6]") != std::string::npos);
  CHECK(outline(only).entries.size() == 1);
}

TEST_CASE("a declared entry has no body") {
  const auto found = outline(".entry later(.param .u64 p);\n.visible .entry now() { ret; }");
  REQUIRE(found.entries.size() == 2);
  CHECK_FALSE(found.entries[0].has_body);
  CHECK(found.entries[1].has_body);
}

TEST_CASE("kernels that share a mutable variable, launch each other or carry debug information stay together") {
  CHECK_FALSE(outline(".global .align 4 .u32 counter;\n.entry k() { ret; }").separable);
  CHECK_FALSE(outline(".visible .global .align 4 .u32 table[2] = {1, 2};\n.entry k() { ret; }").separable);
  CHECK_FALSE(outline(".extern .func cudaLaunchDeviceV2();\n.entry k() { ret; }").separable);
  CHECK_FALSE(outline(".entry k() { ret; }\n.section .debug_info { .b8 0 }").separable);
  CHECK(outline(".const .align 4 .u32 table[2];\n.shared .align 4 .u32 s[2];\n.entry k() { ret; }").separable);
}

TEST_CASE("a text that ends early is no trouble") {
  CHECK(outline("").entries.empty());
  CHECK(outline(".entry").entries.size() == 1);
  CHECK(outline(".entry k() { .reg .b32 a").entries.size() == 1);
  CHECK(outline("/* never closed").entries.empty());
  CHECK(outline(".pragma \"never closed").entries.empty());
}

}  // namespace
}  // namespace gpulab
