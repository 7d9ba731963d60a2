#include "common/simt/timing/code/joins.h"

#include <algorithm>
#include <string_view>

#include "common/simt/timing/code/schedule.h"

namespace gpulab::simt {

namespace {

const ptx::Instruction& instruction_of(const Program& program, const TimedInstruction& t) {
  return *program.sites[t.site].instruction;
}

/// What takes part in such a join.
enum class Words : std::uint8_t { none, bits, wide_bits, sum, rotation };

Words words_of(const Program& program, const TimedInstruction& t) {
  const ptx::Instruction& instruction = instruction_of(program, t);
  const std::string_view opcode = instruction.opcode;
  if (t.kind != TimedInstruction::Kind::plain || t.cost.issue == 0 || instruction.guard_reg >= 0) return Words::none;
  const auto is_one = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, opcode) != names.end();
  };
  if (is_one({"and.b32", "or.b32", "xor.b32", "not.b32", "lop3.b32"})) return Words::bits;
  if (is_one({"and.b64", "or.b64", "xor.b64", "not.b64"})) return Words::wide_bits;
  if (t.cost.pipe == Pipe::add && is_one({"add.s32", "add.u32", "sub.s32", "sub.u32"})) return Words::sum;
  const auto& operands = instruction.operands;
  const bool rotates = is_one({"shf.l.wrap.b32", "shf.r.wrap.b32"}) && operands.size() == 4 &&
                       operands[1].reg == operands[2].reg && operands[3].kind == ptx::Operand::Kind::integer;
  return rotates ? Words::rotation : Words::none;
}

/// What an instruction takes: registers, and how many numbers, of which a machine instruction has room for one.
struct Taken {
  Words words = Words::none;
  std::vector<std::uint16_t> registers{};
  int numbers = 0;
};

Taken taken_by(const Program& program, const TimedInstruction& t) {
  Taken taken{.words = words_of(program, t)};
  if (taken.words == Words::none) return taken;
  for (const std::uint16_t r : t.in)
    if (r) taken.registers.push_back(r);
  const auto& operands = instruction_of(program, t).operands;
  const std::size_t last = instruction_of(program, t).opcode == "lop3.b32" ? 4 : operands.size();  // behind it a table
  for (std::size_t i = 1; i < std::min(last, operands.size()); ++i)
    taken.numbers += operands[i].kind == ptx::Operand::Kind::integer;
  return taken;
}

/// `of` takes over what the maker of its operand `reg` takes, if that is no more than a machine instruction may.
bool take_over(Taken& of, const Taken& maker, std::uint16_t reg) {
  Taken both = of;
  std::erase(both.registers, reg);
  for (const std::uint16_t r : maker.registers)
    if (of.words == Words::sum || std::ranges::find(both.registers, r) == both.registers.end())
      both.registers.push_back(r);
  both.numbers += maker.numbers;
  if (both.registers.size() + static_cast<std::size_t>(both.numbers) > 3 || both.numbers > 1) return false;
  of = std::move(both);
  return true;
}

}  // namespace

void join_pairs(const Program& program, std::vector<TimedInstruction>& code) {
  const auto starts = [&](const TimedInstruction& t, std::string_view word) {
    return program.sites[t.site].instruction->opcode.starts_with(word);
  };
  const auto by_constant = [&](const TimedInstruction& t) {
    const auto& operands = program.sites[t.site].instruction->operands;
    return operands.size() == 3 && operands[2].kind == ptx::Operand::Kind::integer;
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    // a - b * 3 is IMAD b, -3, a.
    const bool subtracts = starts(code[i], "sub.");
    if ((!starts(code[i], "add.") && !subtracts) || code[i].cost.pipe != Pipe::add) continue;
    for (std::size_t k = i; k-- > 0 && k + 16 > i;) {
      if (!is_one_of(code[k].out[0], code[i].in)) continue;
      if (subtracts && (code[k].out[0] != code[i].in[1] || !starts(code[k], "mul.") || !by_constant(code[k]))) break;
      if ((starts(code[k], "mul.wide") || starts(code[k], "mul.lo") || starts(code[k], "shl.")) && code[k].cost.issue) {
        code[i].cost = code[k].cost.pipe == Pipe::heavy ? code[k].cost : InstructionCost{Pipe::alu, 1, 2, 5};
        code[k].cost = {Pipe::none, 0, 0, 0};
      }
      break;
    }
  }
}

void join_words(const Program& program, std::vector<TimedInstruction>& code, std::span<const std::uint32_t> readers) {
  constexpr InstructionCost one{Pipe::alu, 1, 2, 5}, nothing{Pipe::none, 0, 0, 0};
  constexpr std::size_t near = 64;  // instructions behind its maker
  std::vector<Taken> all;
  for (const TimedInstruction& t : code) all.push_back(taken_by(program, t));
  const auto maker_of = [&](std::uint16_t reg, std::size_t behind) -> std::size_t {
    for (std::size_t k = behind; k-- > 0 && k + near > behind;)
      if (std::ranges::find(code[k].out, reg) != code[k].out.end()) return k;
    return behind;
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    Taken& own = all[i];
    if (own.words == Words::none || own.words == Words::rotation) continue;
    bool rotates = false;
    for (std::size_t r = 0; r < own.registers.size() && !rotates;) {
      const std::uint16_t reg = own.registers[r];
      const std::size_t k = maker_of(reg, i);
      const bool alone = k != i && readers[reg] == 1 && all[k].words != Words::none;
      // The two of a rotation that go with it: what is rotated, and a summand.
      rotates = alone && own.words == Words::sum && all[k].words == Words::rotation && own.registers.size() == 2 &&
                own.numbers == 0 && code[i].cost.pipe == Pipe::add;
      if (!rotates && !(alone && all[k].words == own.words && take_over(own, all[k], reg))) {
        ++r;
        continue;
      }
      all[k].words = Words::none;
      code[k].cost = nothing;
      if (own.words == Words::sum) code[i].cost = one;
      r = 0;  // its operands are others now
    }
    if (rotates) own.words = Words::none;
  }
}

}  // namespace gpulab::simt
