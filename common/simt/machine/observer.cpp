#include "common/simt/machine/observer.h"

#include "common/simt/machine/block.h"

namespace gpulab::simt {

namespace {

/// What observers do at an event takes from the budget, too, in warp instructions that take about half as long: an
/// endless loop that is watched ends soon after one that is not.
constexpr std::uint64_t kLookAtInstruction = 2, kLookAtAccess = 6, kLookAtFence = 160, kLookAtCollective = 16;

template <typename What>
void tell(const Warp& w, Watch event, std::uint64_t work, What what) {
  w.block->charged += work;
  for (Observer* observer : w.block->launch.observers)
    if (observer->watches() & event) tell_observer(*observer, what);
}

/// Those for which the guard holds of an instruction that is looked at.
std::uint32_t guarded_lanes(const Warp& w, const MicroOp* op) {
  if (op->r[0] == kNoOperand) return w.mask;
  return w.mask & (is_negated(op) ? ~w.preds[op->r[0]] : w.preds[op->r[0]]);
}

}  // namespace

const MicroOp* observe_instruction(Warp& w, const MicroOp* op) {
  const std::uint32_t lanes = guarded_lanes(w, op);
  tell(w, kWatchInstructions, kLookAtInstruction, [&](Observer& observer) { observer.instruction(w, op, lanes); });
  return op + 1;
}

const MicroOp* observe_values(Warp& w, const MicroOp* op) {
  if (!w.values_watched) [[likely]]
    return op + 1;
  const std::uint32_t lanes = guarded_lanes(w, op);
  tell(w, kWatchValues, kLookAtInstruction, [&](Observer& observer) { observer.instruction(w, op, lanes); });
  return op + 1;
}

const MicroOp* observe_way(Warp& w, const MicroOp* op) {
  tell(w, kWatchWays, kLookAtInstruction, [&](Observer& observer) {
    observer.passed(w, op, static_cast<WayPoint>(op->extra), static_cast<std::uint32_t>(op->imm));
  });
  return op + 1;
}

const MicroOp* observe_access(Warp& w, const MicroOp* op) {
  w.block->charged += kLookAtAccess;
  for (Observer* observer : w.block->launch.access_watchers)
    tell_observer(*observer, [&](Observer& one) { one.access(w, op); });
  return op + 1;
}

const MicroOp* observe_entry(Warp& w, const MicroOp* op) {
  if (!w.traced) [[likely]]
    return op + 1;
  tell(w, kWatchTraced, 0, [&](Observer& observer) { observer.entered(w, static_cast<std::uint32_t>(op->imm)); });
  return op + 1;
}

const MicroOp* observe_traced_access(Warp& w, const MicroOp* op) {
  if (!w.traced) [[likely]]
    return op + 1;
  tell(w, kWatchTraced, 0, [&](Observer& observer) { observer.traced_access(w, op); });
  return op + 1;
}

void tell_request(Warp& w, const MicroOp* op, const MatrixRequest& request) {
  tell(w, kWatchTraced, 0, [&](Observer& observer) { observer.traced_request(w, op, request); });
}

const MicroOp* observe_fence(Warp& w, const MicroOp* op) {
  tell(w, kWatchFences, kLookAtFence, [&](Observer& observer) { observer.fence(w); });
  return op + 1;
}

const MicroOp* observe_collective(Warp& w, const MicroOp* op) {
  tell(w, kWatchCollectives, kLookAtCollective, [&](Observer& observer) { observer.collective(w, op); });
  return op + 1;
}

}  // namespace gpulab::simt
