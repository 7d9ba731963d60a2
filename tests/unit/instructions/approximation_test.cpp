// The approximate instructions stay within the PTX manual's bounds, and within what approximation.h says of the
// simulator.

#include "tests/instructions/approximation.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

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
      if (one.simulator <= one.documented) CHECK(largest.error <= one.documented);
      CHECK(largest.error <= one.simulator);
      CHECK(largest.error > one.simulator / 4);  // the table is no idle boast
    }
  }
}

TEST_CASE("sin, cos, ex2, lg2, rsqrt, sqrt and rcp are an H100's, bit by bit") {
  struct Sweep {
    const char* opcode;
    std::uint32_t first, step, count;
    std::uint64_t hash;  ///< FNV-1a of what an H100 gave
  };
  constexpr Sweep sweeps[] = {
      {"sin.approx.f32", 0x3e800000, 1202, 20937, 0x5f2415b1ce07f5b1},
      {"sin.approx.f32", 0x40000000, 1769, 23710, 0x8f3432687f75b24a},
      {"cos.approx.f32", 0x3e800000, 1769, 23710, 0x047da3339b766077},
      {"ex2.approx.ftz.f32", 0x3f800000, 401, 20920, 0xe9b9a3bb088b3bf4},
      {"ex2.approx.ftz.f32", 0x40000000, 2501, 20125, 0x815dd1e0e30a9773},
      {"ex2.approx.ftz.f32", 0xbf800000, 2501, 23374, 0xcba260f74bd898b6},
      {"lg2.approx.ftz.f32", 0x3f800000, 401, 20920, 0xff4f5a26b58c05be},
      {"lg2.approx.ftz.f32", 0x00800000, 51409, 20397, 0x211bd99a5d7c7547},
      {"rsqrt.approx.ftz.f32", 0x3f800000, 802, 20920, 0x37374c8fbfd2b465},
      {"rsqrt.approx.ftz.f32", 0x00800000, 103121, 20581, 0x1f8925aa108e2523},
      {"rcp.approx.ftz.f64", 0x3ff00000, 51, 20560, 0xc0458cfa128618bf},  // its upper word
      {"rsqrt.approx.ftz.f64", 0x3ff00000, 101, 20763, 0x09da7e4ca5dcbf65},
      {"sqrt.approx.f32", 0x3f800000, 802, 20919, 0x40ee207bfd8b2618},
      {"rcp.approx.f32", 0x3f800000, 401, 20919, 0x29ae6a379060ad74},
      {"rcp.approx.ftz.f32", 0x3f800000, 401, 20919, 0x29ae6a379060ad74},
  };
  const LevelGuard guard;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    for (const auto& sweep : sweeps) {
      Columns columns(1);
      const int shift = std::string_view(sweep.opcode).ends_with("f64") ? 32 : 0;
      for (std::uint32_t i = 0; i < sweep.count; ++i)
        columns[0].push_back(std::uint64_t{sweep.first + i * sweep.step} << shift);
      const auto entries = instruction_set().find(sweep.opcode);
      REQUIRE(!entries.empty());
      std::uint64_t hash = 0xcbf29ce484222325;
      for (const auto result : simulate(float_opcode(*entries.front().row, sweep.opcode), columns))
        for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (result >> (8 * byte + shift) & 0xff)) * 0x100000001b3;
      INFO(fmt::format("{} from {:#x} (level {})", sweep.opcode, sweep.first, level));
      CHECK(hash == sweep.hash);
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
