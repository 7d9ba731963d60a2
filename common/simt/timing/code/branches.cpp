#include "common/simt/timing/code/branches.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace gpulab::simt {

namespace {

/// Special registers that differ between the lanes of a warp.
bool differs(std::string_view special) {
  return special.starts_with("%tid") || special.starts_with("%lane") || special.starts_with("%clock") ||
         special.starts_with("%globaltimer");
}

/// What reads memory or other lanes; parameters are the same for all.
bool comes_from_afar(std::string_view opcode) {
  if (opcode.starts_with("ld")) return !opcode.starts_with("ld.param");
  constexpr std::string_view names[] = {"atom",  "shfl", "tex", "tld4", "suld",
                                        "match", "wmma", "mma", "call", "activemask"};
  return std::ranges::any_of(names, [&](std::string_view name) { return opcode.starts_with(name); });
}

}  // namespace

Uniformity::Uniformity(const ptx::Function& function) {
  const auto for_each_result = [&](const auto& visit) {
    for (const ptx::Instruction& i : function.instructions) {
      if (i.operands.empty()) continue;
      const ptx::Operand& to = i.operands[0];
      if (to.kind == ptx::Operand::Kind::address) continue;  // a store's, which is read
      for (const std::int32_t reg : {to.reg, to.second_reg})
        if (reg >= 0) visit(static_cast<std::size_t>(reg), &i);
      for (const ptx::Operand& element : to.elements)
        if (element.reg >= 0) visit(static_cast<std::size_t>(element.reg), &i);
    }
  };
  for_each_result([&](std::size_t reg, const ptx::Instruction*) {
    if (reg + 2 > first_.size()) first_.resize(reg + 2);
    ++first_[reg + 1];
  });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next = first_;
  writers_.resize(first_.empty() ? 0 : first_.back());
  for_each_result([&](std::size_t reg, const ptx::Instruction* i) { writers_[next[reg]++] = i; });
  known_.assign(first_.size(), -1);
  for (const ptx::Label& label : function.labels) labels_.emplace(label.name, label.instruction);
  find_loops(function);
}

/// From the last instruction to the first: the loops that are open are those whose last branch has come by.
void Uniformity::find_loops(const ptx::Function& function) {
  const auto count = static_cast<std::uint32_t>(function.instructions.size());
  loop_ends_.assign(count, UINT32_MAX);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // (first, last) instruction, the innermost behind
  for (std::uint32_t i = count; i-- > 0;) {
    const std::uint32_t target = target_of(function.instructions[i]);
    if (function.instructions[i].opcode.starts_with("bra") && target <= i) open.emplace_back(target, i);
    while (!open.empty() && open.back().first > i) open.pop_back();
    if (!open.empty()) loop_ends_[i] = open.back().second + 1;
  }
}

std::uint32_t Uniformity::target_of(const ptx::Instruction& branch) const {
  if (branch.operands.empty() || !branch.opcode.starts_with("bra")) return 0;
  const auto found = labels_.find(branch.operands[0].name);
  return found == labels_.end() ? 0 : found->second;
}

bool Uniformity::of(std::int32_t reg, int depth) {
  constexpr int deepest = 32;
  const auto writers = writers_of(reg);
  if (writers.empty()) return false;
  std::int8_t& known = known_[static_cast<std::size_t>(reg)];
  if (known >= 0) return known != 0;
  if (depth > deepest) return false;
  known = 1;  // a loop's register, until something says that it is not
  const bool all = std::ranges::all_of(writers, [&](const ptx::Instruction* i) { return of_result(*i, depth); });
  known = all ? 1 : 0;
  return all;
}

std::span<const ptx::Instruction* const> Uniformity::writers_of(std::int32_t reg) const {
  const auto at = static_cast<std::size_t>(reg);
  if (reg < 0 || at + 1 >= first_.size()) return {};
  return std::span(writers_).subspan(first_[at], first_[at + 1] - first_[at]);
}

bool Uniformity::of_operand(const ptx::Operand& operand, int depth) {
  using enum ptx::Operand::Kind;
  if (operand.kind == special) return !differs(operand.name);
  if (operand.kind == vector)
    return std::ranges::all_of(operand.elements, [&](const ptx::Operand& e) { return of_operand(e, depth); });
  return operand.reg < 0 || of(operand.reg, depth + 1);
}

bool Uniformity::of_result(const ptx::Instruction& i, int depth) {
  if (comes_from_afar(i.opcode) || (i.guard_reg >= 0 && !of(i.guard_reg, depth + 1))) return false;
  for (std::size_t n = 1; n < i.operands.size(); ++n)
    if (!of_operand(i.operands[n], depth)) return false;
  return true;
}

bool may_part(const Site& site, Uniformity& uniformity) {
  const ptx::Instruction& branch = *site.instruction;
  if (branch.guard_reg < 0 || !branch.opcode.starts_with("bra") ||
      branch.opcode.find(".uni") != std::string_view::npos || uniformity.of(branch.guard_reg))
    return false;
  const auto own = static_cast<std::uint32_t>(site.instruction - site.function->instructions.data());
  const std::uint32_t target = uniformity.target_of(branch);
  return target > own && target < uniformity.loop_end(own);
}

bool is_at_one_place(const Site& site, Uniformity& uniformity) {
  const auto& operands = site.instruction->operands;
  const auto address = std::ranges::find(operands, ptx::Operand::Kind::address, &ptx::Operand::kind);
  return address == operands.end() || address->reg < 0 || uniformity.of(address->reg);
}

}  // namespace gpulab::simt
