#include "common/simt/observers/polling_loads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "common/simt/observers/instruction_registers.h"

namespace gpulab::simt {
namespace {

using ptx::Instruction, ptx::Operand;

bool reads_any(const Instruction& instruction, const std::set<std::int32_t>& registers) {
  bool found = false;
  each_register_read(instruction, [&](std::int32_t reg) { found |= registers.contains(reg); });
  return found;
}

bool is_branch(const Instruction& instruction) { return instruction.opcode.starts_with("bra"); }
bool is_conditional(const Instruction& instruction) { return instruction.guard_reg >= 0; }

/// What it gives depends on more than its operands.
bool is_chance(const Instruction& instruction) {
  constexpr std::string_view starts[] = {"ld", "atom", "shfl", "vote", "match", "activemask", "redux", "tex", "suld"};
  return std::ranges::any_of(starts, [&](auto start) { return instruction.opcode.starts_with(start); });
}

using Labels = std::unordered_map<std::string_view, std::size_t>;

/// The instruction that a branch leads to.
std::optional<std::size_t> target_of(const Labels& labels, const Instruction& branch) {
  if (branch.operands.empty()) return std::nullopt;
  const auto found = labels.find(branch.operands.front().name);
  return found == labels.end() ? std::nullopt : std::optional(found->second);
}

/// The instructions from `start` to a branch back to it.
class Loop {
 public:
  Loop(const ptx::Function& function, const Labels& labels, std::size_t start, std::size_t end)
      : function_(function), labels_(labels), start_(start), end_(end), decided_(end - start + 1) {}

  [[nodiscard]] bool waits_for(std::size_t load) {
    find_changing();
    const Instruction& instruction = function_.instructions[load];
    bool same_place = true;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i)
      each_register(instruction.operands[i], [&](std::int32_t reg) { same_place &= !changing_.contains(reg); });
    if (!same_place) return false;
    add_results(instruction, seen_);
    follow_seen();
    return leaves_by_seen();
  }

 private:
  static void add_results(const Instruction& one, std::set<std::int32_t>& to) {
    if (writes(one)) each_register(one.operands.front(), [&](std::int32_t reg) { to.insert(reg); });
  }
  template <typename Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = start_; i <= end_; ++i) visit(i, function_.instructions[i]);
  }
  /// Until nothing is added.
  template <typename Pass>
  static void repeat(const std::set<std::int32_t>& grown, const Pass& pass) {
    for (std::size_t before = SIZE_MAX; before != grown.size();) {
      before = grown.size();
      pass();
    }
  }

  /// Registers that may hold another value in the next round.
  void find_changing() {
    std::set<std::int32_t> once;
    each([&](std::size_t, const Instruction& one) {
      if (!writes(one)) return;
      if (is_chance(one)) add_results(one, changing_);
      each_register(one.operands.front(), [&](std::int32_t reg) {
        if (!once.insert(reg).second) changing_.insert(reg);
      });
    });
    repeat(changing_, [&] {
      std::set<std::int32_t> later = once;  // what the round has yet to write, when an instruction reads it
      each([&](std::size_t, const Instruction& one) {
        if (reads_any(one, changing_) || reads_any(one, later)) add_results(one, changing_);
        if (writes(one)) each_register(one.operands.front(), [&](std::int32_t reg) { later.erase(reg); });
      });
    });
  }
  /// Registers that depend on what the load has seen, and instructions that run or do not by such a one.
  void follow_seen() {
    repeat(seen_, [&] {
      each([&](std::size_t i, const Instruction& one) {
        if (reads_any(one, seen_) || decided_[i - start_]) add_results(one, seen_);
        if (!is_branch(one) || !seen_.contains(one.guard_reg)) return;
        const auto target = target_of(labels_, one);
        for (std::size_t k = i + 1; target && k < std::min(*target, end_); ++k) decided_[k - start_] = true;
      });
    });
  }
  [[nodiscard]] bool is_decided(std::size_t i) const {
    return decided_[i - start_] || seen_.contains(function_.instructions[i].guard_reg);
  }
  /// Every way out depends on it.
  [[nodiscard]] bool leaves_by_seen() const {
    bool leaves = false, others = false;
    each([&](std::size_t i, const Instruction& one) {
      const bool ends = one.opcode.starts_with("ret") || one.opcode.starts_with("exit");
      if (one.call >= 0 || one.opcode.starts_with("brx")) others = true;
      if (!is_branch(one) && !ends) return;
      const auto target = ends ? std::nullopt : target_of(labels_, one);
      const bool outside = !target || *target < start_ || *target > end_;
      if (!outside && (i != end_ || !is_conditional(one))) return;
      (is_decided(i) ? leaves : others) = true;
    });
    return leaves && !others;
  }

  const ptx::Function& function_;
  const Labels& labels_;
  std::size_t start_, end_;
  std::set<std::int32_t> changing_, seen_;
  std::vector<bool> decided_;  ///< by instruction, from start_
};

constexpr std::size_t kLongestLoop = 96;
constexpr int kMostLoops = 3;  ///< around a load

bool is_like(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.reg == b.reg && a.integer == b.integer && a.name == b.name &&
         std::ranges::equal(a.elements, b.elements, is_like);
}

}  // namespace

PollingLoads::PollingLoads(const ptx::Function& function) : function_(&function) {
  for (const auto& label : function.labels) labels_.emplace(label.name, label.instruction);
}

bool PollingLoads::waits_in_a_loop(std::size_t load) {
  const auto& all = function_->instructions;
  int loops = 0;
  for (std::size_t end = load; end < std::min(all.size(), load + kLongestLoop) && loops < kMostLoops; ++end) {
    if (!is_branch(all[end])) continue;
    const auto start = target_of(labels_, all[end]);
    if (!start || *start > load || end - *start >= kLongestLoop) continue;
    if (loops_left_ == 0) return false;
    ++loops, --loops_left_;
    if (Loop(*function_, labels_, *start, end).waits_for(load)) return true;
  }
  return false;
}

bool PollingLoads::contains(const Instruction& load) {
  const auto& all = function_->instructions;
  if (&load < all.data() || &load >= all.data() + all.size()) return false;
  const auto at = static_cast<std::size_t>(&load - all.data());
  if (waits_in_a_loop(at)) return true;
  // The first look of `while ((v = *flag) == 0) pause();`, which compilers put before the loop.
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + kLongestLoop));
  const auto next = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(at) + 1, end, [&](const Instruction& one) {
    return one.opcode == load.opcode && std::ranges::equal(one.operands, load.operands, is_like);
  });
  return next != end && waits_in_a_loop(static_cast<std::size_t>(next - all.begin()));
}

}  // namespace gpulab::simt
