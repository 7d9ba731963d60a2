#include "common/simt/compiled/exits.h"

#include <exception>
#include <utility>

#include "common/simt/machine/block.h"
#include "common/simt/machine/divergence.h"
#include "common/simt/machine/warp_scheduler.h"

namespace gpulab::simt::compiled {

namespace {

/// What a handler has thrown, on its way through compiled code.
thread_local std::exception_ptr pending_error;

[[gnu::cold, gnu::noinline]] void rethrow_pending() { std::rethrow_exception(std::exchange(pending_error, nullptr)); }

const MicroOp* end_of_call(Warp&, const MicroOp* op) { return op; }

// By vectors of this CPU, as the code around has them.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GPULAB_BY_VECTORS gnu::target_clones("avx512f", "avx2", "default")
#else
#define GPULAB_BY_VECTORS gnu::noinline
#endif

template <typename Word>
[[gnu::always_inline]] inline void write_line(Word* to, Word first, const std::array<Word, kLanes>& lanes) {
  for (std::size_t i = 0; i < kLanes; ++i) to[i] = first + lanes[i];
}

/// What code has left for us to write.
[[GPULAB_BY_VECTORS]] void write_left(Warp& w, const Exit& exit) {
  const std::uint64_t* word = exit.words;
  for (const LineRegister& r : *exit.left) {
    void* const to = w.regs + r.number;
    if (r.wide)
      write_line(static_cast<std::uint64_t*>(to), *word, r.lanes);
    else
      write_line(static_cast<std::uint32_t*>(to), static_cast<std::uint32_t>(*word), r.narrow);
    ++word;
  }
}

/// Of registers that are lines, from lane 0's words in memory.
[[GPULAB_BY_VECTORS]] void write_kept(const Warp& w, const LineRegisters& kept) {
  for (const LineRegister& r : kept) {
    void* const at = w.regs + r.number;
    if (r.wide)
      write_line(static_cast<std::uint64_t*>(at), *static_cast<const std::uint64_t*>(at), r.lanes);
    else
      write_line(static_cast<std::uint32_t*>(at), *static_cast<const std::uint32_t*>(at), r.narrow);
  }
}

/// The interpreter goes on instead.
const MicroOp* left_to_interpreter(const Warp& w, const EntryPoint& entry) {
  if (entry.kept) write_kept(w, *entry.kept);
  return entry.original;
}

/// What code that has returned asks for.
[[gnu::always_inline]] inline const MicroOp* left_code(Warp& w, const Exit& exit, const MicroOp* next) {
  if (exit.left) write_left(w, exit);
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

const MicroOp* enter_code(Warp& w, const MicroOp* op) {
  const EntryPoint& entry = *reinterpret_cast<const EntryPoint*>(op);
  if (w.traced || w.values_watched || w.unguarded) return left_to_interpreter(w, entry);
  const bool whole = w.mask == kFullMask && w.stop_block == kNoBlock;
  if (!whole && !entry.has_masked) {
    // About: several threads may count at once.
    if (entry.refused)
      entry.refused->store(entry.refused->load(std::memory_order_relaxed) + entry.instructions,
                           std::memory_order_relaxed);
    return left_to_interpreter(w, entry);
  }
  Exit exit;
  exit.alone = w.splits.size() == 1;
  exit.code = entry.code;
  const MicroOp* next =
      entry.code->run(&w, whole ? entry.number : entry.number + kMasked, &exit, entry.code->addresses);
  if (!exit.hopped) [[likely]]
    return left_code(w, exit, next);
  Hop& hop = w.block->hop;
  w.block->settle_convoy(hop.warp);
  if (exit.kind == Exit::Kind::failed) rethrow_pending();
  hop.hopped = true;
  hop.next = hop.warp ? left_code(*hop.warp, exit, next) : nullptr;
  return nullptr;
}

}  // namespace

EntryPoint entry_point(const MicroOp* original, const MachineCode& code, std::uint32_t number, bool has_masked) {
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
template <typename Word>
[[gnu::always_inline]] inline bool is_line(const Word* at, const std::array<Word, kLanes>& lanes) {
  Word differs = 0;
  for (std::size_t i = 0; i < kLanes; ++i) differs |= at[i] ^ (at[0] + lanes[i]);
  return differs == 0;
}

[[GPULAB_BY_VECTORS]] bool are_lines(const Warp* w, const LineRegisters* all) {
  for (const LineRegister& r : *all) {
    const void* const at = w->regs + r.number;
    const bool is = r.predicate ? w->preds[r.number] + 1 <= 1
                    : r.wide    ? is_line(static_cast<const std::uint64_t*>(at), r.lanes)
                                : is_line(static_cast<const std::uint32_t*>(at), r.narrow);
    if (!is) return false;
  }
  return true;
}
}  // namespace

std::uint32_t registers_are(const Warp* w, const LineRegisters* all) { return are_lines(w, all) ? 1 : 0; }

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

namespace {
/// Where a warp of one split that is to have a turn enters this code, whole; or nullptr.
const EntryPoint* entry_of(const Warp& w, const MachineCode* code) {
  const Split& split = w.splits.front();
  if (split.mask != kFullMask || split.reconvergence >= 0 || w.unguarded) return nullptr;
  const MicroOp* const op = split.resume ? split.resume : w.blocks[split.block].first;
  if (op->run != enter_code) return nullptr;
  const auto* const entry = reinterpret_cast<const EntryPoint*>(op);
  return entry->code == code ? entry : nullptr;
}

[[gnu::always_inline]] inline bool is_watched(const Warp& w) { return w.values_watched || w.traced; }

/// Its turn begins. Each field is stored by itself: who loads two at once right behind would wait for the stores.
[[gnu::always_inline]] inline Warp* enter_next(BlockContext& block, Warp& w, const EntryPoint& entry, Exit& exit) {
  const std::int64_t fuel = block.turn();
  w.fuel = fuel;
  block.hop.fuel = fuel;
  block.hop.warp = &w;
  w.poll_debt = 0;
  block.hop.debt = 0;
  exit.value = entry.number;
  return &w;
}

/// One that begins, or waited elsewhere. Nullptr: it does not enter this code.
[[gnu::noinline]] Warp* enter_from_afar(BlockContext& block, Warp& w, Exit& exit) {
  const EntryPoint* const entry = w.splits.size() == 1 && !is_watched(w) ? entry_of(w, exit.code) : nullptr;
  if (!entry) {
    block.put_back(w);
    block.hop.warp = nullptr;
    return nullptr;
  }
  enter_next(block, w, *entry, exit);
  Split& split = w.splits.front();
  take_over(w, split, 0);
  if (split.resume)
    split.resume = nullptr;
  else
    (void)enter(w, split.block);
  return &w;
}

/// The warp that has the next turn. Most are whole, and wait where this one did: `behind`, or nullptr.
[[gnu::always_inline]] inline Warp* next_of(BlockContext& block, const EntryPoint* behind, Exit& exit) {
  while (Warp* const next = block.next_of_round()) {
    Split* const split = next->splits.data();
    const bool one = next->splits.size() == 1;
    if (one && split->state != Split::State::ready) continue;
    if (!one || !behind || split->resume != &behind->op || is_watched(*next)) [[unlikely]]
      return enter_from_afar(block, *next, exit);
    split->resume = nullptr;  // it came there whole, as its only split
    return enter_next(block, *next, *behind, exit);
  }
  block.hop.warp = nullptr;
  return nullptr;
}

/// The next turn while there is a convoy, but that warp does not wait where the others do: it begins, or is elsewhere.
[[gnu::noinline]] Warp* leave_convoy(BlockContext& block, Warp& next, Exit& exit) {
  const Split& split = next.splits.front();
  const bool waits = next.splits.size() == 1 && split.state != Split::State::ready;
  if (block.convoy.at || waits) block.settle_convoy(nullptr);
  return waits ? next_of(block, nullptr, exit) : enter_from_afar(block, next, exit);
}

[[gnu::always_inline]] inline Warp* enter_in_convoy(BlockContext& block, Warp& next, Exit& exit) {
  const MicroOp* const at = block.convoy.at;
  if (!at || is_watched(next)) [[unlikely]]
    return leave_convoy(block, next, exit);
  return enter_next(block, next, *reinterpret_cast<const EntryPoint*>(at), exit);
}

/// The next turn while there is a convoy, of those that have not ended.
[[gnu::noinline]] Warp* next_left_in_convoy(BlockContext& block, Exit& exit) {
  Warp* const next = block.next_of_round();
  if (next) return enter_in_convoy(block, *next, exit);
  block.hop.warp = nullptr;
  return nullptr;
}

/// The warp waits, or goes on where it was the last to come.
[[gnu::noinline]] Warp* hop_from(Warp& w, const EntryPoint& behind, std::uint32_t barrier, Exit& exit) {
  BlockContext& block = *w.block;
  if (block.convoy.at || block.convoy.come != 0) block.settle_convoy(&w);
  Split& split = *w.splits.data();
  split.resume = &behind.op;
  split.barrier = barrier;
  split.state = Split::State::barrier;
  block.arrive_whole(w, barrier);
  exit.hopped = true;
  if (split.state != Split::State::ready || w.fuel < 0) {
    block.end_turn(w);
    return next_of(block, &behind, exit);
  }
  block.hop.fuel = w.fuel;
  block.hop.warp = &w;
  block.hop.debt = w.poll_debt;
  if (is_watched(w)) {
    block.hop.next = nullptr;
    w.stop.kind = Stop::Kind::none;  // the interpreter goes on with this very turn
    return nullptr;
  }
  split.resume = nullptr;
  exit.value = behind.number;
  return &w;
}

bool may_hop(const Warp& w) { return w.block->hops && !w.block->in_turn && w.splits.size() == 1; }

template <typename F>
Warp* next_warp(Exit& exit, const F& f) {
  try {
    return f();
  } catch (...) {
    exit.kind = Exit::Kind::failed;
    pending_error = std::current_exception();
    return nullptr;
  }
}

/// All go on, and the last one at once.
[[gnu::noinline]] Warp* go_on_last(BlockContext& block, Warp& w, Exit& exit) {
  block.pass_convoy();
  if (w.fuel < 0) {
    block.end_turn(w);
    return next_left_in_convoy(block, exit);
  }
  block.hop.fuel = w.fuel;
  block.hop.debt = w.poll_debt;
  block.hop.warp = &w;
  exit.value = reinterpret_cast<const EntryPoint*>(block.convoy.at)->number;
  return &w;
}

[[gnu::noinline]] Warp* stop_or_hop(Warp& w, Exit& exit, const EntryPoint& behind, std::uint32_t barrier) {
  return next_warp(exit, [&]() -> Warp* {
    if (may_hop(w)) return hop_from(w, behind, barrier, exit);
    stop(w, BarrierStop{&behind.op, barrier, 0, 0, true});
    return nullptr;
  });
}
}  // namespace

// Nothing is called but what is gone to for good: registers need not be kept.
Warp* hop_on(Warp* w, Exit* exit, const EntryPoint* behind, std::uint32_t barrier) {
  BlockContext& block = *w->block;
  if (!block.join_convoy(*w, &behind->op, barrier)) [[unlikely]]
    return stop_or_hop(*w, *exit, *behind, barrier);
  exit->hopped = true;
  if (block.all_have_come()) return go_on_last(block, *w, *exit);
  block.end_turn(*w);
  Warp* const next = block.next_in_convoy();
  return next ? enter_in_convoy(block, *next, *exit) : next_left_in_convoy(block, *exit);
}

Warp* end_on(Warp* w, Exit* exit, const MicroOp* op) {
  return next_warp(*exit, [&]() -> Warp* {
    (void)op->run(*w, op);
    if (!may_hop(*w)) return nullptr;
    exit->hopped = true;
    BlockContext& block = *w->block;
    if (w->stop.kind == Stop::Kind::exited && block.end_whole(*w)) {
      block.end_turn(*w);
      return block.convoy.at ? next_left_in_convoy(block, *exit) : next_of(block, nullptr, *exit);
    }
    block.settle_convoy(w);
    retire_warp(*w);
    block.end_turn(*w);
    return next_of(block, nullptr, *exit);
  });
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

void gpulab::simt::settle_registers(const Warp& w) {
  if (w.splits.size() != 1) return;
  const MicroOp* const op = w.splits.front().resume;
  if (!op || op->run != compiled::enter_code) return;
  const auto* const kept = reinterpret_cast<const compiled::EntryPoint*>(op)->kept;
  if (kept) compiled::write_kept(w, *kept);
}
