#pragma once
// Cases of instructions, one per line (tests/ptx/*.cases):
//     add.s32  0x7fffffff 1 = 0x80000000
//     setp.lt.s32  1 2 = 1|0            two predicates
//     mov.b64  {1, 2} = 0x200000001     a vector operand
// Operands have the types of the instruction's row. Floating point: decimal, hexadecimal with an exponent (0x1p-149),
// bits (0x7fc00000), inf, nan (the canonical one; any for f64), ~x (within 2 ulp of x). # starts a comment.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/isa/instruction_set.h"
#include "common/simt/isa/op.h"

namespace gpulab::simt {

/// A value of a case, as bits of its kind.
struct CaseValue {
  std::uint64_t bits = 0;
  bool about = false;    ///< ~x
  bool any_nan = false;  ///< nan, where NaNs are not canonical
};

/// One element of an operand: its place in MicroOp::r and what sits there.
struct CaseSlot {
  int r = 0;
  Kind kind = Kind::none;
  CaseValue value;
  bool own_width = false;  ///< in a register as narrow as itself: in braces, or a byte to become a bfloat16
};

struct InstructionCase {
  std::string where;  ///< file:line, for messages
  std::string opcode;
  std::string text;
  const Row* row = nullptr;
  std::uint16_t mods = 0;
  std::vector<CaseSlot> inputs, outputs;
  std::int32_t imm = 0;
};

/// The case of a line, its row looked up in `set`. Throws std::runtime_error that says what is wrong.
[[nodiscard]] InstructionCase parse_case(std::string_view line, std::string where, const InstructionSet& set);
/// All cases of tests/ptx/*.cases.
[[nodiscard]] std::vector<InstructionCase> all_cases(const InstructionSet& set);

/// Cases that one warp can run at once: the same handler, modifiers and operands present.
using Batch = std::vector<InstructionCase>;
[[nodiscard]] std::vector<Batch> batches(const InstructionSet& set);

/// Whether a result is what a case expects; `kind` says how to compare.
[[nodiscard]] bool agrees(const CaseValue& expected, std::uint64_t bits, Kind kind);
/// "0x3f800000 (1)" for messages.
[[nodiscard]] std::string shown(std::uint64_t bits, Kind kind);

[[nodiscard]] constexpr int width_of(Kind kind) {
  switch (kind) {
    case Kind::pred:
      return 1;
    case Kind::u8:
    case Kind::s8:
      return 8;
    case Kind::u16:
    case Kind::s16:
    case Kind::f16:
    case Kind::bf16:
      return 16;
    case Kind::u64:
    case Kind::s64:
    case Kind::f64:
      return 64;
    default:
      return 32;
  }
}
[[nodiscard]] constexpr std::uint64_t width_mask(Kind kind) {
  return width_of(kind) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_of(kind)) - 1;
}

/// The handler that decode takes for an opcode with these modifiers.
[[nodiscard]] inline Handler handler_of(const Row& row, std::uint16_t mods) {
  return mods != 0 && row.meaning.modified != nullptr ? row.meaning.modified : row.meaning.run;
}

}  // namespace gpulab::simt
