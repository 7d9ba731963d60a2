#include "common/simt/isa/instruction_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/simt/isa/form.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/unit/error_of.h"

using namespace gpulab;
using namespace gpulab::simt;

namespace {

/// Opcodes of the list (how often each occurs in 441 modules of real CUDA programs) that at least `modules` use.
std::vector<std::string> listed_opcodes(int modules) {
  std::ifstream list(tests::tests_folder().string() + "/data/ptx_opcodes.tsv");
  std::vector<std::string> opcodes;
  std::string line;
  std::getline(list, line);  // heading
  while (std::getline(list, line)) {
    std::istringstream fields(line);
    int count = 0;
    std::string opcode;
    fields >> count >> opcode;
    if (count >= modules) opcodes.push_back(opcode);
  }
  return opcodes;
}

/// paramN and prototype_N are operands and labels that the list's maker took for opcodes.
bool out_of_scope(const std::string& opcode) {
  for (const char* family : {"param", "prototype_"})
    if (opcode.rfind(family, 0) == 0) return true;
  return false;
}

struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

std::string shape_of(const Row& row) {
  std::string shape;
  for (const auto& operand : row.meaning.operands)
    shape +=
        fmt::format("{}{}{} ", static_cast<int>(operand.role), operand.vector, operand.kind == Kind::pred ? "p" : "");
  return shape;
}

/// Leaves out cache hints, scopes and memory orders, of which there are too many.
bool is_arithmetic_modifier(std::string_view modifier) {
  for (const char* one : {".rn", ".rz", ".rm", ".rp", ".ftz", ".sat", ".and", ".or", ".xor", ".to", ".aligned", ".uni"})
    if (modifier == one) return true;
  return false;
}

}  // namespace

TEST_CASE("every opcode that occurs in 441 real CUDA modules is known") {
  const auto opcodes = listed_opcodes(1);
  REQUIRE(opcodes.size() > 600);
  std::string unknown;
  for (const auto& opcode : opcodes)
    if (!out_of_scope(opcode) && instruction_set().find(opcode).empty()) unknown += opcode + "\n";
  CHECK(unknown == "");
}

TEST_CASE("an unknown opcode is not found, and similar ones are named") {
  CHECK(instruction_set().find("add").empty());
  CHECK(instruction_set().find("add.s33").empty());
  CHECK(instruction_set().find("frobnicate.u32").empty());
  CHECK(instruction_set().find("").empty());
  CHECK(instruction_set().similar("add.i32") == std::vector<std::string>{"add.f32", "add.s32", "add.u32"});
  CHECK(instruction_set().similar("fma.f32").front() == "fma.rm.f32");
  CHECK(instruction_set().similar("adds.u32").front() == "add.u32");
  CHECK(instruction_set().similar("frobnicate.u32").empty());
}

TEST_CASE("a form accepts its required modifiers and at most one of each optional group, in order") {
  const char* form = "fma(.rn,.rz){.ftz}{.a,.ab}.f32 d, a, b, c";
  CHECK(match(form, "fma.rn.f32") == 0);
  CHECK(match(form, "fma.rz.ftz.ab.f32") == (kRoundZero | kFtz));
  CHECK(!match(form, "fma.f32"));
  CHECK(!match(form, "fma.rn.rz.f32"));
  CHECK(!match(form, "fma.rn.ab.ftz.f32"));
  CHECK(!match(form, "fma.rn.abc.f32"));
  CHECK(!match(form, "fma.rn.f32.f32"));
  CHECK(!match(form, "fma.rn.f3"));
  CHECK(mod_sets(form) == std::vector<std::uint16_t>{0, kRoundZero, kFtz, kRoundZero | kFtz});
  CHECK(spellings(form, [](std::string_view one) { return one == ".ftz"; }) ==
        std::vector<std::string>{"fma.rn.f32", "fma.rn.ftz.f32", "fma.rz.f32", "fma.rz.ftz.f32"});
  using Endings = std::vector<std::string_view>;
  CHECK(form_endings("ld.global(.u32,.s32) d, [a]") == Endings{"u32", "s32"});
  CHECK(form_endings("prmt.b32 d, a, b, c") == Endings{"b32"});
  CHECK(form_endings("ret{.uni}").empty());
  CHECK(form_endings("exit").empty());
  CHECK_THROWS_AS(match("fma{.rn.f32", "fma.rn.f32"), std::logic_error);
}

TEST_CASE("modifiers in another order than the manual's are those of the instruction, as ptxas has it") {
  const auto same = [](const char* other, const char* manual) {
    INFO(other);
    const auto entries = instruction_set().find(other), known = instruction_set().find(manual);
    REQUIRE(known.size() > 0);
    REQUIRE(entries.size() == known.size());
    for (std::size_t i = 0; i < known.size(); ++i)
      CHECK((entries[i].row == known[i].row && entries[i].mods == known[i].mods && entries[i].facts == known[i].facts));
  };
  same("vote.ballot.sync.b32", "vote.sync.ballot.b32");
  same("vote.all.sync.pred", "vote.sync.all.pred");
  same("shfl.down.sync.b32", "shfl.sync.down.b32");
  same("match.sync.any.b32", "match.any.sync.b32");
  same("fma.ftz.rn.f32", "fma.rn.ftz.f32");
  same("setp.s32.lt.and", "setp.lt.and.s32");
  same("cvt.f32.rn.s32", "cvt.rn.f32.s32");
  same("atom.add.release.gpu.u32", "atom.release.gpu.add.u32");
  same("ld.u32.volatile.global", "ld.volatile.global.u32");
  // Types, spaces and layouts keep their order, and a name of two parts stays together.
  CHECK(instruction_set().find("cvt.rn.s32.f32").empty());
  CHECK(instruction_set().find("cvt.s32.rn.f32").empty());
  CHECK(instruction_set().find("cp.async.ca.global.shared").empty());
  CHECK(instruction_set().find("mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32").empty());
  CHECK(instruction_set().find("mad.s32.lo").empty());
  CHECK(instruction_set().find("suld.1d.b.b8.trap").empty());
  CHECK(instruction_set().find("add.s32.s32").empty());
}

TEST_CASE("modifiers of an opcode become the micro-op's") {
  const auto entries = instruction_set().find("fma.rm.ftz.sat.f32");
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].mods == (kRoundDown | kFtz | kSat));
  REQUIRE(instruction_set().find("cvt.rzi.s32.f32").size() == 1);
  CHECK(instruction_set().find("cvt.rzi.s32.f32")[0].mods == kRoundZero);
  REQUIRE(instruction_set().find("setp.lt.xor.u32").size() == 1);
  CHECK(instruction_set().find("setp.lt.xor.u32")[0].mods == kXor);
  CHECK(instruction_set().find("add.rn.f32")[0].mods == 0);
}

TEST_CASE("readings of one opcode differ in the shapes of their operands") {
  std::string ambiguous;
  for (const auto& table : instruction_set().tables())
    for (const Row& row : table)
      for (const auto& opcode : spellings(row.form, is_arithmetic_modifier)) {
        std::set<std::string> shapes;
        const auto entries = instruction_set().find(opcode);
        for (const auto& entry : entries) shapes.insert(shape_of(*entry.row));
        if (shapes.size() != entries.size()) ambiguous += opcode + "\n";
      }
  CHECK(ambiguous == "");
}

TEST_CASE("the levels of a CPU have the same instructions") {
  const LevelGuard guard;
  std::vector<std::vector<std::string>> forms;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    CHECK(cpu_level() == level);
    forms.emplace_back();
    for (const auto& table : instruction_set().tables())
      for (const Row& row : table) forms.back().push_back(row.form);
  }
  for (const auto& level : forms) CHECK(level == forms.front());
}

TEST_CASE("the newest level that was built and that the CPU has is taken") {
  const std::vector<std::string_view> all{"v2", "v3", "v4"}, some{"v3"};
  CHECK(newest_level(all, "v2") == "v2");
  CHECK(newest_level(all, "v4") == "v4");
  CHECK(newest_level(some, "v4") == "v3");
  CHECK(newest_level(std::vector<std::string_view>{"generic"}, "generic") == "generic");
}

TEST_CASE("a program that was built for newer CPUs alone says so, and what to do") {
  const auto choose = [](const std::vector<std::string_view>& built, std::string_view cpu) {
    return [built, cpu] { return newest_level(built, cpu); };
  };
  CHECK(error_of(choose({"v3", "v4"}, "v2")) ==
        "this program was built for x86-64-v3 and newer CPUs; this one is x86-64-v2 | build it on this machine, or for "
        "all CPUs: cmake with -DGPULAB_ISA_LEVELS=all");
  CHECK(code_of(choose({"v3", "v4"}, "v2")) == ExitCode::missing);
  CHECK(error_of(choose({"v2", "v3", "v4"}, "")) ==
        "this CPU is older than x86-64-v2 (SSE4.2, 2009) | the simulator needs a newer one");
  CHECK(code_of(choose({"v2", "v3", "v4"}, "")) == ExitCode::missing);
}

TEST_CASE("a CPU level that does not exist is refused") {
  const LevelGuard guard;
  try {
    use_cpu_level("v9");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "unknown CPU level 'v9'");
    CHECK(error.hint == fmt::format("GPULAB_CPU_LEVEL is one of: {}", fmt::join(cpu_levels(), ", ")));
    CHECK(error.code == ExitCode::usage);
  }
}
