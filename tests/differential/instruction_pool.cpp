#include "tests/differential/instruction_pool.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "common/simt/isa/form.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/instructions/instruction_kernel.h"

namespace gpulab::differential {
namespace {

using simt::Kind;
using simt::Role;
using simt::Unit;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_suitable(const simt::Row& row) {
  if (row.unit != Unit::alu && row.unit != Unit::fp32 && row.unit != Unit::fp64 && row.unit != Unit::conversion)
    return false;
  constexpr std::uint16_t more = simt::kLoad | simt::kStore | simt::kAtomic | simt::kCollective | simt::kEndsBlock |
                                 simt::kBarrier | simt::kConditional | simt::kSideEffect | simt::kOperandTable;
  if (row.form[0] == '%' || row.meaning.traits & more) return false;
  bool writes = false;
  for (const auto& operand : row.meaning.operands) {
    if (operand.role == Role::address || operand.role == Role::label) return false;
    writes = writes || operand.role == Role::out;
    // Registers of 8 bits exist in vectors only.
    if (operand.vector > 1 && simt::register_class(operand.kind) == 0 &&
        (operand.kind == Kind::u8 || operand.kind == Kind::s8))
      return false;
  }
  return writes;
}

/// What is not defined to the last bit, or depends on more than the operands.
bool is_open(std::string_view opcode) {
  for (const char* part : {".approx", ".full", ".cc", "addc", "subc", "madc", "cvta", "isspacep", ".rs."})
    if (contains(opcode, part)) return true;
  // The sign of a packed NaN: halves cannot be made canonical one by one.
  const bool packed = contains(opcode, "f16x2");  // bf16x2 too
  return packed && (opcode.starts_with("abs") || opcode.starts_with("neg"));
}

/// Bits of NaNs: of double precision always; elsewhere where an operand's sign or payload may come through.
bool gives_open_nan(std::string_view opcode, const simt::Row& row) {
  const Kind result = row.meaning.operands[0].kind;
  if (result != Kind::f64 && result != Kind::f32 && result != Kind::f16 && result != Kind::bf16) return false;
  if (opcode.starts_with("mov") || opcode.starts_with("selp") || opcode.starts_with("slct")) return false;
  if (result == Kind::f64) return true;
  return opcode.starts_with("abs") || opcode.starts_with("neg") || opcode.starts_with("copysign") ||
         opcode.starts_with("min") || opcode.starts_with("max") || contains(opcode, ".f64");
}

// ---- what the compiler of driver 580.159 (ptxas 13.0) gets wrong, each seen on an H200 with the kernel shrunk to it
// ---- With operands in registers that hold anything the hardware does what the manual says: tests/gpu runs these by
// themselves.

/// False for instructions that are written without a guard, because the compiler may lose it. `set` loses it for the
/// conversion of its result: the register's old value is converted. Of the video instructions on parts of a word
/// (vadd2, vmax4, …) two lose it; all of them go without, and so do mul24 and mad24, whose names end like theirs. This
/// stays as it was when an H200 ran the stored kernels: a change would make other kernels of all seeds.
bool may_be_guarded(std::string_view opcode, std::string_view family) {
  const bool on_parts = family.ends_with('2') || family.ends_with('4');
  return !simt::loses_guard(opcode) && family != "set" && !on_parts;
}
/// Folded wrongly where an operand's value, or its lower bits, are known: shifts by 65536 and more (16 bits) or by a
/// multiple of 64 (64 bits), fields that begin or end beyond the register, the difference from -(-32768), slct by
/// 0x80000000.
bool is_misfolded(std::string_view family) {
  return family == "shl" || family == "shr" || family == "bfe" || family == "bfi" || family == "sad" ||
         family == "slct";
}
/// set to a floating-point type sometimes gives the integer 1 beside other statements.
bool is_miscompiled(std::string_view opcode, const simt::Row& row) {
  const Kind result = row.meaning.operands[0].kind;
  return opcode.starts_with("set.") && (result == Kind::f32 || result == Kind::f16 || result == Kind::bf16);
}

bool is_arithmetic_modifier(std::string_view modifier) {
  for (const char* one : {".rn", ".rz", ".rm", ".rp", ".ftz", ".sat", ".and", ".or", ".xor"})
    if (modifier == one) return true;
  return false;
}

}  // namespace

InstructionPool::InstructionPool(std::span<const std::string> opcodes) {
  for (const auto& table : simt::instruction_set().tables())
    for (const simt::Row& row : table) {
      if (!is_suitable(row)) continue;
      for (const auto& opcode : simt::spellings(row.form, is_arithmetic_modifier)) {
        if (is_open(opcode)) continue;
        PooledInstruction one;
        one.opcode = opcode;
        one.family = opcode.substr(0, opcode.find('.'));
        one.row = &row;
        one.mods = simt::match(row.form, opcode).value();
        one.combines = one.mods & simt::kBoolMask;
        one.canonical_nan = gives_open_nan(opcode, row);
        one.may_be_guarded = may_be_guarded(opcode, one.family);
        one.hides_operands = is_misfolded(one.family);
        one.miscompiled = is_miscompiled(opcode, row);
        all_.push_back(std::move(one));
      }
    }
  // One order, whatever the order of the tables. Readings of one opcode (mov.b64) differ in their operands.
  std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.opcode < b.opcode; });
  if (!opcodes.empty()) {
    std::vector<std::string> sorted(opcodes.begin(), opcodes.end());
    std::sort(sorted.begin(), sorted.end());
    std::erase_if(all_, [&](const auto& one) { return !std::binary_search(sorted.begin(), sorted.end(), one.opcode); });
  }
  std::map<std::string, std::vector<int>> by_family;
  for (std::size_t i = 0; i < all_.size(); ++i) by_family[all_[i].family].push_back(static_cast<int>(i));
  for (auto& [family, members] : by_family) families_.push_back(std::move(members));
}

}  // namespace gpulab::differential
