#pragma once
// The special registers (PTX ISA: Special Registers), one row each: its name and its value. Decode gives a special
// register that a program reads a slot among a warp's registers, or, where its value changes from read to read, puts
// %special in front of the instruction that reads it; the machine fills the slots as often as the row's scope says.
// A read is as wide as the instruction that reads.

#include <cstdint>
#include <span>
#include <string_view>

namespace gpulab::simt {

struct Warp;

struct SpecialRegister {
  /// For what a value holds: the slots are filled once for each resident block's place on the machine, those of `block`
  /// again whenever another block starts there.
  enum class Scope : std::uint8_t {
    launch,  ///< the same for all threads
    warp,    ///< for the threads of a warp, by its place in the block
    lane,    ///< for each thread, by its place in the block
    block,   ///< for the threads of a block
    read,    ///< for one read by the active lanes of a warp: kept in no slot
  };
  std::string_view name;  ///< as PTX spells it; a last '*' stands for any ending, after the rows that name one
  Scope scope;
  std::uint64_t (*value)(const Warp& warp, int lane);
};

[[nodiscard]] std::span<const SpecialRegister> special_registers();

/// Of the scope `read`: what row `row` of the table is to the active lanes. For the handler of %special.
[[nodiscard]] std::uint64_t value_now(std::int32_t row, const Warp& warp);

/// nullptr where the simulator has none of that name.
[[nodiscard]] const SpecialRegister* find_special_register(std::string_view name);

}  // namespace gpulab::simt
