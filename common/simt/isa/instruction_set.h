#pragma once
// All instructions that the simulator knows, by opcode as PTX spells it. The rows are those of isa/*/*.cpp, compiled
// for the x86-64 level of the CPU at hand.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/isa/facts.h"
#include "common/simt/isa/op.h"

namespace gpulab::simt {

/// One reading of an opcode: its row, the Mod bits of the modifiers it is spelled with, and its Fact bits.
struct Entry {
  const Row* row = nullptr;
  std::uint16_t mods = 0;
  std::uint32_t facts = 0;
};

class InstructionSet {
 public:
  using Tables = std::span<const std::span<const Row>>;

  explicit InstructionSet(Tables tables);
  ~InstructionSet();

  /// The rows that accept `opcode` ("fma.rn.f32"; in_order_of() where its modifiers come in another order), told apart
  /// by their operands' shapes; empty if there is none. The span stays valid as long as the set does. Thread-safe.
  [[nodiscard]] std::span<const Entry> find(std::string_view opcode) const;
  /// Known opcodes that look like `opcode`, the most similar first; for messages.
  [[nodiscard]] std::vector<std::string> similar(std::string_view opcode, std::size_t at_most = 3) const;
  [[nodiscard]] Tables tables() const { return tables_; }

 private:
  struct Index;
  Tables tables_;
  std::unique_ptr<Index> index_;
};

/// The set for this CPU, or for GPULAB_CPU_LEVEL (v2, v3, v4). Throws Error if that names a level which is unknown, not
/// built or beyond the CPU; or if all that were built are.
[[nodiscard]] const InstructionSet& instruction_set();
/// The level that instruction_set() is compiled for: "v2", "v3", "v4" (x86-64 levels), "generic" elsewhere.
[[nodiscard]] std::string_view cpu_level();
/// The levels that were built and that this CPU can run, the oldest first.
[[nodiscard]] std::span<const std::string_view> cpu_levels();
/// The newest of the levels `built` (the oldest first) that a CPU of level `cpu` ("v3"; "": older than v2) can run.
/// Throws Error (exit code 3) if there is none: scripts/gpulab builds only the level of the CPU at hand.
[[nodiscard]] std::string_view newest_level(std::span<const std::string_view> built, std::string_view cpu);
/// Makes instruction_set() that of another level, for what is decoded from now on: tests run all levels in one process.
void use_cpu_level(std::string_view level);

}  // namespace gpulab::simt
