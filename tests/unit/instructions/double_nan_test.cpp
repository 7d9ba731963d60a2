// Which NaN comes of doubles: the rows say so (with_first_nan), whatever lane, CPU level and operands' order g++ takes.

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/device_contract.h"
#include "tests/instructions/float_opcode.h"
#include "tests/instructions/lane_machine.h"

using namespace gpulab::simt;

namespace {

struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

constexpr std::uint64_t kQuiet = 0x0008000000000000u;
bool is_nan(std::uint64_t bits) { return (bits << 1) > 0xffe0000000000000u; }

/// Every three of these, so that each comes to every lane.
Columns operands_of(const FloatOpcode& opcode) {
  constexpr std::uint64_t edges[] = {0x7ff8000000000001u, 0xfff8000000abc000u, 0x7ff0000000000123u,
                                     0xfff0000000000456u, 0x7ff0000000000000u, 0xfff0000000000000u,
                                     0x0000000000000000u, 0x8000000000000000u, 0x3ff8000000000000u};
  constexpr std::size_t count = std::size(edges);
  Columns columns(opcode.shape.inputs.size());
  for (std::size_t i = 0; i < count * count * count; ++i) {
    std::size_t rest = i;
    for (std::size_t k = 0; k < columns.size(); ++k, rest /= count) columns[k].push_back(edges[rest % count]);
  }
  return columns;
}

/// The results with all lanes active, then with every second.
Results results_of(const FloatOpcode& opcode, const Columns& columns) {
  LaneMachine machine;
  machine.place(opcode.shape);
  machine.op.mods = opcode.mods;
  machine.op.extra = opcode.row->meaning.extra;
  const auto& out = opcode.shape.outputs.front();
  Results results;
  for (const std::uint32_t mask : {kFullMask, 0x55555555u, 0xaaaaaaaau})
    for (std::size_t base = 0; base + kLanes <= columns.front().size(); base += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        for (std::size_t k = 0; k < columns.size(); ++k)
          machine.set(opcode.shape.inputs[k].r, opcode.shape.inputs[k].kind, static_cast<int>(lane),
                      columns[k][base + lane]);
      machine.run(handler_of(*opcode.row, opcode.mods), mask);
      for (int lane = 0; lane < kLanes; ++lane) results.push_back(machine.get(out.r, out.kind, lane));
    }
  return results;
}

bool keeps_first_nan(const FloatOpcode& opcode) {
  for (const char* family : {"add", "sub", "mul", "div", "fma", "mad", "rcp", "sqrt"})
    if (opcode.parts.front() == family) return true;
  return false;
}

}  // namespace

TEST_CASE("an operation on doubles gives the first operand that is a NaN, quiet, in every lane") {
  const LevelGuard guard;
  int checked = 0;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    for (const auto& opcode : ieee_opcodes(instruction_set())) {
      if (opcode.parts.back() != "f64" || !keeps_first_nan(opcode)) continue;
      ++checked;
      const Columns columns = operands_of(opcode);
      const Results results = simulate(opcode, columns);
      for (std::size_t i = 0; i < results.size(); ++i) {
        std::uint64_t expected = is_nan(results[i]) ? 0xfff8000000000000u : results[i];
        for (std::size_t k = columns.size(); k-- > 0;)
          if (is_nan(columns[k][i])) expected = columns[k][i] | kQuiet;
        if (results[i] != expected)
          FAIL_CHECK(
              fmt::format("{}: {}: {:#x}, not {:#x}", level, shown_try(opcode, columns, i), results[i], expected));
      }
    }
  }
  CHECK(checked >= 28);
}

TEST_CASE("an atomic sum of doubles that are NaN keeps the one in memory, quiet") {
  const LevelGuard guard;
  const std::string text = R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 values) {
  .reg .b64 %p, %a, %b, %old;
  .shared .align 8 .b64 s;
  ld.param.u64 %p, [values];
  ld.global.b64 %b, [%p+8];
  ld.global.b64 %a, [%p];
  atom.global.add.f64 %old, [%p], %b;
  st.shared.b64 [s], %a;
  atom.shared.add.f64 %old, [s], %b;
  red.shared.add.f64 [s], %b;
  ld.shared.b64 %a, [s];
  st.global.b64 [%p+16], %a;
  red.global.add.f64 [%p+24], %b;
  ret;
})";
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    const auto device = gpulab::make_simulator(gpulab::gpu_profile("h200"), {});
    device->load({"sum.ptx", text, ""});
    const std::vector<std::uint64_t> values{0x7ff0000000000123u, 0xfff8000000000456u, 0, 0xfff0000000000789u};
    const auto memory = gpulab::tests::upload(*device, values);
    gpulab::tests::launch(*device, "k", {{1, 1, 1}, {1, 1, 1}}, memory);
    const std::vector<std::uint64_t> expected{0x7ff8000000000123u, 0xfff8000000000456u, 0x7ff8000000000123u,
                                              0xfff8000000000789u};
    CHECK(gpulab::tests::read_values<std::uint64_t>(*device, memory, 4) == expected);
  }
}

TEST_CASE("every instruction on doubles gives the same bits of NaNs at every CPU level") {
  const LevelGuard guard;
  std::map<std::string, Results> first;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    int checked = 0;
    for (const auto& opcode : ieee_opcodes(instruction_set())) {
      if (!opcode.has("f64")) continue;
      ++checked;
      const Results results = results_of(opcode, operands_of(opcode));
      const auto [found, is_new] = first.emplace(opcode.name, results);
      if (!is_new && found->second != results) FAIL_CHECK(level << ": " << opcode.name);
    }
    CHECK(checked > 100);
  }
}
