#include "common/simt/decode/fuse.h"

#include <algorithm>

#include "common/simt/counting/statistics.h"
#include "common/simt/isa/instruction_set.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

namespace {

/// The meaning of a micro-op that executes a PTX instruction; nullptr for micro-ops that decode adds around one.
const Meaning* meaning_of(const Program& program, const MicroOp& op) {
  const Meaning& meaning = program.sites[op.site].row->meaning;
  return op.run == meaning.run || (meaning.counted && op.run == meaning.counted) ? &meaning : nullptr;
}

Handler pseudo_handler(std::string_view name) { return instruction_set().find(name).front().row->meaning.run; }

/// The entry of MicroOp::r that holds an access's address.
int address_entry(const Meaning& meaning) {
  int entry = 0;
  for (const OperandType& operand : meaning.operands) {
    if (operand.role == Role::address) break;
    entry += operand.vector;
  }
  return entry;
}

/// Calls `f` with every register slot that a micro-op may write.
template <typename F>
void for_each_written_slot(const MicroOp& op, const Meaning* meaning, F f) {
  if (!meaning) return f(op.r[0]);
  std::size_t entry = 0;
  for (const OperandType& operand : meaning->operands) {
    if (operand.role == Role::none || entry >= op.r.size()) break;
    for (int k = 0; k < operand.vector; ++k, ++entry)
      if (operand.role == Role::out && operand.kind != Kind::pred) f(op.r[entry]);
  }
}

/// The accesses of one basic block whose pattern later ones may take over.
class Leaders {
 public:
  explicit Leaders(Program& program) : program_(program) {}
  void clear() { open_.clear(); }
  void forget(std::uint16_t slot) {
    std::erase_if(open_, [&](const Leader& leader) { return leader.address == slot; });
  }
  /// Makes `op` take over the pattern of such an access; where there is none, `op` becomes one.
  void add(MicroOp& op, const Meaning& meaning) {
    const std::uint16_t address = op.r[static_cast<std::size_t>(address_entry(meaning))];
    const auto step = static_cast<std::int32_t>(std::max(bytes_per_lane(meaning), 4u));
    for (Leader& leader : open_) {
      if (leader.address != address || leader.followed != meaning.followed ||
          (std::int64_t{op.imm} - leader.op->imm) % step)
        continue;
      if (leader.op->extra == 0) {
        if (used_ + 1 == kLeads) return;
        leader.op->extra = static_cast<std::uint16_t>(++used_);
      }
      op.extra = leader.op->extra;
      op.run = meaning.followed;
      program_.sites[op.site].leader = leader.op->site;
      return;
    }
    open_.push_back({&op, address, meaning.followed});
  }

 private:
  struct Leader {
    MicroOp* op;
    std::uint16_t address;
    Handler followed;
  };
  Program& program_;
  std::vector<Leader> open_;
  int used_ = 0;  ///< entries of Warp::leads in use; entry 0 belongs to all accesses without followers
};

void mark_followers(Program& program, MicroOp* begin, MicroOp* end) {
  static const Handler guard = pseudo_handler("%guard"), end_guard = pseudo_handler("%end_guard");
  Leaders leaders(program);
  bool guarded = false;
  for (MicroOp* op = begin; op != end; ++op) {
    if (op->run == guard || op->run == end_guard) {
      guarded = op->run == guard;
      continue;
    }
    if (op->run == observe_traced_access || op->run == observe_entry) continue;  // they write no register
    const Meaning* meaning = meaning_of(program, *op);
    // While a warp waits here, other warps run, and the pattern cache that all of them share may give the leader's
    // pattern up.
    if (meaning && (meaning->traits & (kBarrier | kCollective | kSideEffect))) leaders.clear();
    if (meaning && (meaning->traits & kOperandTable)) {  // the registers that it writes are not in MicroOp::r
      leaders.clear();
      continue;
    }
    if (meaning && meaning->followed && !guarded) leaders.add(*op, *meaning);
    for_each_written_slot(*op, meaning, [&](std::uint16_t slot) { leaders.forget(slot); });
  }
}

void join_branches(const Program& program, MicroOp* begin, MicroOp* end) {
  static const Handler branch_if = pseudo_handler("%branch_if");
  for (MicroOp* op = begin; op != end && op + 1 != end; ++op) {
    const Meaning* meaning = meaning_of(program, *op);
    if (!meaning || !meaning->then_branch || op[1].run != branch_if || op[1].r[0] != op->r[0]) continue;
    if (!(op->mods & kBoolMask) && op->r[1] == kNoOperand) op->run = meaning->then_branch;
  }
}

}  // namespace

void fuse(Program& program) {
  for (std::size_t i = 0; i < program.blocks.size(); ++i) {
    MicroOp* begin = program.ops.data() + program.blocks[i].first_op;
    MicroOp* end =
        program.ops.data() + (i + 1 < program.blocks.size() ? program.blocks[i + 1].first_op : program.ops.size());
    mark_followers(program, begin, end);
    join_branches(program, begin, end);
  }
}

}  // namespace gpulab::simt
