// .loc with its chains of inlined calls, and the lines they lead to.

#include <fstream>
#include <sstream>

#include "common/error.h"
#include "common/ptx/lines.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/ptx/module_invariants.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

// kernels.cu:50 calls warp_sum (kernels.cu:20), which calls a shuffle that a header defines in line 440.
const std::string inlined = R"(.version 8.3
.target sm_90
.entry k {
  bar.sync 0;
  .loc 1 50 3
  bar.sync 1;
  .loc 1 20 7, function_name $L__info_string0, inlined_at 1 50 3
  bar.sync 2;
  .loc 2 440 9, function_name $L__info_string1, inlined_at 1 20 7
  bar.sync 3;
L:
  bar.sync 4;
  .loc 1 0 3
  bar.sync 5;
  .loc 2 30 1, function_name $L__info_string1+2, inlined_at 1 99 1
  bar.sync 6;
  .loc 2 7 1
  bar.sync 7;
}
.entry other { ret; }
.file 1 "/home/student/reduce/kernels.cu"
.file 2 "/usr/include/header.h"
.section .debug_str
{
$L__info_string0:
.b8 119,97,114,112,0
$L__info_string1:
.b8 115,104
.b8 117,102,0
}
)";

std::int32_t location(const Module& module, std::size_t instruction) {
  return module.functions.at(0).instructions.at(instruction).location;
}

}  // namespace

TEST_CASE("a location holds until the next, across labels, and ends with its function") {
  const Module module = parse(inlined, "test.ptx");
  CHECK(broken_invariant(module).empty());
  CHECK(location(module, 0) == -1);
  CHECK(location(module, 3) == location(module, 4));
  CHECK(module.functions.at(1).instructions.at(0).location == -1);
}

TEST_CASE("inlined functions are named from .debug_str") {
  const Module module = parse(inlined, "test.ptx");
  const auto name = [&](std::size_t i) {
    return module.locations.at(static_cast<std::size_t>(location(module, i))).function;
  };
  CHECK(name(1).empty());
  CHECK(name(2) == "warp");
  CHECK(name(3) == "shuf");
  CHECK(name(6) == "uf");
}

TEST_CASE("the user's line is found out of inlined headers") {
  const Module module = parse(inlined, "test.ptx");
  const Lines lines(module, "kernels.cu");
  CHECK(lines.user_line(location(module, 1)).line == 50);
  CHECK(lines.user_line(location(module, 2)).line == 20);
  CHECK(lines.user_line(location(module, 3)).line == 20);
  CHECK(lines.user_line(location(module, 3)).function == "warp");
  CHECK(lines.user_line(location(module, 3)).file == "/home/student/reduce/kernels.cu");
  CHECK(lines.kernel_line(location(module, 3)).line == 50);
  CHECK(lines.user_line(location(module, 6)).line == 99);
}

TEST_CASE("the chain of an instruction goes from its own line to the kernel's") {
  const Module module = parse(inlined, "test.ptx");
  const auto chain = Lines(module, "").chain(location(module, 3));
  REQUIRE(chain.size() == 3);
  CHECK(chain[0].line == 440);
  CHECK(chain[1].line == 20);
  CHECK(chain[2].line == 50);
  CHECK(chain[2].column == 3);
}

TEST_CASE("where nothing is known no line is made up") {
  const Module module = parse(inlined, "test.ptx");
  const Lines lines(module, "kernels.cu");
  CHECK(lines.user_line(-1).line == 0);
  CHECK(lines.user_line(location(module, 5)).line == 0);
  CHECK(lines.kernel_line(location(module, 7)).line == 0);
  CHECK(lines.chain(12345).empty());
}

TEST_CASE("code of headers alone has the innermost line of a header of the user's own, else the outermost of all") {
  const Module module = parse(R"(
.version 8.0
.target sm_75
.address_size 64
.entry k {
  .loc 2 7 1
  bar.sync 0;
  .loc 1 30 1, function_name $L, inlined_at 2 7 1
  bar.sync 1;
  .loc 3 5 1
  bar.sync 2;
  .loc 1 40 1, function_name $L, inlined_at 3 5 1
  bar.sync 3;
}
.file 1 "/usr/local/cuda/targets/x86_64-linux/include/intrinsics.hpp"
.file 2 "lib/kernels.h"
.file 3 "/usr/include/cub/agent.cuh"
)",
                              "test.ptx");
  const Lines lines(module, "main.cu");
  const auto shown = [&](std::size_t i) {
    const auto line = lines.user_line(location(module, i));
    return std::string(lines.shown_file(line)) + ':' + std::to_string(line.line);
  };
  CHECK(shown(0) == "lib/kernels.h:7");
  CHECK(shown(1) == "lib/kernels.h:7");
  CHECK(shown(2) == "/usr/include/cub/agent.cuh:5");
  CHECK(shown(3) == "/usr/include/cub/agent.cuh:5");
  CHECK(Lines(module, "kernels.h").shown_file(lines.user_line(location(module, 0))) == "kernels.h");
}

TEST_CASE("the user's file is recognised by its last path parts, or is the outermost") {
  const Module module = parse(inlined, "test.ptx");
  CHECK(Lines(module, "reduce/kernels.cu").user_line(location(module, 3)).line == 20);
  CHECK(Lines(module, "").user_line(location(module, 3)).line == 20);
  for (const char* other : {"els.cu", "other/kernels.cu"}) {
    const Lines lines(module, other);
    const auto outermost = lines.user_line(location(module, 3));
    CHECK(outermost.line == 20);
    CHECK(lines.shown_file(outermost) != other);
    CHECK_THAT(std::string(lines.shown_file(outermost)), EndsWith("reduce/kernels.cu"));
  }
}

TEST_CASE("an instruction of nvcc's leads through three headers to the user's line") {
  std::ifstream file(tests::tests_folder().string() + "/ptx/modules/sm75.ptx");
  std::ostringstream text;
  text << file.rdbuf();
  const Module module = parse(text.str(), "sm75.ptx");
  const Lines lines(module, "kernels.cu");
  std::vector<std::uint32_t> user_lines, kernel_lines;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      if (!instruction.opcode.starts_with("shfl.sync")) continue;
      user_lines.push_back(lines.user_line(instruction.location).line);
      kernel_lines.push_back(lines.kernel_line(instruction.location).line);
      CHECK(lines.chain(instruction.location).size() == 4);  // header, add_from_lane, warp_sum, kernel
    }
  }
  const auto line_of = [&](std::string_view what) {
    std::ifstream source(tests::tests_folder().string() + "/ptx/modules/kernels.cu");
    std::string line;
    for (std::uint32_t number = 1; std::getline(source, line); ++number) {
      if (line.find(what) != std::string::npos) return number;
    }
    return std::uint32_t{0};
  };
  const std::uint32_t shuffle = line_of("__shfl_down_sync"), first = line_of("warp_sum(data["),
                      second = line_of("= warp_sum(value)");
  CHECK(user_lines == std::vector<std::uint32_t>{shuffle, shuffle, shuffle, shuffle});
  CHECK(kernel_lines == std::vector<std::uint32_t>{first, first, second, second});
}

TEST_CASE("malformed locations are errors, unknown names are none") {
  const auto error_of = [](const std::string& loc) {
    try {
      (void)parse(".version 8.3\n.target sm_90\n.entry k {\n" + loc + "\nret; }", "test.ptx");
    } catch (const Error& error) {
      return error.where.substr(8) + ": " + error.what();
    }
    return std::string("accepted");
  };
  CHECK(error_of(".loc 1 x 3") == ":4:8: expected a line number, found 'x'");
  CHECK(error_of(".loc 1 2 3, banana 4") == ":4:13: unknown attribute 'banana' of .loc");
  CHECK(error_of(".loc 1 2 3, inlined_at 1 2") == ":5:1: expected a column number, found 'ret'");
  CHECK(error_of(".loc 1 2 3, function_name $nowhere, inlined_at 1 2 3") == "accepted");
}
