#include "common/simt/timing/code/vectors.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace gpulab::simt {

namespace {

constexpr std::uint64_t kMostAligned = 16;  // bytes: the widest load

std::uint64_t aligned_by(std::uint64_t value) {
  return value == 0 ? kMostAligned : std::min(kMostAligned, std::uint64_t{1} << std::countr_zero(value));
}

/// A load of one word of shared memory that may become part of a wider one.
const ptx::Instruction* plain_load(const Program& program, const TimedInstruction& t) {
  if (t.kind != TimedInstruction::Kind::load || t.space != TimedInstruction::Space::shared || t.spill) return nullptr;
  const ptx::Instruction& i = *program.sites[t.site].instruction;
  const bool word = i.opcode == "ld.shared.f32" || i.opcode == "ld.shared.u32" || i.opcode == "ld.shared.s32" ||
                    i.opcode == "ld.shared.b32";
  const bool simple = i.guard_reg < 0 && i.operands.size() == 2 && i.operands[1].kind == ptx::Operand::Kind::address;
  return word && simple && i.operands[1].reg >= 0 ? &i : nullptr;
}

}  // namespace

Alignment::Alignment(const ptx::Function& function) {
  for (const ptx::Instruction& i : function.instructions)
    if (!i.operands.empty() && i.operands[0].kind == ptx::Operand::Kind::reg) writers_[i.operands[0].reg].push_back(&i);
}

std::uint64_t Alignment::of(std::int32_t reg, int depth) {
  constexpr int deepest = 8;
  if (const auto found = known_.find(reg); found != known_.end()) return found->second;
  const auto writers = writers_.find(reg);
  if (depth > deepest || writers == writers_.end()) return 1;
  known_[reg] = kMostAligned;  // a loop's register that is added to: as well as what is added
  std::uint64_t all = kMostAligned;
  for (const ptx::Instruction* i : writers->second) all = std::min(all, of_result(*i, depth));
  return known_[reg] = all;
}

std::uint64_t Alignment::of_operand(const ptx::Operand& operand, int depth) {
  using enum ptx::Operand::Kind;
  if (operand.kind == integer) return aligned_by(static_cast<std::uint64_t>(operand.integer));
  if (operand.kind == symbol) return aligned_by(static_cast<std::uint64_t>(operand.integer));  // arrays start at 16
  return operand.kind == reg ? of(operand.reg, depth + 1) : 1;
}

std::uint64_t Alignment::of_result(const ptx::Instruction& i, int depth) {
  const std::string_view name = i.opcode.substr(0, i.opcode.find('.'));
  const auto operand = [&](std::size_t n) { return n < i.operands.size() ? of_operand(i.operands[n], depth) : 1; };
  const auto product = [&] { return std::min(kMostAligned, operand(1) * operand(2)); };
  if (name == "mov" || name == "cvta" || name == "cvt") return operand(1);
  if (name == "add" || name == "sub" || name == "or") return std::min(operand(1), operand(2));
  if (name == "and") return std::max(operand(1), operand(2));
  if (name == "mul") return product();
  if (name == "mad") return std::min(product(), operand(3));
  if (name == "shl" && i.operands.size() > 2 && i.operands[2].kind == ptx::Operand::Kind::integer)
    return std::min(kMostAligned, operand(1) << std::clamp<std::int64_t>(i.operands[2].integer, 0, 4));
  return 1;
}

void join_neighbours(const Program& program, std::vector<TimedInstruction>& code, Alignments& alignments) {
  constexpr std::int64_t word = 4;
  constexpr std::ptrdiff_t furthest = 128;  // instructions between two that are joined
  for (auto at = code.begin(); at != code.end(); ++at) {
    TimedInstruction& first = *at;
    const ptx::Instruction* head = plain_load(program, first);
    if (!head || first.cost.issue == 0 || head->operands[1].integer % (2 * word) != 0) continue;
    std::array<TimedInstruction*, 3> next{};
    const auto end = code.end() - at > furthest ? at + furthest : code.end();
    for (auto ahead = at + 1; ahead != end && ahead->kind != TimedInstruction::Kind::store; ++ahead) {
      TimedInstruction& t = *ahead;
      const ptx::Instruction* other = plain_load(program, t);
      if (!other || t.cost.issue == 0 || other->operands[1].reg != head->operands[1].reg) continue;
      const std::int64_t apart = other->operands[1].integer - head->operands[1].integer;
      if (apart > 0 && apart % word == 0 && apart / word <= 3) next[static_cast<std::size_t>(apart / word - 1)] = &t;
    }
    std::size_t words = next[0] ? next[1] && next[2] && head->operands[1].integer % (4 * word) == 0 ? 4 : 2 : 1;
    if (words == 1) continue;
    const ptx::Function* function = program.sites[first.site].function;
    const std::uint64_t base = alignments.try_emplace(function, *function).first->second.of(head->operands[1].reg);
    while (words > 1 && base < words * word) words /= 2;
    for (std::size_t k = 1; k < words; ++k) {
      TimedInstruction& t = *next[k - 1];
      first.out[k] = t.out[0];
      t.kind = TimedInstruction::Kind::plain;
      t.cost = {Pipe::none, 0, 0, 0};
      t.in = t.out = {};
    }
  }
}

}  // namespace gpulab::simt
