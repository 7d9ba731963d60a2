#include "common/simt/counting/divergence_regions.h"

#include <algorithm>
#include <deque>

#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt {

namespace {

/// Blocks that a branch decides about are those on the ways from its targets to where all ways meet, each way by
/// immediate post-dominators: control dependence, after Ferrante, Ottenstein and Warren (1987). What such a block
/// decides in turn goes on from there.
class Regions {
 public:
  Regions(const Program& program, std::span<const std::uint64_t> divergent)
      : program_(program), divergent_(divergent), reasons_(program.blocks.size(), kNoSite) {
    // A stranger's code may have any number of branches that decide about the same blocks.
    steps_left_ = 1'000'000 + 64 * program.blocks.size();
  }

  std::vector<std::uint32_t> find() {
    std::vector<std::uint32_t> branches;
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b)
      if (lanes_part(b)) branches.push_back(b);
    std::stable_sort(branches.begin(), branches.end(), [this](std::uint32_t a, std::uint32_t b) {
      return divergent_[last(a)->site] > divergent_[last(b)->site];
    });
    for (const std::uint32_t b : branches) waiting_.push_back({b, last(b)->site});
    while (!waiting_.empty() && steps_left_ > 0) {
      const auto [block, why] = waiting_.front();
      waiting_.pop_front();
      spread(block, why);
    }
    return std::move(reasons_);
  }

 private:
  struct Decided {
    std::uint32_t block = 0, why = 0;
  };

  /// The operation that ends a block; null: it has none.
  [[nodiscard]] const MicroOp* last(std::uint32_t block) const {
    const std::size_t first = program_.blocks[block].first_op;
    const std::size_t end =
        block + 1 < program_.blocks.size() ? program_.blocks[block + 1].first_op : program_.ops.size();
    return end > first ? &program_.ops[end - 1] : nullptr;
  }
  [[nodiscard]] const Site* site_of(const MicroOp* op) const {
    return op && op->site < program_.sites.size() ? &program_.sites[op->site] : nullptr;
  }
  [[nodiscard]] static bool goes_two_ways(const MicroOp* op) {
    static const Handler branch_if = instruction_set().find("%branch_if").front().row->meaning.run;
    return op && op->run == branch_if;
  }
  [[nodiscard]] bool goes_by_table(const MicroOp* op) const {
    const Site* site = site_of(op);
    return site && (site->facts & kTableBranch) && static_cast<std::size_t>(op->imm) < program_.branch_tables.size();
  }
  [[nodiscard]] const CallInfo* call_of(const MicroOp* op) const {
    const Site* site = site_of(op);
    const bool calls = site && site->instruction && site->instruction->call >= 0 && !goes_two_ways(op);
    return calls && static_cast<std::size_t>(op->imm) < program_.calls.size() ? &program_.calls[op->imm] : nullptr;
  }
  [[nodiscard]] bool lanes_part(std::uint32_t block) const {
    const MicroOp* op = last(block);
    return (goes_two_ways(op) || goes_by_table(op)) && op->site < divergent_.size() && divergent_[op->site] > 0;
  }
  /// Where all lanes of a block that are still there go on together.
  [[nodiscard]] std::uint32_t behind(std::uint32_t block) const {
    static const Handler fall = instruction_set().find("%fall").front().row->meaning.run;
    const MicroOp* op = last(block);
    if (const CallInfo* call = call_of(op)) return call->return_block;
    return op && op->run == fall ? static_cast<std::uint32_t>(op->imm) : program_.blocks[block].post_dominator;
  }

  void decide(std::uint32_t from, std::uint32_t meet, std::uint32_t why) {
    for (std::uint32_t at = from; at != meet && at < program_.blocks.size(); at = behind(at)) {
      if (steps_left_ == 0) return;
      --steps_left_;
      if (reasons_[at] != kNoSite) continue;
      reasons_[at] = why;
      if (!lanes_part(at)) waiting_.push_back({at, why});
    }
  }
  void spread(std::uint32_t block, std::uint32_t why) {
    const MicroOp* op = last(block);
    if (goes_two_ways(op)) {
      decide(taken_block(op), post_dominator_block(op), why);
      decide(fall_through_block(op), post_dominator_block(op), why);
    } else if (goes_by_table(op)) {
      for (const std::uint32_t to : program_.branch_tables[static_cast<std::size_t>(op->imm)])
        decide(to, program_.blocks[block].post_dominator, why);
    } else if (const CallInfo* call = call_of(op); call && call->callee >= 0) {
      decide(program_.functions[static_cast<std::size_t>(call->callee)].entry_block, kNoBlock, why);
    }
  }

  const Program& program_;
  std::span<const std::uint64_t> divergent_;
  std::vector<std::uint32_t> reasons_;
  std::deque<Decided> waiting_;
  std::uint64_t steps_left_ = 0;
};

}  // namespace

std::vector<std::uint32_t> branches_that_divide(const Program& program, std::span<const std::uint64_t> divergent) {
  return Regions(program, divergent).find();
}

}  // namespace gpulab::simt
