#include "common/simt/observers/advice/endless_loops.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "common/ptx/module.h"

namespace gpulab::simt {
namespace {

using Labels = std::unordered_map<std::string_view, std::uint32_t>;

Labels labels_of(const ptx::Function& function) {
  Labels labels;
  for (const ptx::Label& label : function.labels) labels.emplace(label.name, label.instruction);
  return labels;
}

/// Where a branch leads; the last number there is where that is no label of the function.
std::uint32_t target_of(const Labels& labels, const ptx::Instruction& branch) {
  if (branch.operands.empty()) return UINT32_MAX;
  const auto label = labels.find(branch.operands.back().name);
  return label == labels.end() ? UINT32_MAX : label->second;
}

/// The last instruction before `at`, in the order of the text, that gives the register its value.
const ptx::Instruction* definition(const ptx::Function& function, std::int32_t reg, std::uint32_t at) {
  while (reg >= 0 && at-- > 0) {
    const auto& one = function.instructions[at];
    if (!one.operands.empty() && one.operands.front().kind == ptx::Operand::Kind::reg &&
        one.operands.front().reg == reg)
      return &one;
  }
  return nullptr;
}

/// A load that others cannot be ordered with.
bool is_plain_load(const ptx::Instruction& one) {
  if (!one.opcode.starts_with("ld.")) return false;
  return std::ranges::none_of(std::array{"volatile", "relaxed", "acquire", "param", "const", "local"},
                              [&](std::string_view word) { return one.opcode.find(word) != std::string_view::npos; });
}

/// The branch at `at` is taken as a comparison of a loaded value says.
bool asks_a_plain_load(const ptx::Function& function, std::uint32_t at) {
  const auto* compares = definition(function, function.instructions[at].guard_reg, at);
  if (compares == nullptr || !compares->opcode.starts_with("setp.")) return false;
  return std::ranges::any_of(compares->operands, [&](const ptx::Operand& operand) {
    const auto* loads = operand.kind == ptx::Operand::Kind::reg ? definition(function, operand.reg, at) : nullptr;
    return loads != nullptr && is_plain_load(*loads);
  });
}

bool is_branch(const ptx::Instruction& one) { return one.opcode == "bra" || one.opcode == "bra.uni"; }

}  // namespace

std::vector<std::uint32_t> endless_loops(const Program& program) {
  constexpr std::size_t most = 16;  // what looks at a stranger's code must not take long
  std::vector<std::uint32_t> found;
  std::size_t looked_at = 0;
  for (const ptx::Function& function : program.module->functions) {
    const auto& all = function.instructions;
    const Labels labels = labels_of(function);
    std::vector<std::uint32_t> loops;
    for (std::uint32_t i = 0; i < all.size() && loops.size() + looked_at < most; ++i)
      if (is_branch(all[i]) && all[i].guard.empty() && target_of(labels, all[i]) == i) loops.push_back(i);
    looked_at += loops.size();
    for (const std::uint32_t loop : loops)
      for (std::uint32_t from = 0; from < all.size(); ++from) {
        const bool leads_there = is_branch(all[from]) && !all[from].guard.empty() &&
                                 (target_of(labels, all[from]) == loop || from + 1 == loop);
        if (!leads_there || !asks_a_plain_load(function, from)) continue;
        const auto site = std::ranges::find(program.sites, &all[loop], &Site::instruction);
        if (site != program.sites.end()) found.push_back(static_cast<std::uint32_t>(site - program.sites.begin()));
        break;
      }
  }
  return found;
}

}  // namespace gpulab::simt
