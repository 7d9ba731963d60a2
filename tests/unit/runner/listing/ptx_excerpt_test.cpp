#include "runner/listing/ptx_excerpt.h"

#include <algorithm>
#include <array>

#include "common/device/ptx_entries.h"
#include "common/embedded.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

constexpr std::string_view module_text = R"(//
// A compiler's banner
//
.version 9.0
.target sm_75, debug
.address_size 64

	// .globl	first
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;
.func inner()
{
	ret;
}
.func  (.param .b32 func_retval0) twice(
	.param .b32 x
)
{
	call.uni inner, ();
	ret;
}
// somebody_else has been demoted
.shared .align 4 .b8 tile[128];
.global .align 8 .u64 table[2] = {generic(far), 0};
.global .align 1 .b8 far[3] = {123, 125, 0};
.visible .entry first(
	.param .u64 first_param_0
)
{
	.loc	1 2 3, function_name $L__info_string1, inlined_at 1 9 3
	mov.u64 	%rd1, table; // and not tile
	ret;
}
.visible .entry second()
{
	{ // not first
	call.uni (retval0), twice, (param0);
	}
	ret;
}
	.file	1 "kernels.cu"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90
.b8 48,0
$L__info_string1:
.b8 95,0

	}
	.section	.debug_info
	{
.b64 $L__func_begin0
	}
)";

std::string excerpt(std::string_view kernel) { return ptx_excerpt(module_text, std::array{kernel}); }

}  // namespace

TEST_CASE("one kernel is shown with the module's head and what it refers to, and nothing else") {
  CHECK(excerpt("first") == R"(//
// A compiler's banner
//
.version 9.0
.target sm_75
.address_size 64
.global .align 8 .u64 table[2] = {generic(far), 0};
.global .align 1 .b8 far[3] = {123, 125, 0};
.visible .entry first(
	.param .u64 first_param_0
)
{
	.loc	1 2 3, function_name $L__info_string1, inlined_at 1 9 3
	mov.u64 	%rd1, table; // and not tile
	ret;
}
	.file	1 "kernels.cu"
	.section	.debug_str
	{
$L__info_string1:
.b8 95,0

	}
)");
}

TEST_CASE("functions come with the functions that they call, and an unused table of names goes") {
  const auto text = excerpt("second");
  CHECK(text.find(".func inner()") != text.npos);
  CHECK(text.find(") twice(") != text.npos);
  CHECK(text.find("vprintf") == text.npos);
  CHECK(text.find("tile") == text.npos);
  CHECK(text.find(".entry first") == text.npos);
  CHECK(text.find(".section") == text.npos);
}

TEST_CASE("an excerpt of every kernel file is a module again, with that kernel alone") {
  for (const auto& file : embedded_kernels()) {
    const auto entries = outline(file.ptx).entries;
    for (const std::size_t i : {std::size_t{0}, entries.size() / 2, entries.size() - 1}) {
      INFO(file.lab << "/" << file.file << ": " << entries[i].name);
      const auto text = ptx_excerpt(file.ptx, std::array{entries[i].name});
      CHECK(text.size() < file.ptx.size());
      const auto module = ptx::parse(text, "excerpt", [](auto) { return true; });
      const auto kernels = std::ranges::count_if(module.functions, &ptx::Function::is_entry);
      const auto found = std::ranges::find(module.functions, entries[i].name, &ptx::Function::name);
      REQUIRE(found != module.functions.end());
      CHECK(found->has_body);
      CHECK((kernels == 1 || outline(file.ptx).calls_runtime));  // kernels that launch kernels name them
    }
  }
}

}  // namespace gpulab
