#include "common/simt/observers/advice/code_paths.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/simt/observers/instruction_registers.h"

namespace gpulab::simt {

namespace {

constexpr std::size_t kLongest = 20'000;  ///< instructions of a function that is looked through
constexpr int kPasses = 16;               ///< over its code, until nothing changes

/// bar.sync a, b and bar.arrive a, b name how many threads they wait for; bar.red has its predicates behind.
bool is_barrier(const Site& site) { return (site.row->meaning.traits & kBarrier) != 0; }
bool is_of_a_part(const Site& site) {
  const bool reduces = site.instruction->opcode.find(".red") != std::string_view::npos;
  return is_barrier(site) && site.instruction->operands.size() != (reduces ? 3 : 1);
}
bool is_branch(const Site& site) {
  return (site.row->meaning.traits & kConditional) != 0 || (site.facts & kTableBranch) != 0;
}
bool ends(const Site& site) {
  return (site.row->meaning.traits & kEndsBlock) != 0 && !is_branch(site) && site.instruction->call < 0;
}

bool calls_a_function(const Program& program, const ptx::Function& function) {
  return std::ranges::any_of(function.calls, [&](const ptx::CallSite& call) {
    return call.target.kind == ptx::Operand::Kind::reg ||
           std::ranges::any_of(program.functions, [&](const FunctionInfo& info) {
             return info.function->name == call.target.name && info.function->has_body;
           });
  });
}

/// Of operands that are special registers: all threads of a block read the same.
bool is_of_the_block(std::string_view special) {
  constexpr std::string_view starts[] = {"%ctaid", "%ntid", "%nctaid", "%gridid", "%nsmid", "%cluster", "%nwarpid"};
  return std::ranges::any_of(starts, [&](auto start) { return special.starts_with(start); });
}
bool names_a_thread(const ptx::Operand& operand) {
  return (operand.kind == ptx::Operand::Kind::special && !is_of_the_block(operand.name)) ||
         std::ranges::any_of(operand.elements, names_a_thread);
}

/// What it gives depends on more than its operands.
bool comes_from_afar(const Site& site) {
  const bool loads = (site.row->meaning.traits & (kLoad | kAtomic)) != 0 && site.row->unit != Unit::param &&
                     site.row->unit != Unit::constant;
  return loads || (site.facts & kShuffle) != 0 || site.instruction->call >= 0;
}

}  // namespace

CodePaths::CodePaths(const Program& program, const ptx::Function& function)
    : function_(function), differ_(function.registers.size()), in_branch_(function.instructions.size()) {
  const auto& all = function.instructions;
  if (all.empty() || all.size() > kLongest || calls_a_function(program, function)) return;
  sites_.resize(all.size());
  for (const Site& site : program.sites)
    if (site.function == &function && site.instruction >= all.data() && site.instruction < all.data() + all.size())
      sites_[static_cast<std::size_t>(site.instruction - all.data())] = &site;
  for (const Site* site : sites_)
    if (!site || is_of_a_part(*site)) return;
  make_graph();
  follow_differences();
  known_ = true;
}

void CodePaths::make_graph() {
  std::unordered_map<std::string_view, std::uint32_t> labels;
  for (const ptx::Label& label : function_.labels) labels.emplace(label.name, label.instruction);
  const auto end = static_cast<std::uint32_t>(sites_.size());
  const auto target = [&](std::string_view label) {
    const auto found = labels.find(label);
    return found == labels.end() ? end : found->second;
  };
  std::vector<std::vector<std::uint32_t>> targets(sites_.size());
  std::vector<ptx::Flow> flows(sites_.size());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Site& site = *sites_[i];
    const bool guarded = !site.instruction->guard.empty();
    if ((site.facts & kTableBranch) != 0) {
      for (const ptx::BranchTargets& table : function_.branch_targets)
        for (const std::string_view label : table.labels) targets[i].push_back(target(label));
    } else if (is_branch(site)) {
      targets[i] = {target(site.instruction->operands.at(0).name)};
    }
    if (is_branch(site) || ends(site)) flows[i] = {guarded, ends(site), targets[i]};
  }
  graph_ = ptx::control_flow_graph(flows);
}

/// Whether what an instruction gives may differ between threads of a block.
bool CodePaths::differs(std::size_t at) const {
  const Site& site = *sites_[at];
  bool found =
      in_branch_[at] || comes_from_afar(site) || std::ranges::any_of(site.instruction->operands, names_a_thread);
  each_register_read(*site.instruction, [&](std::int32_t reg) { found |= differ_[static_cast<std::size_t>(reg)]; });
  return found;
}

/// A block is reached or not as a branch decides if it is on the way from one of the branch's targets to where its ways
/// meet (control dependence: Ferrante, Ottenstein, Warren, 1987). True: something is new.
bool CodePaths::mark_branch(std::size_t at) {
  bool fresh = false;
  const auto mark = [&](std::size_t i) {
    fresh = fresh || !in_branch_[i];
    in_branch_[i] = true;
  };
  const std::uint32_t from = graph_.block_of[at], meet = graph_.blocks[from].post_dominator;
  for (std::uint32_t r : graph_.successors(from))
    for (; r != ptx::ControlFlowGraph::exit && r != meet; r = graph_.blocks[r].post_dominator) {
      if (in_branch_[graph_.blocks[r].first]) continue;
      for (std::uint32_t i = graph_.blocks[r].first; i < graph_.blocks[r].end; ++i) mark(i);
    }
  return fresh;
}

void CodePaths::follow_differences() {
  bool changed = true;
  for (int pass = 0; changed && pass < kPasses; ++pass) {
    changed = false;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const ptx::Instruction& one = *sites_[i]->instruction;
      const bool guard = one.guard_reg >= 0 && differ_[static_cast<std::size_t>(one.guard_reg)];
      if (is_branch(*sites_[i]) || ends(*sites_[i])) {
        if (guard || in_branch_[i] || (sites_[i]->facts & kTableBranch)) changed |= mark_branch(i);
        continue;
      }
      if (guard && !in_branch_[i]) changed = in_branch_[i] = true;
      if (!differs(i)) continue;
      each_register_written(one, [&](std::int32_t reg) {
        changed |= !differ_[static_cast<std::size_t>(reg)];
        differ_[static_cast<std::size_t>(reg)] = true;
      });
    }
  }
}

bool CodePaths::search(std::size_t from, std::size_t to, const std::function<bool(std::size_t)>& stops) const {
  std::vector<bool> seen(graph_.blocks.size());
  std::vector<std::uint32_t> open;
  /// Through a block's rest; what follows it is open where nothing stops before.
  const auto go = [&](std::size_t first, const ptx::Block& block) {
    for (std::size_t i = first; i < block.end; ++i) {
      if (i == to) return true;
      if (stops(i)) return false;
    }
    for (const std::uint32_t next : graph_.successors(graph_.block_of[block.first]))
      if (next != ptx::ControlFlowGraph::exit && !seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
    return false;
  };
  if (go(from + 1, graph_.blocks[graph_.block_of[from]])) return true;
  while (!open.empty()) {
    const ptx::Block& block = graph_.blocks[open.back()];
    open.pop_back();
    if (go(block.first, block)) return true;
  }
  return false;
}

bool CodePaths::lead_past_barriers(std::size_t from, std::size_t to, bool of_warp) const {
  return search(from, to, [&](std::size_t i) {
    return is_barrier(*sites_[i]) ||
           (of_warp && sites_[i]->instruction->opcode.find(".sync") != std::string_view::npos);
  });
}

bool CodePaths::lead(std::size_t from, std::size_t to) const {
  return search(from, to, [](std::size_t) { return false; });
}

}  // namespace gpulab::simt
