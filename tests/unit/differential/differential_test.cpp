// Random kernels (tests/differential): a set of seeds against stored results, others against what each thread does by
// itself, over the simulator's levels, threads and schedules.
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>

#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/differential/arithmetic.h"
#include "tests/differential/evaluate.h"
#include "tests/differential/generate.h"
#include "tests/differential/launcher.h"
#include "tests/differential/shrink.h"
#include "tests/differential/stored.h"
#include "tests/differential/write_ptx.h"
#include "tests/folder.h"
#include "tests/instructions/instruction_case.h"

using namespace gpulab;
using namespace gpulab::differential;

namespace {

const std::string kData = tests::tests_folder().string() + "/data/";

struct LevelGuard {
  std::string_view level = simt::cpu_level();
  ~LevelGuard() { simt::use_cpu_level(level); }
};

void collect(const std::vector<Statement>& list, std::map<StatementKind, int>& kinds) {
  for (const auto& s : list) {
    ++kinds[s.kind];
    for (const auto& body : s.bodies) collect(body, kinds);
  }
}

}  // namespace

TEST_CASE("random kernels leave in memory what is stored for their seeds") {
  const auto results = read_stored(kData + "differential_hashes.txt");
  const InstructionPool pool(read_lines(kData + "differential_opcodes.txt"));
  REQUIRE(results.hashes.size() >= 300);
  Launcher launcher(simulator());
  for (std::uint64_t seed = 0; seed < results.hashes.size(); ++seed) {
    INFO("seed " << seed);
    const Program program = generate(seed, pool);
    CHECK(hash_of(launcher.run(program, write_ptx(program, pool))) == results.hashes[seed]);
  }
}

TEST_CASE("the instructions that stored results are made with are all in the table") {
  const auto opcodes = read_lines(kData + "differential_opcodes.txt");
  const InstructionPool pool(opcodes);
  std::set<std::string> missing(opcodes.begin(), opcodes.end());
  REQUIRE(missing.size() > 1000);
  for (const auto& one : pool.all()) missing.erase(one.opcode);
  INFO(
      "renamed or removed rows: scripts/differential.py PROGRAM --ptxas PTXAS --opcodes-out FILE makes the list anew, "
      "PROGRAM --record the results");
  CHECK(missing == std::set<std::string>{});
}

TEST_CASE("random kernels of the whole table do on the simulator what each thread does by itself") {
  const InstructionPool pool;
  Launcher launcher(simulator());
  for (std::uint64_t seed = 1'000'000; seed < 1'000'200; ++seed) {
    INFO("seed " << seed);
    const Program program = generate(seed, pool);
    CHECK(launcher.run(program, write_ptx(program, pool)) == evaluate(program, pool));
  }
}

TEST_CASE("random kernels give the same on every CPU level, with any number of threads, in any schedule") {
  const LevelGuard guard;
  const InstructionPool pool;
  std::vector<std::pair<std::string, Launcher>> ways;
  for (const auto level : simt::cpu_levels()) ways.emplace_back(level, simulator());
  ways.emplace_back(guard.level, simulator(3));
  ways.emplace_back(guard.level, simulator(1, 7));
  ways.emplace_back(guard.level, simulator(2, 12345));
  for (std::uint64_t seed = 2'000'000; seed < 2'000'040; ++seed) {
    const Program program = generate(seed, pool);
    const Buffers expected = evaluate(program, pool);
    for (auto& [level, launcher] : ways) {
      INFO("seed " << seed << " at level " << level);
      simt::use_cpu_level(level);
      CHECK(launcher.run(program, write_ptx(program, pool)) == expected);
    }
  }
}

TEST_CASE("a seed always gives the same kernel, and kernels have statements of every kind") {
  const InstructionPool pool(read_lines(kData + "differential_opcodes.txt"));
  CHECK(write_ptx(generate(7, pool), pool) == write_ptx(generate(7, pool), pool));
  CHECK(write_kernel(generate(7, pool), pool) != write_kernel(generate(8, pool), pool));
  std::map<StatementKind, int> kinds;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = generate(seed, pool);
    collect(program.statements, kinds);
    for (const auto& function : program.functions) collect(function, kinds);
  }
  for (int kind = 0; kind <= static_cast<int>(StatementKind::block_vote); ++kind) {
    INFO("kind " << kind);
    CHECK(kinds[static_cast<StatementKind>(kind)] > 20);
  }
}

TEST_CASE("our own arithmetic gives what the rows give, for most integer and some floating-point instructions") {
  const InstructionPool pool;
  std::mt19937_64 random(11);
  int ours = 0;
  for (const auto& one : pool.all()) {
    Values in, mine, theirs;
    std::size_t read = 0, written = 0;
    for (const auto& operand : one.row->meaning.operands)
      for (int k = 0; k < operand.vector; ++k) {
        if (operand.role == simt::Role::in || operand.role == simt::Role::optional_in)
          in.present[read++] = operand.role == simt::Role::in || one.combines;
        if (operand.role == simt::Role::out || operand.role == simt::Role::optional_out)
          theirs.present[written++] = true;
      }
    mine = theirs;
    bool known = true;
    for (int round = 0; round < 64 && known; ++round) {
      std::size_t k = 0;
      for (const auto& operand : one.row->meaning.operands)
        for (int element = 0; element < operand.vector; ++element)
          if (operand.role == simt::Role::in || operand.role == simt::Role::optional_in)
            in.bits[k++] = (round % 4 == 0 ? random() % 9 : random()) & simt::width_mask(operand.kind);
      known = compute_ourselves(one, 0xca, in, mine);
      if (!known) break;
      compute_by_row(one, 0xca, in, theirs);
      const auto kind = one.row->meaning.operands[0].kind;
      INFO(one.opcode << " " << std::hex << in.bits[0] << " " << in.bits[1] << " " << in.bits[2]);
      simt::CaseValue expected{mine.bits[0] & simt::width_mask(kind)};
      expected.any_nan = kind == simt::Kind::f64 && std::isnan(std::bit_cast<double>(mine.bits[0]));
      CHECK(simt::agrees(expected, theirs.bits[0] & simt::width_mask(kind), kind));
      if (one.family == "setp") CHECK(mine.bits[1] == theirs.bits[1]);
    }
    ours += known;
  }
  CHECK(ours > 400);
}

TEST_CASE("a wrong instruction is found, and the kernel shrunk to it") {
  const InstructionPool pool(read_lines(kData + "differential_opcodes.txt"));
  Launcher launcher(simulator());
  // A simulator in which redux.sync.add takes the maximum.
  const auto differs = [&](const Program& program) {
    std::string text = write_ptx(program, pool);
    for (std::size_t at = 0; (at = text.find("redux.sync.add.u32", at)) != std::string::npos;)
      text.replace(at, 18, "redux.sync.max.u32");
    return launcher.run(program, text) != evaluate(program, pool);
  };
  int found = 0;
  for (std::uint64_t seed = 0; found < 3; ++seed) {
    REQUIRE(seed < 400);
    const Program program = generate(seed, pool);
    if (!differs(program)) continue;
    ++found;
    const Program small = shrunk(program, differs);
    INFO("seed " << seed);
    REQUIRE(statement_count(small) == 1);
    CHECK(small.statements[0].kind == StatementKind::reduction);
    CHECK(small.grid.x == 1);
  }
}

TEST_CASE("the pool leaves out what is not defined to the last bit") {
  const InstructionPool pool;
  CHECK(pool.families().size() > 30);
  for (const auto& one : pool.all())
    for (const char* open : {".approx", ".full", ".cc", "cvta", "activemask", "clock"}) {
      INFO(one.opcode);
      CHECK(one.opcode.find(open) == std::string::npos);
    }
}

TEST_CASE("stored results say what made them, and a malformed line is named") {
  const std::string path = "differential_test_hashes.txt";
  write_stored(path, {"somebody", {1, 0xfedcba9876543210}});
  const auto results = read_stored(path);
  CHECK(results.made_by == "somebody");
  CHECK(results.hashes == std::vector<std::uint64_t>{1, 0xfedcba9876543210});
  std::ofstream(path, std::ios::app) << "12\n";
  CHECK_THROWS_WITH(read_stored(path), path + ": '12' is no hash");
  std::ofstream(path) << "0000000000000001\n";
  CHECK_THROWS_WITH(read_stored(path), path + ": does not say what made it");
  std::remove(path.c_str());
  CHECK_THROWS_WITH(read_lines(path), path + ": cannot be read");
}
