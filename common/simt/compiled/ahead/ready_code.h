#pragma once
// Code that was made when gpulab was built: looked up by what the emitter would give LLVM.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/simt/compiled/exits.h"
#include "common/simt/compiled/rows.h"
#include "common/simt/decode/program.h"

namespace gpulab::simt::compiled {

/// What cannot differ where the module is the same, and is known without making it: how many micro-ops, basic blocks,
/// instructions, registers and predicates the program has, all of which code numbers.
using Outline = std::array<std::uint32_t, 5>;
[[nodiscard]] Outline outline_of(const Program& program);

using Digest = std::array<std::uint64_t, 2>;

struct ReadyCode {
  Outline outline;
  Digest digest;
  Code code;
};

/// A row that has a ValueFunction (RowNumber, smaller).
struct ReadyRow {
  std::uint16_t table, row, mods;
};

/// All for one level of the CPU (cpu_level()).
struct ReadyLevel {
  std::string_view level;
  std::span<const ReadyRow> rows;
  std::span<const ReadyCode> codes;
};

/// Called once, before main(), by the file that the build makes (scripts/cmake/lab_code.py); a program without that
/// file has none.
bool have_ready(std::span<const ReadyLevel> levels);
[[nodiscard]] std::size_t number_of_ready();

/// The level in use; nullptr: nothing was made for it.
[[nodiscard]] const ReadyLevel* ready_level();
[[nodiscard]] bool may_be_ready(const ReadyLevel& level, const Outline& outline);
/// nullptr: none.
[[nodiscard]] Code find_ready(const ReadyLevel& level, const Outline& outline, const Digest& digest);

/// The names of rows, without their bitcode.
class ReadyRows : public RowNames {
 public:
  explicit ReadyRows(std::span<const ReadyRow> rows);
};

}  // namespace gpulab::simt::compiled
