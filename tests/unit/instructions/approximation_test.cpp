// The approximate instructions stay within the PTX manual's bounds, and within what approximation.h says of the
// simulator.

#include "tests/instructions/approximation.h"

#include <fmt/format.h>

#include <string>

#include "tests/catch.h"

using namespace gpulab::simt;

namespace {

struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

}  // namespace

TEST_CASE("approximations are within the manual's bounds, and as near as their table says") {
  const LevelGuard guard;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    for (const auto& one : approximations()) {
      const auto columns = range_operands(one, 1 << 16);
      const auto largest = largest_error(one, columns, simulate(opcode_of(one), columns));
      INFO(fmt::format("{}: {} (level {})", largest.where, shown_error(one, largest.error), level));
      if (one.documented != 0) CHECK(largest.error <= one.documented);
      CHECK(largest.error <= one.simulator);
      CHECK(largest.error > one.simulator / 4);  // the table is no idle boast
    }
  }
}

TEST_CASE("an approximation that is off is noticed") {
  const auto& one = approximations().front();
  const auto columns = range_operands(one, 100);
  auto results = simulate(opcode_of(one), columns);
  results[50] += 2;
  const auto largest = largest_error(one, columns, results);
  CHECK(largest.error > one.documented);
  CHECK(largest.error < 3);
  CHECK(shown_error(one, 1.5) == "1.50 ulp");
  CHECK(shown_error(approximations()[3], 0.25) == "2^-2.00");
}
