// Every IEEE instruction of the simulator against arithmetic in integers (tests/instructions/exact_float.h), on every
// x86-64 level: all combinations of edge values, and random ones.

#include <fmt/format.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/instructions/exact_float.h"
#include "tests/instructions/float_opcode.h"

using namespace gpulab::simt;

namespace {

struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

/// The first try that goes wrong; empty: none.
std::string first_difference(const FloatOpcode& opcode, const Columns& columns) {
  const auto results = simulate(opcode, columns);
  const std::size_t outputs = opcode.shape.outputs.size();
  std::vector<std::uint64_t> in(columns.size());
  for (std::size_t i = 0; i < columns.front().size(); ++i) {
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = columns[k][i];
    const auto expected = expected_of(opcode, in);
    if (!expected) return opcode.name + ": the oracle does not know it";
    for (std::size_t j = 0; j < outputs; ++j) {
      const auto got = results[i * outputs + j];
      const auto& want = (*expected)[j];
      const bool nans = want.any_nan && is_nan_of(opcode, want.bits) && is_nan_of(opcode, got);
      if (got != want.bits && !nans)
        return fmt::format("{}: expected {}, got {}", shown_try(opcode, columns, i),
                           shown(want.bits, opcode.shape.outputs[j].kind), shown(got, opcode.shape.outputs[j].kind));
    }
  }
  return {};
}

}  // namespace

TEST_CASE("every IEEE instruction gives what exact arithmetic in integers gives, for edge values and random ones") {
  const LevelGuard guard;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    const auto opcodes = ieee_opcodes(instruction_set());
    CHECK(opcodes.size() > 900);
    for (const auto& opcode : opcodes) {
      INFO("at level " << level);
      CHECK(first_difference(opcode, edge_operands(opcode)) == "");
      CHECK(first_difference(opcode, random_operands(opcode, 500, 1)) == "");
    }
  }
}
