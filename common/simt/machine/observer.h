#pragma once
// Who watches what the machine does: a sanitizer's tool, a tracer, a timing model. The machine knows this interface
// alone. It tells the observers of a launch (LaunchState::observers) in their order what happens, before it happens
// where nothing else is said. Observers look: they change neither results nor counters.
//
// What nobody watches costs nothing. Decode puts micro-ops that tell of instructions, accesses, fences and collectives
// into a program only where an observer asks for them (Observer::watches); all other events are one question per
// barrier, block or launch (LaunchState::tell). An observer that asks for no barriers is not called at them.
//
// An observer is one file: a class that derives from Observer and overrides the events that it needs. Who wants to
// watch hands it to the simulator (SimulatorOptions::observers), which tells it of every launch until the device ends.

#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "common/simt/isa/op.h"
#include "common/simt/machine/memory/stretch.h"

namespace gpulab::simt {

struct Allocation;
struct BlockContext;
struct Cluster;
struct LaunchState;

/// What an observer asks for: bits of Observer::watches(). Events that have no bit here come unasked.
enum Watch : std::uint16_t {
  kWatchInstructions = 1,  ///< instruction()
  kWatchAccesses = 2,      ///< access()
  kWatchFences = 4,        ///< fence()
  kWatchCollectives = 8,   ///< collective()
  kWatchBarriers = 16,     ///< barrier_reached() at barriers of the whole block
  /// Shared variables lie apart, so that an index beyond the end of one reaches no other. Banks stay as they are.
  kGapsInShared = 32,
  /// The observer takes events of several CPU threads at once, each of blocks of its own. Where one observer does not,
  /// all blocks run on one thread, in an order that is the same in each run.
  kWatchInParallel = 64,
  /// instruction() for what may read or write values that come from memory, from other lanes or from nobody, while the
  /// warp's `values_watched` is set. Whoever asks for it sets that.
  kWatchValues = 128,
  kWatchWays = 256,  ///< passed()
  /// entered() and traced_access() of warps with `traced` set: whoever asks for it sets that, for the blocks it wants.
  kWatchTraced = 512,
  /// Program::functions says where registers lie (FunctionInfo::places): who reads their values from a warp.
  kWatchRegisters = 1024,
  /// barrier_completed(), and barrier_reached() at barriers with a thread count; a cluster's barriers, mbarriers.
  kWatchCompleted = 2048,
};

/// Where a warp comes by on its ways around barriers of the whole block (Program::detours).
enum class WayPoint : std::uint16_t {
  branch,   ///< about to branch: one way leads to the barrier, one around it
  meeting,  ///< where these ways meet again
  work      ///< behind a meeting: a store, an atomic, a call … is near
};

/// What ptxas makes one machine instruction of: ldmatrix, stmatrix, and parts of wmma.load and wmma.store.
struct MatrixRequest {
  std::span<const std::uint64_t, kLanes> places;  ///< by lane, in the state space; active ones are Warp::mask's
  std::uint32_t bytes = 0;                        ///< per lane
  bool shared = false, store = false;
  int number = 0;  ///< of the instruction's requests
};

class Observer {
 public:
  explicit Observer(std::uint16_t watches) : watches_(watches) {}
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  [[nodiscard]] std::uint16_t watches() const { return watches_; }

  /// What it was told of took more memory than the host has left. Who can do without says so and watches no more: the
  /// launch goes on. Called with the std::bad_alloc in flight, which ends the launch where nobody does.
  virtual void lacks_memory() { throw; }

  // ---- the host, between launches ----

  /// Memory that holds nothing yet.
  virtual void allocated(const Allocation&) {}
  /// A freed allocation is forgotten, by the host between launches or by a kernel: nobody may access it, and another
  /// one may have its index from now on. May be told twice.
  virtual void index_freed(std::uint32_t /*allocation*/) {}
  /// Bytes of an allocation that a copy or a fill has written.
  virtual void written(const Allocation&, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}
  /// Bytes that count as never written from now on (Device::forget).
  virtual void forgotten(const Allocation&, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}
  /// A question: which of these bytes nothing has written. Who knows adds the first of them, by offset, and leaves the
  /// others out where `into` holds kMostRanges.
  virtual void never_written(const Allocation&, const Stretch&, std::vector<Stretch>& /*into*/) {}
  static constexpr std::size_t kMostRanges = 256;

  // ---- a grid and its blocks ----

  /// Grids of one device follow each other; those that a kernel launches run when it has ended.
  virtual void grid_started(const LaunchState&) {}
  /// The grid's last block has ended, or the launch has failed.
  virtual void grid_ended(const LaunchState&) {}
  virtual void block_started(const BlockContext&) {}
  virtual void block_ended(const BlockContext&) {}

  // ---- a warp: Warp::mask has the active lanes, MicroOp::site is the PTX instruction's index in Program::sites ----

  /// An instruction is next. `lanes`: those of the active lanes for which its guard holds, maybe none.
  virtual void instruction(Warp&, const MicroOp*, std::uint32_t /*lanes*/) {}
  /// A load, store, atomic or copy is next; `op` has its operands.
  virtual void access(Warp&, const MicroOp*) {}
  /// A traced warp enters a basic block of its program.
  virtual void entered(Warp&, std::uint32_t /*block*/) {}
  /// access() of a traced warp.
  virtual void traced_access(Warp&, const MicroOp*) {}
  /// An instruction that moves matrices, of a traced warp: each of its requests, one after another.
  virtual void traced_request(Warp&, const MicroOp*, const MatrixRequest&) {}
  virtual void fence(Warp&) {}
  /// A .sync instruction is next. Its lanes may still have to wait for other members of their mask.
  virtual void collective(Warp&, const MicroOp*) {}
  /// Lanes that came to a .sync instruction in several groups, or waited for others to leave, are all there: it is
  /// next.
  virtual void warp_synchronised(Warp&, const MicroOp*, std::uint32_t /*lanes*/) {}
  /// cp.async has brought a lane's bytes to the offset `shared` of shared memory.
  virtual void copied(Warp&, int /*lane*/, std::uint32_t /*shared*/, std::uint32_t /*bytes*/, const MicroOp*) {}
  /// A call of the device runtime has written bytes for a lane, at a generic address.
  virtual void written_for(const Warp&, int /*lane*/, std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  /// A lane has launched a grid, which may start at once (not one into the tail launch stream).
  virtual void launched(const Warp&, int /*lane*/) {}
  /// Lanes pass a point of their ways around a barrier; of a branch and a meeting, `way` says which.
  virtual void passed(const Warp&, const MicroOp*, WayPoint, std::uint32_t /*way*/) {}
  /// Lanes go on alone from where branches meet, for others of their warp poll.
  virtual void went_on_alone(const Warp&, std::uint32_t /*lanes*/) {}

  // ---- a block's barriers ----

  /// Lanes come to a barrier. `count`: threads that it waits for; 0: all of the block.
  virtual void barrier_reached(Warp&, std::uint32_t /*number*/, std::uint32_t /*lanes*/, std::uint32_t /*count*/) {}
  /// Those who wait are about to go on. `everyone`: all threads of the block that have not exited have come.
  virtual void barrier_completed(const BlockContext&, std::uint32_t /*number*/, bool /*everyone*/) {}

  // ---- a cluster's barrier: asked for with kWatchCompleted ----

  /// The active lanes are about to arrive.
  virtual void cluster_reached(Warp&, const MicroOp*) {}
  /// All threads have arrived; those that wait are about to go on.
  virtual void cluster_completed(const Cluster&) {}
  /// The active lanes, which have arrived before, go on behind it.
  virtual void cluster_passed(const Warp&, const MicroOp*) {}

  // ---- mbarriers: asked for with kWatchCompleted; `address` is an offset of the owner's shared memory ----

  /// One is made, maybe where one was.
  virtual void mbarrier_made(const BlockContext& /*owner*/, std::uint32_t /*address*/) {}
  /// A lane is about to arrive, or what it began has: its cp.async, or the bytes of its st.async. The owner may be a
  /// sibling of its block.
  virtual void mbarrier_reached(Warp&, const MicroOp*, int /*lane*/, const BlockContext& /*owner*/,
                                std::uint32_t /*address*/) {}
  /// A phase is over.
  virtual void mbarrier_completed(const BlockContext& /*owner*/, std::uint32_t /*address*/) {}
  /// A lane has found the phase over that it asked for.
  virtual void mbarrier_passed(const Warp&, const MicroOp*, int /*lane*/, std::uint32_t /*address*/) {}

  // ---- the launch is about to fail ----

  /// One lane's access, or what it frees, is no good: `what` says why.
  virtual void faulted(Warp&, const MicroOp*, int /*lane*/, std::uint64_t /*address*/, const std::string& /*what*/) {}
  virtual void deadlocked(const BlockContext&, const std::string& /*what*/) {}

 protected:
  /// Adds to what it watches, before the first kernel is decoded.
  void ask_for(std::uint16_t more) { watches_ |= more; }

 private:
  std::uint16_t watches_;
};

/// Tells one observer: `what(Observer&)`.
template <typename What>
void tell_observer(Observer& observer, const What& what) {
  try {
    what(observer);
  } catch (const std::bad_alloc&) {
    observer.lacks_memory();
  }
}

// ---- for decode: micro-ops that tell the launch's observers and go on ----

/// r[0]: the guard's predicate or kNoOperand; is_negated() where it must not hold.
const MicroOp* observe_instruction(Warp& warp, const MicroOp* op);
const MicroOp* observe_values(Warp& warp, const MicroOp* op);
/// extra: the WayPoint; imm: the way.
const MicroOp* observe_way(Warp& warp, const MicroOp* op);
const MicroOp* observe_access(Warp& warp, const MicroOp* op);
/// imm: the basic block.
const MicroOp* observe_entry(Warp& warp, const MicroOp* op);
const MicroOp* observe_traced_access(Warp& warp, const MicroOp* op);
/// For the instructions themselves.
void tell_request(Warp& warp, const MicroOp* op, const MatrixRequest& request);
const MicroOp* observe_fence(Warp& warp, const MicroOp* op);
const MicroOp* observe_collective(Warp& warp, const MicroOp* op);

}  // namespace gpulab::simt
