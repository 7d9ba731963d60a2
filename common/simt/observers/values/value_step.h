#pragma once
// What a PTX instruction does with values, as UndefinedValues sees it: which of its operands it uses, and from which of
// them its results come.

#include <array>
#include <cstdint>
#include <vector>

#include "common/simt/decode/program.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// The lane that shfl.sync reads: itself where the source is out of range (PTX ISA: shfl.sync). `b`, `c`: its operands.
[[nodiscard]] int shuffle_source(std::uint32_t facts, int lane, std::uint32_t b, std::uint32_t c);

/// Registers are named by cells: a slot, or behind all slots the number of a predicate. kNoOperand: no register.
struct ValueStep {
  enum class Kind : std::uint8_t { ordinary, select, conjunction, disjunction, compare, shuffle };
  static constexpr std::size_t kMostSources = 8;

  ValueStep(const Program& program, const Site& site);

  Kind kind = Kind::ordinary;
  std::uint16_t guard = kNoOperand;
  std::vector<std::uint16_t> uses;     ///< an undefined value there is a fault
  std::vector<std::uint16_t> sources;  ///< an undefined value there makes the results undefined
  std::vector<std::uint16_t> results;  ///< several: of a vector, or a predicate beside the first

  /// Of each source's undefined lanes, takes away those in which the result does not depend on it: the other operand of
  /// a selp, whatever is and'ed with 0.
  void keep_what_counts(const Warp& warp, std::uint32_t lanes, std::array<std::uint32_t, kMostSources>& bad) const;
  /// shfl: the lane whose value `lane` gets.
  [[nodiscard]] int source_lane(const Warp& warp, int lane) const;

 private:
  /// Of a register that may hold a marked value. Others' slots may have held one before, of which nobody was told.
  [[nodiscard]] std::uint16_t cell_of(std::int32_t reg) const;
  [[nodiscard]] std::uint16_t place_of(std::int32_t reg) const;
  void add_registers(const ptx::Operand& operand, std::vector<std::uint16_t>& to) const;
  void find_flow();
  /// Lanes in which an operand holds `value` (0, or all ones); of a predicate, whether it is false or true.
  [[nodiscard]] std::uint32_t lanes_with(const Warp& warp, const ptx::Operand& operand, bool ones) const;
  [[nodiscard]] std::uint64_t value_of(const Warp& warp, const ptx::Operand& operand, int lane) const;
  [[nodiscard]] bool is_true(const Warp& warp, const ptx::Operand& operand, int lane) const;
  /// setp: whether the comparison of integers holds. `known` false: it is one of other values.
  [[nodiscard]] bool compares(const Warp& warp, int lane, bool& known) const;

  const Program& program_;
  const Site& site_;
  const FunctionInfo* function_ = nullptr;
  std::string_view comparison_, type_;  ///< of setp: "lt", "s32"
};

}  // namespace gpulab::simt
