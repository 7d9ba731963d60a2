#pragma once
// The state that handlers see: one warp's registers, its running split, and what surrounds it.
// Handlers read and write registers of active lanes; everything that decides (divergence, barriers, faults)
// is a function of divergence.cpp, calls.cpp, faults.cpp or block.cpp, compiled once for the oldest CPU.

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/simt/counting/statistics.h"
#include "common/simt/isa/op.h"
#include "common/simt/machine/stop.h"

namespace gpulab::simt {

struct Program;
struct Worker;
struct BlockContext;
class GlobalMemory;
class FootprintMap;

struct alignas(64) Slot {
  std::byte bytes[64];
};

/// A straight line of micro-ops: entered at `first`, counted once per entry.
struct BasicBlock {
  const MicroOp* first = nullptr;
  std::uint32_t instructions = 0;           ///< PTX instructions, pseudo micro-ops excluded
  std::uint32_t post_dominator = kNoBlock;  ///< immediate post-dominator; kNoBlock: the function's end
  std::size_t first_op = 0;                 ///< index of `first` in Program::ops
};

/// A place where diverged lanes wait for each other: the immediate post-dominator of a divergent branch, or the
/// instruction after a call.
struct Reconvergence {
  std::uint32_t block = kNoBlock;   ///< lanes arrive on entering this block; kNoBlock: by ret (call)
  const MicroOp* resume = nullptr;  ///< call: where the caller goes on
  std::uint32_t expected = 0;       ///< lanes that will come (exited lanes are taken out)
  std::uint32_t arrived = 0;
  std::int32_t parent = -1;      ///< the enclosing one
  std::int32_t call = -1;        ///< call: index into Program::calls
  std::uint32_t local_base = 0;  ///< call: the caller's local frame
  struct Saved {
    std::uint32_t function;
    std::vector<Slot> slots;
    std::vector<std::uint32_t> preds;
  };
  std::uint32_t callee = 0;    ///< call: a function called; all of one call site agree on where results lie
  std::vector<Saved> saved{};  ///< call: registers of callees that were active already
  bool in_use = false;
};

/// Lanes that share a program counter.
struct Split {
  enum class State : std::uint8_t { ready, barrier, collective, asleep };
  std::uint32_t mask = 0;
  State state = State::ready;
  std::uint32_t block = kNoBlock;  ///< to be entered next, if resume is null
  const MicroOp* resume = nullptr;
  std::int32_t reconvergence = -1;
  std::uint32_t members = 0;      ///< collective: the member mask it waits for
  std::uint32_t barrier = 0;      ///< barrier: its number
  std::uint32_t local_base = 0;   ///< current local frame, bytes
  bool may_give_up = false;       ///< asleep: as SleepStop's
  const char* awaited = nullptr;  ///< asleep: as SleepStop's
};

/// An access that later ones of its basic block repeat, as if its offset were 0.
struct Lead {
  const Pattern* pattern = nullptr;
  std::uint64_t base = 0;  ///< address of the first active lane
  std::byte* host = nullptr;
};
inline constexpr int kLeads = 8;

/// What a warp has had the device's library do: calls, the lanes that called, and what they printed.
struct LibraryCalls {
  std::uint32_t prints = 0, printing_lanes = 0, mallocs = 0, allocating_lanes = 0, frees = 0, freeing_lanes = 0;
  std::uint64_t printed_bytes = 0;
};

struct Warp {
  // What handlers touch at every instruction.
  Slot* regs = nullptr;
  std::uint32_t* preds = nullptr;
  std::uint32_t mask = 0;               ///< active lanes of the running split
  std::uint32_t stop_block = kNoBlock;  ///< entering it ends the split (reconvergence)
  const BasicBlock* blocks = nullptr;
  BlockCount* block_counts = nullptr;      ///< of this worker, by basic block
  SiteStatistics* sites = nullptr;         ///< of this worker, by PTX instruction
  PatternCache* patterns = nullptr;        ///< of this worker, by PTX instruction
  std::int64_t fuel = 0;                   ///< warp instructions left in this time slice
  alignas(64) std::int32_t lanes[kLanes];  ///< -1 where `mask` has a bit, else 0

  // What a turn's end and the next one's begin touch: one cache line.
  BlockContext* block = nullptr;
  std::uint64_t executed = 0;           ///< warp instructions so far
  std::int64_t poll_debt = 0;           ///< fuel taken by polling, not by instructions
  std::uint32_t index = 0;              ///< warp of the block
  std::uint32_t live = 0;               ///< lanes that have not exited
  std::int32_t running = -1;            ///< index of the running split
  mutable bool values_watched = false;  ///< an observer follows values of this warp (kWatchValues)
  mutable bool traced = false;          ///< an observer has asked for each basic block and access (kWatchTraced)
  std::vector<Split> splits;

  // Memory.
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;
  std::uint32_t own_window = 0;   ///< of its block's shared memory (rank_window); 0: the cluster has no other block
  std::byte* local = nullptr;     ///< of all lanes, word by word: local_memory.h
  std::uint32_t local_bytes = 0;  ///< of each lane
  std::uint32_t local_base = 0;   ///< of the running split's frame
  GlobalMemory* global = nullptr;
  bool parallel = false;              ///< other blocks run at the same time: global atomics must be atomic
  FootprintMap* footprint = nullptr;  ///< of this worker
  bool keeps_patterns = true;         ///< as LaunchState's

  Lead leads[kLeads];
  std::uint32_t unguarded = 0;  ///< the split's lanes while a guard has some switched off, else 0

  LibraryCalls library;  ///< since the block began

  std::uint32_t carry = 0;  ///< CC.CF of each lane (add.cc, addc …)

  // What the scheduler keeps.
  Stop stop;  ///< why the running split's turn ended
  std::vector<Reconvergence> reconvergences;
  std::vector<std::int32_t> free_points;  ///< reconvergences that are not in use: a heap, the lowest first
  const Program* program = nullptr;
  Worker* worker = nullptr;
};

// ---- called by handlers ----

/// A conditional branch whose active lanes disagree: `taken` go to op->imm, the rest fall through.
const MicroOp* diverge(Warp& warp, const MicroOp* op, std::uint32_t taken);
/// An indirect branch: the basic block that lane i goes to has the number index[i] in the instruction's table. Throws
/// LaunchError where that has fewer.
const MicroOp* diverge_many(Warp& warp, const MicroOp* op, const std::uint32_t* index);
/// All active lanes have the same.
const MicroOp* branch_together(Warp& warp, const MicroOp* op, std::uint32_t index);
const MicroOp* call_function(Warp& warp, const MicroOp* op);
const MicroOp* call_indirect(Warp& warp, const MicroOp* op, const std::uint64_t* targets);

[[noreturn]] void fault_access(Warp& warp, const MicroOp* op, std::uint64_t address, int lane, std::uint32_t bytes,
                               const char* access);
/// Operands of an instruction with the trait kOperandTable, as MicroOp::r holds those of others.
const std::uint16_t* operands(const Warp& warp, const MicroOp* op);
/// The instruction's opcode, for rows that several have in common.
[[nodiscard]] std::string_view opcode_of(const Warp& warp, const MicroOp* op);

/// The block ends here: `trap`, `brkpt`.
[[noreturn]] void fault_trap(Warp& warp, const MicroOp* op);
[[noreturn]] void fault_message(Warp& warp, const MicroOp* op, const char* what);

/// Defers a floating-point atomic whose result is unused: applied in block order when the blocks before are done.
void defer_atomic(Warp& warp, std::byte* host, std::uint64_t value,
                  void (*apply)(std::byte* host, std::uint64_t value));
/// Marks the sectors of lanes whose addresses have no common pattern.
void mark_far(Warp& warp, const std::uint64_t* addresses, bool store);

/// Work that is none of its instructions' own (text printed, bytes copied, blocks allocated) takes from the launch's
/// budget, too, in warp instructions that take as long.
void charge_work(Warp& warp, std::uint64_t units);

/// 64-bit nanosecond timer and cycle counters, deterministic: they advance with executed instructions.
std::uint64_t simulated_clock(const Warp& warp);

// ---- inline: the inner loop's pieces ----

/// Fuel that a look at what other threads may change costs, so that spinning lanes give way.
inline constexpr std::int64_t kPollCost = 64;

/// For loads of volatile, relaxed or acquire order, and atomics.
static inline void poll(Warp& w) {
  w.fuel -= kPollCost;
  w.poll_debt += kPollCost;
}

static inline std::uint32_t active_count(std::uint32_t mask) {
  return static_cast<std::uint32_t>(__builtin_popcount(mask));
}

alignas(64) static constexpr std::uint32_t lane_bit[kLanes] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

static inline void set_mask(Warp& w, std::uint32_t mask) {
  w.mask = mask;
  for (int i = 0; i < kLanes; ++i) w.lanes[i] = (mask & lane_bit[i]) != 0 ? -1 : 0;
}

/// Ends the turn of the running split (stop.h). Returns nullptr, for handlers to return to the inner loop.
static inline const MicroOp* stop(Warp& w, Stop::Kind kind) {
  w.stop.kind = kind;
  return nullptr;
}
static inline const MicroOp* stop(Warp& w, const BarrierStop& why) {
  w.stop.barrier = why;
  return stop(w, Stop::Kind::barrier);
}
static inline const MicroOp* stop(Warp& w, const CollectiveStop& why) {
  w.stop.collective = why;
  return stop(w, Stop::Kind::collective);
}
static inline const MicroOp* stop(Warp& w, const SleepStop& why) {
  w.stop.sleep = why;
  return stop(w, Stop::Kind::asleep);
}

/// Goes to a basic block: counts it, or stops where the split's lanes have to wait.
static inline const MicroOp* enter(Warp& w, std::uint32_t block) {
  if (block == w.stop_block || w.fuel < 0) [[unlikely]] {
    w.stop.slice = {block};
    return stop(w, block == w.stop_block ? Stop::Kind::reconverged : Stop::Kind::slice_ended);
  }
  const BasicBlock& b = w.blocks[block];
  BlockCount& count = w.block_counts[block];
  ++count.warps;
  count.lanes += active_count(w.mask);
  w.fuel -= b.instructions;
  return b.first;
}

}  // namespace gpulab::simt
