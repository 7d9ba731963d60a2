#include "common/simt/compiled/exits.h"

#include <exception>
#include <utility>

#include "common/simt/machine/divergence.h"
#include "common/simt/machine/warp_scheduler.h"

namespace gpulab::simt::compiled {

namespace {

/// What a handler has thrown, on its way through compiled code.
thread_local std::exception_ptr pending_error;

[[gnu::cold, gnu::noinline]] void rethrow_pending() { std::rethrow_exception(std::exchange(pending_error, nullptr)); }

const MicroOp* end_of_call(Warp&, const MicroOp* op) { return op; }

const MicroOp* enter_code(Warp& w, const MicroOp* op) {
  const EntryPoint& entry = *reinterpret_cast<const EntryPoint*>(op);
  if (w.traced || w.values_watched || w.unguarded) return entry.original;
  const bool whole = w.mask == kFullMask && w.stop_block == kNoBlock;
  if (!whole && !entry.has_masked) {
    // About: several threads may count at once.
    if (entry.refused)
      entry.refused->store(entry.refused->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return entry.original;
  }
  Exit exit;
  exit.alone = w.splits.size() == 1;
  const MicroOp* next = (*entry.code)(&w, whole ? entry.number : entry.number + kMasked, &exit);
  switch (exit.kind) {
    case Exit::Kind::next:
      return next;
    case Exit::Kind::diverged:
      return diverge(w, exit.op, exit.value);
    case Exit::Kind::slice_ended:
    case Exit::Kind::reconverged:
      if (exit.kind == Exit::Kind::reconverged && pending_error) [[unlikely]]
        break;
      w.stop.slice = {exit.value};
      return stop(w, exit.kind == Exit::Kind::slice_ended ? Stop::Kind::slice_ended : Stop::Kind::reconverged);
    case Exit::Kind::enters:
      return enter(w, exit.value);
    case Exit::Kind::failed:
      break;
  }
  rethrow_pending();
  return nullptr;
}

}  // namespace

EntryPoint entry_point(const MicroOp* original, const Code& code, std::uint32_t number, bool has_masked) {
  EntryPoint entry;
  entry.op = *original;  // its place in the source, for messages
  entry.op.run = enter_code;
  entry.code = &code;
  entry.number = number;
  entry.original = original;
  entry.has_masked = has_masked;
  return entry;
}

std::vector<MicroOp> callable(const MicroOp* first, std::uint32_t count) {
  std::vector<MicroOp> ops(first, first + count);
  ops.push_back(*first);
  ops.back().run = end_of_call;
  return ops;
}

std::uint32_t call_handlers(Warp* w, const MicroOp* first, Exit* exit) {
  try {
    const MicroOp* op = first;
    while (op && op->run != end_of_call) op = op->run(*w, op);
    return op ? 0 : 1;
  } catch (...) {
    exit->kind = Exit::Kind::failed;
    pending_error = std::current_exception();
    return 1;
  }
}

namespace {
/// What gives a block, or kNoBlock with pending_error.
template <typename F>
std::uint32_t block_of(Warp& w, Exit& exit, const F& f) {
  try {
    const std::uint32_t block = f();
    exit.alone = w.splits.size() == 1;
    return block;
  } catch (...) {
    exit.kind = Exit::Kind::failed;
    pending_error = std::current_exception();
    return kNoBlock;
  }
}
}  // namespace

std::uint32_t part_in_code(Warp* w, const MicroOp* op, Exit* exit, std::uint32_t taken) {
  return block_of(*w, *exit, [&] { return part_lanes(*w, op, taken); });
}

std::uint32_t meet_in_code(Warp* w, Exit* exit) {
  return block_of(*w, *exit, [&] { return go_on_from_meeting(*w); });
}

const MicroOp* call_through(Warp* w, const MicroOp* op, Exit* exit) {
  try {
    return op->run(*w, op);
  } catch (...) {
    exit->kind = Exit::Kind::failed;
    pending_error = std::current_exception();
    return nullptr;
  }
}

}  // namespace gpulab::simt::compiled
