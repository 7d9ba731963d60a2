#include "common/simt/machine/observer.h"

#include "common/simt/machine/block.h"

namespace gpulab::simt {

namespace {

template <typename What>
void tell(const Warp& w, Watch event, What what) {
  for (Observer* observer : w.block->launch.observers)
    if (observer->watches() & event) what(*observer);
}

}  // namespace

const MicroOp* observe_instruction(Warp& w, const MicroOp* op) {
  std::uint32_t lanes = w.mask;
  if (op->r[0] != kNoOperand) lanes &= is_negated(op) ? ~w.preds[op->r[0]] : w.preds[op->r[0]];
  tell(w, kWatchInstructions, [&](Observer& observer) { observer.instruction(w, op, lanes); });
  return op + 1;
}

const MicroOp* observe_access(Warp& w, const MicroOp* op) {
  tell(w, kWatchAccesses, [&](Observer& observer) { observer.access(w, op); });
  return op + 1;
}

const MicroOp* observe_fence(Warp& w, const MicroOp* op) {
  tell(w, kWatchFences, [&](Observer& observer) { observer.fence(w); });
  return op + 1;
}

const MicroOp* observe_collective(Warp& w, const MicroOp* op) {
  tell(w, kWatchCollectives, [&](Observer& observer) { observer.collective(w, op); });
  return op + 1;
}

}  // namespace gpulab::simt
