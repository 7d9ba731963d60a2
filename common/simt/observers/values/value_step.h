#pragma once
// What a PTX instruction does with values, as UndefinedValues sees it: which of its operands it uses, and from which of
// them its results come.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simt/decode/program.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// The lane that shfl.sync reads: itself where the source is out of range (PTX ISA: shfl.sync). `b`, `c`: its operands.
[[nodiscard]] int shuffle_source(std::uint32_t facts, int lane, std::uint32_t b, std::uint32_t c);

/// Registers are named by cells: a slot, or behind all slots the number of a predicate. kNoOperand: no register.
/// Bytes of a register: bit k is byte k; of a predicate, any.
struct ValueStep {
  enum class Kind : std::uint8_t {
    ordinary,
    select,
    conjunction,
    disjunction,
    compare,
    shuffle,
    move,  ///< also packs and unpacks
    convert,
    shift_left,
    shift_right
  };
  static constexpr std::size_t kMostSources = 8;

  ValueStep(const Program& program, const Site& site);

  Kind kind = Kind::ordinary;
  std::uint16_t guard = kNoOperand;
  std::vector<std::uint16_t> uses;    ///< an undefined value there is a fault
  std::vector<std::uint16_t> stored;  ///< likewise, of the lowest `stored_bytes`; but a struct's padding may be copied
  std::uint8_t stored_bytes = 0;
  std::vector<std::uint16_t> sources;  ///< an undefined value there makes the results undefined
  std::vector<std::uint16_t> results;  ///< several: of a vector, or a predicate beside the first

  /// Results are bits of the sources in other places: nothing is computed with these.
  [[nodiscard]] bool moves_bits() const { return kind != Kind::ordinary && kind != Kind::compare; }
  /// Of the results, all of them one behind the other: the bytes that are undefined because `bytes` of source `k` are.
  /// `bad`: by source, the lanes in which it is undefined.
  [[nodiscard]] std::uint8_t through(const Warp& warp, int lane, std::size_t k, std::uint8_t bytes,
                                     const std::array<std::uint32_t, kMostSources>& bad) const;
  /// Undefined bytes of what a load of type_ brings into a wider register: with the sign's byte all those above it.
  [[nodiscard]] std::uint8_t extended(std::uint8_t bytes) const;
  /// The first byte of result `i` among those, and the bytes that it has.
  [[nodiscard]] std::pair<std::uint32_t, std::uint8_t> place_in_results(std::size_t i) const;

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
  /// Lanes in which a predicate is true, or false.
  [[nodiscard]] std::uint32_t lanes_with(const Warp& warp, const ptx::Operand& predicate, bool ones) const;
  [[nodiscard]] std::uint64_t value_of(const Warp& warp, const ptx::Operand& operand, int lane) const;
  [[nodiscard]] bool is_true(const Warp& warp, const ptx::Operand& operand, int lane) const;
  /// setp: whether the comparison of integers holds. `known` false: it is one of other values.
  [[nodiscard]] bool compares(const Warp& warp, int lane, bool& known) const;
  [[nodiscard]] std::uint32_t bytes_of(const ptx::Operand& operand) const;
  [[nodiscard]] std::uint8_t converted(std::uint8_t bytes) const;
  [[nodiscard]] Kind kind_of(std::string_view name) const;
  void set_type(std::string_view type);

  const Program& program_;
  const Site& site_;
  const FunctionInfo* function_ = nullptr;
  std::string_view comparison_, type_;  ///< of setp: "lt", "s32"; of what moves bits, and of loads, the type alone
  std::string_view to_;                 ///< of cvt, beside type_: "u16"
  std::uint32_t size_ = 0;              ///< bytes of type_, 0: no integer and no bits
  bool is_signed_ = false;
};

}  // namespace gpulab::simt
