#include "common/simt/observers/polling_loads.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

namespace gpulab::simt {
namespace {

using ptx::Instruction, ptx::Operand;

template <typename Visit>
void each_register(const Operand& operand, const Visit& visit) {
  if (operand.reg >= 0) visit(operand.reg);
  if (operand.second_reg >= 0) visit(operand.second_reg);
  for (const auto& element : operand.elements) each_register(element, visit);
}

/// The first operand is what an instruction writes, but for stores and what has no result.
bool writes(const Instruction& instruction) {
  const auto is = [&](const char* start) { return instruction.opcode.starts_with(start); };
  return !instruction.operands.empty() && !is("st.") && !is("red.") && !is("bra") && !is("bar");
}

bool reads_any(const Instruction& instruction, const std::set<std::int32_t>& registers) {
  bool found = instruction.guard_reg >= 0 && registers.contains(instruction.guard_reg);
  for (std::size_t i = writes(instruction) ? 1 : 0; i < instruction.operands.size(); ++i)
    each_register(instruction.operands[i], [&](std::int32_t reg) { found |= registers.contains(reg); });
  return found;
}

/// The instruction that a branch leads to.
std::optional<std::size_t> target_of(const ptx::Function& function, const Instruction& branch) {
  if (branch.operands.empty()) return std::nullopt;
  const auto found = std::ranges::find(function.labels, branch.operands.front().name, &ptx::Label::name);
  return found == function.labels.end() ? std::nullopt : std::optional<std::size_t>(found->instruction);
}

}  // namespace

bool is_polling(const ptx::Function& function, const Instruction& load) {
  const auto& all = function.instructions;
  if (&load < all.data() || &load >= all.data() + all.size()) return false;
  const auto at = static_cast<std::size_t>(&load - all.data());
  const auto ends = [](const Instruction& one) { return one.opcode.starts_with("bra") || one.call >= 0; };
  const auto end = static_cast<std::size_t>(
      std::find_if(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(), ends) - all.begin());
  if (end == all.size() || all[end].call >= 0 || all[end].guard_reg < 0) return false;
  const auto start = target_of(function, all[end]);
  if (!start || *start > at) return false;
  const bool one_block = std::none_of(all.begin() + static_cast<std::ptrdiff_t>(*start),
                                      all.begin() + static_cast<std::ptrdiff_t>(at), ends) &&
                         std::ranges::none_of(function.labels, [&](const ptx::Label& label) {
                           return label.instruction > *start && label.instruction <= end;
                         });
  if (!one_block) return false;
  std::set<std::int32_t> address, seen;
  for (std::size_t i = 1; i < load.operands.size(); ++i)
    each_register(load.operands[i], [&](std::int32_t reg) { address.insert(reg); });
  for (std::size_t i = *start; i < end; ++i) {
    const Instruction& one = all[i];
    if (!writes(one)) continue;
    const bool follows = i == at || (i > at && reads_any(one, seen));
    each_register(one.operands.front(), [&](std::int32_t reg) {
      if (address.contains(reg)) address.insert(-1);
      if (follows) seen.insert(reg);
    });
  }
  return !address.contains(-1) && seen.contains(all[end].guard_reg);
}

}  // namespace gpulab::simt
