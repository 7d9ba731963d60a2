#include "common/simt/observers/trace/variables.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

// As nvcc -G writes it, less what nobody reads: `i` is in %r1 from line 5 to 13, but for the block of line 9 to 11,
// where `j` is; `x` is in %r4 from line 11 on; `p` is a parameter of the kernel.
constexpr std::string_view kText = R"(.visible .entry k(
	.param .u64 k_param_0
)
{
$L__begin:
	ld.param.u64 	%rd1, [k_param_0];
$L__a:
	add.s32 	%r1, %r2, %r3;
$L__b:
	mov.u32 	%r4, %r1;
$L__c:
	st.u32 	[%rd1], %r4;
$L__end:
	ret;
}
	.section	.debug_abbrev
	{
.b8 1,17,1,0,0
.b8 2,46,1,17,1,18,1,0,0
.b8 3,52,0,3,8,2,10,0,0
.b8 4,52,0,3,8,2,6,0,0
.b8 0
	}
	.section	.debug_info
	{
.b32 83
.b8 2
.b8 0
.b32 .debug_abbrev
.b8 8
.b8 1
.b8 2
.b64 $L__begin
.b64 $L__end
.b8 3, 105,0, 5, 144,177,228,149,1
.b8 4, 120,0
.b32 .debug_loc+0
.b8 3, 112,0, 9, 3
.b64 k_param_0
.b8 2
.b64 $L__b
.b64 $L__c
.b8 3, 106,0, 5, 144,177,228,149,1
.b8 0
.b8 0
.b8 0
	}
	.section	.debug_loc	{
.b64 $L__c
.b64 $L__end
.b8 5
.b8 0
.b8 144,180,228,149,1
.b64 0
.b64 0
	}
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kText);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a register has the name of the variable that it holds there") {
  const Variables variables(kText);
  CHECK(variables.held("%r1", 12) == "i");
  CHECK(variables.held("%r4", 12) == "x");
  CHECK(variables.held("%r4", 10).empty());
  CHECK(variables.held("%r2", 8).empty());
  CHECK(variables.held("%r1", 14).empty());
}

TEST_CASE("of two variables in one register the one of the inner block has the name") {
  const Variables variables(kText);
  CHECK(variables.held("%r1", 10) == "j");
}

TEST_CASE("a parameter's place has the parameter's name") {
  const Variables variables(kText);
  CHECK(variables.parameter("k_param_0") == "p");
  CHECK(variables.parameter("k_param_1").empty());
}

TEST_CASE("local memory is parted where debugging information has variables, and nameless where two share a place") {
  CHECK(Variables(kText).locals("__local_depot0").empty());
  // `i` and `j` lie in local memory, in bytes 0 and 8.
  const auto in_memory = [](std::string_view place) {
    return fmt::format("11,3\n.b64 __local_depot0\n.b8 35,{}", place);
  };
  std::string text = changed("3, 105,0, 5, 144,177,228,149,1", "3, 105,0, " + in_memory("0"));
  const auto replace = [&](std::string_view from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("3, 106,0, 5, 144,177,228,149,1", "3, 106,0, " + in_memory("8"));
  replace(".b32 83", ".b32 95");
  const Variables variables(text);
  REQUIRE(variables.locals("__local_depot0").size() == 2);
  CHECK(variables.locals("__local_depot0")[0].name == "i");
  CHECK(variables.locals("__local_depot0")[1].name == "j");
  CHECK(variables.locals("__local_depot0")[1].offset == 8);
  replace("35,8", "35,0");
  REQUIRE(Variables(text).locals("__local_depot0").size() == 1);
  CHECK(Variables(text).locals("__local_depot0")[0].name.empty());
}

TEST_CASE("debugging information of another version or form names nothing") {
  CHECK(Variables("").held("%r1", 12).empty());
  CHECK(Variables(changed(".b8 2\n.b8 0\n", ".b8 5\n.b8 0\n")).held("%r1", 12).empty());
  CHECK(Variables(changed("3,52,0,3,8,2,10", "3,52,0,3,8,2,99")).held("%r1", 12).empty());
  CHECK(Variables(changed(".b32 83", ".b32 84000")).held("%r1", 12).empty());
}

TEST_CASE("what is no identifier names no register: it would reach terminals and pages") {
  CHECK(Variables(changed("3, 105,0,", "3, 27,0,")).held("%r1", 12).empty());
  CHECK(Variables(changed("3, 105,0,", "3, 200,0,")).held("%r1", 12).empty());
}

TEST_CASE("of a variable that is in memory, or partly in a register, no register has the name") {
  CHECK(Variables(changed("5, 144,177", "5, 145,177")).held("%r1", 12).empty());
  CHECK(Variables(changed("105,0, 5, 144,177,228,149,1", "105,0, 7, 144,177,228,149,1,147,4")).held("%r1", 12).empty());
}

TEST_CASE("debugging information that is cut off or wrong anywhere is read to no harm") {
  for (std::size_t at = 0; at < kText.size(); ++at) {
    (void)Variables(kText.substr(0, at));
    for (const char digit : {'0', '9', ',', '\n', 'x'}) {
      std::string text(kText);
      text[at] = digit;
      (void)Variables(text).held("%r1", 10);
    }
  }
}

TEST_CASE("an entry of very many attributes is none") {
  std::string many = "3,52,0";
  for (int i = 0; i < 100; ++i) many += ",60,25";  // declaration, flag_present: of no byte
  CHECK(Variables(changed("3,52,0", many)).held("%r1", 12).empty());
  CHECK(Variables(changed("3,52,0", "3,52,0,60,25")).held("%r1", 12) == "i");
}

TEST_CASE("a list that many entries share is read for a while, not for ever") {
  std::string text(kText.substr(0, kText.find(".b32 83")));
  constexpr std::size_t kEntries = 200'000;
  text += ".b32 " + std::to_string(7 + 18 + kEntries * 7 + 2) +
          "\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n.b8 2\n"
          ".b64 $L__begin\n.b64 $L__end\n";
  for (std::size_t i = 0; i < kEntries; ++i) text += ".b8 4, 120,0\n.b32 .debug_loc\n";
  text += ".b8 0\n.b8 0\n\t}\n\t.section\t.debug_loc\n\t{\n";
  for (std::size_t i = 0; i < 10'000; ++i) text += ".b64 $L__none\n.b64 $L__end\n.b8 0\n.b8 0\n";
  text += "\t}\n";
  CHECK(Variables(text).held("%r4", 12).empty());
}

}  // namespace gpulab::simt
