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
/// Which bits are undefined: of a register, these bits; of a predicate, any.
struct ValueStep {
  enum class Kind : std::uint8_t {
    ordinary,
    halves,  ///< arithmetic on f16x2 and the like
    select,
    conjunction,
    disjunction,
    exclusive,
    inversion,
    lookup,  ///< lop3
    sum,
    difference,
    negation,
    product,  ///< also with a summand
    compare,
    shuffle,
    move,  ///< also packs and unpacks
    convert,
    shift_left,
    shift_right,
    insert,   ///< bfi
    extract,  ///< bfe
    permute,  ///< prmt
    reversal,
    funnel  ///< shf
  };
  static constexpr std::size_t kMostSources = 8;
  /// By source: those bits of a lane that are undefined.
  using Undefineds = std::array<std::uint64_t, kMostSources>;

  ValueStep(const Program& program, const Site& site);

  Kind kind = Kind::ordinary;
  std::uint16_t guard = kNoOperand;
  std::vector<std::uint16_t> uses;  ///< an undefined value there is a fault
  /// Likewise, of the bits `stored_bits` of each element of a store; but a struct's padding may be copied.
  std::vector<std::uint16_t> stored;
  std::uint64_t stored_bits = 0;
  bool is_located = false;             ///< tools are told where it goes: it is no argument of a function
  std::vector<std::uint16_t> sources;  ///< an undefined value there makes the results undefined
  std::vector<std::uint16_t> results;  ///< several: of a vector, or a predicate beside the first

  /// Results are bits of the sources, maybe in other places: nothing is computed with these.
  [[nodiscard]] bool moves_bits() const {
    return kind >= Kind::select && kind != Kind::exclusive && kind != Kind::inversion && !computes();
  }
  [[nodiscard]] bool computes() const { return kind >= Kind::sum && kind <= Kind::compare; }
  /// Bits may be a field's, taken out of a word.
  [[nodiscard]] bool takes_out() const { return kind == Kind::shift_right || kind == Kind::extract; }
  /// Undefined bits of source `k` stay where they are: bit i of the result comes from its bit i.
  [[nodiscard]] bool keeps_places(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  /// Source `k` is masked: what has no value of its own gives way to bits that have one.
  [[nodiscard]] bool masks(std::size_t k) const;
  /// Of the results, all of them one behind the other: the bits that are undefined because those of source `k` are.
  [[nodiscard]] std::uint64_t through(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  /// Undefined bits of what a load of type_ brings into a wider register: with the sign all those above it.
  [[nodiscard]] std::uint64_t extended(std::uint64_t bits) const;
  /// The first bit of result `i` among those, and the bits that it has.
  [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> place_in_results(std::size_t i) const;

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
  void add_stored(const ptx::Operand& value, std::uint32_t bits);
  /// Lanes in which a predicate is true, or false.
  [[nodiscard]] std::uint32_t lanes_with(const Warp& warp, const ptx::Operand& predicate, bool ones) const;
  [[nodiscard]] std::uint64_t value_of(const Warp& warp, const ptx::Operand& operand, int lane) const;
  [[nodiscard]] bool is_true(const Warp& warp, const ptx::Operand& operand, int lane) const;
  [[nodiscard]] bool compares_signed() const;
  /// setp: whether the comparison of integers holds. `known` false: it is one of other values.
  [[nodiscard]] bool compares(const Warp& warp, int lane, bool& known) const;
  [[nodiscard]] std::uint32_t bytes_of(const ptx::Operand& operand) const;
  [[nodiscard]] bool converts_integers() const;
  [[nodiscard]] std::uint64_t summed(const Warp& warp, int lane, const Undefineds& undefined) const;
  [[nodiscard]] bool is_decided(const Warp& warp, int lane, const Undefineds& undefined) const;
  [[nodiscard]] std::uint64_t shifted(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  [[nodiscard]] std::uint64_t in_field(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  [[nodiscard]] std::uint64_t permuted(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  [[nodiscard]] std::uint64_t multiplied(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  [[nodiscard]] std::uint64_t funnelled(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
  [[nodiscard]] std::uint64_t looked_up(const Warp& warp, int lane, std::size_t k, const Undefineds& undefined) const;
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
