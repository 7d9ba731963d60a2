#pragma once
// One resident block: its warps, shared memory and barriers. Runs until it ends, waits, or its time slice is over.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/dim3.h"
#include "common/simt/decode/hot_code.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/observer.h"
#include "common/simt/machine/schedule.h"
#include "common/simt/machine/sync/async.h"
#include "common/simt/machine/sync/cluster.h"
#include "common/simt/machine/warp.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

class DeviceHeap;
struct DeviceRuntime;
struct GridLaunches;
class StateHash;
struct StackLimit;

/// What all blocks of a launch share.
struct LaunchState {
  const Program* program = nullptr;
  const BasicBlock* blocks = nullptr;  ///< in place of the program's, which they follow: of the compiled tier
  HotCode* hot = nullptr;              ///< the same for what is made while blocks run; null: nobody makes any
  Dim3 grid, block;
  Dim3 cluster;                       ///< blocks of a cluster; a grid has whole ones
  bool has_explicit_cluster = false;  ///< somebody has said so, the kernel or the launch
  std::uint32_t dynamic_shared_bytes = 0;
  int carveout = -1;  ///< hundredths of shared memory and L1 that the program prefers as shared memory; -1: none
  std::uint32_t sm_count = 1;
  std::span<const std::byte> parameters;  ///< the parameter block, laid out as PTX does
  GlobalMemory* memory = nullptr;
  DeviceHeap* heap = nullptr;  ///< of malloc
  DeviceRuntime* runtime = nullptr;
  GridLaunches* launches = nullptr;   ///< that this grid makes
  const StackLimit* stack = nullptr;  ///< of the GPU that the simulator stands for; null: nobody asks
  /// Cooperative launches: where the grid's barrier lies (cooperative_groups' grid_workspace); 0: the grid has none.
  std::uint64_t grid_workspace = 0;
  std::uint32_t phases = 1;  ///< counted apart, split by the block's barriers; the last takes all that follow
  std::uint64_t print_limit = std::uint64_t{1} << 20;  ///< bytes of printf that are kept
  bool keeps_patterns = true;  ///< somebody asks afterwards which patterns instructions have shown (line_counts.h)
  std::uint64_t schedule = 0;  ///< seed that permutes blocks, warps and splits; 0: natural order
  std::span<Observer* const> observers;    ///< who watches; empty: nobody
  std::vector<Observer*> access_watchers;  ///< of them, those who are told of accesses: the event that comes most often
  std::uint16_t watched = 0;               ///< what they ask for, all together

  void observe_by(std::span<Observer* const> all) {
    observers = all;
    watched = 0;
    access_watchers.clear();
    for (Observer* observer : all) {
      watched |= observer->watches();
      if (observer->watches() & kWatchAccesses) access_watchers.push_back(observer);
    }
  }
  [[nodiscard]] bool is_watched([[maybe_unused]] int events) const {
#ifndef GPULAB_WITHOUT_TOOLS
    return (watched & events) != 0;
#else
    return false;
#endif
  }
  /// Tells the observers: `what(Observer&)`. `event`: a bit of Watch, those who ask for it; 0: all of them. The calls
  /// lie apart from the code around, which would otherwise keep registers free for them. tests/bench also has a
  /// simulator that was built without any of this, to compare.
  template <typename What>
  [[gnu::always_inline]] void tell([[maybe_unused]] What what, [[maybe_unused]] int event = 0) const {
#ifndef GPULAB_WITHOUT_TOOLS
    if (event == 0 ? !observers.empty() : is_watched(event)) [[unlikely]]
      tell_apart(observers, what, event);
#endif
  }

 private:
  template <typename What>
  [[gnu::cold, gnu::noinline]] static void tell_apart(std::span<Observer* const> observers, const What& what,
                                                      int event) {
    for (Observer* observer : observers)
      if (event == 0 || (observer->watches() & event)) tell_observer(*observer, what);
  }
};

/// A barrier counts warps, not threads: a warp has arrived when all its lanes that have not exited have, and then
/// counts as 32 threads (PTX ISA: bar, barrier).
struct Barrier {
  std::array<std::uint32_t, 32> lanes{};  ///< that have come, by warp
  std::uint32_t needed = 0;               ///< threads; 0: all warps that have not exited
  std::uint32_t votes = 0, voters = 0;    ///< bar.red: threads whose predicate holds, and all
  std::uint32_t arrived = 0;              ///< threads in `lanes`, also those that have exited since (bar.arrive)
};

/// How many threads are where: by PTX instruction and " (barrier 0)", or why else they wait.
using ThreadPlaces = std::map<std::pair<std::uint32_t, std::string>, std::uint64_t>;

/// Memory of the host that one resident block takes: registers, shared and local memory.
[[nodiscard]] std::uint64_t context_bytes(const LaunchState& launch);

/// Where compiled code has left off that has gone on from warp to warp.
struct Hop {
  std::int64_t fuel = 0;          ///< when its turn began
  Warp* warp = nullptr;           ///< that has its turn; nullptr: the last turn is over
  std::int64_t debt = 0;          ///< when its turn began
  const MicroOp* next = nullptr;  ///< where it goes on; nullptr: Warp::stop
  bool hopped = false;            ///< code has: whoever began the first of these turns goes back to BlockContext::run()
};

/// Whole warps that compiled code brings to a barrier one after another, in the order of their turns: told by a few
/// words for all of them. Each one's split says nothing of it (it is as when the warp runs) until settle_convoy().
struct Convoy {
  std::uint32_t come = 0;           ///< so many warps, from `first` on and round the block, wait at the barrier
  std::uint32_t first = 0;          ///< Warp::index
  std::uint32_t next = 0;           ///< that of the one that may come next
  std::uint32_t barrier = 0;        ///< its number
  const MicroOp* behind = nullptr;  ///< where they go on
  /// Where all others go on that have not ended, but the one whose turn it is; nullptr: as their splits say.
  const MicroOp* at = nullptr;
};

struct BlockContext {
  BlockContext(const LaunchState& launch, Worker& worker, bool parallel);
  /// Prepares for block `linear` of the grid, by itself or as one of a cluster's.
  void start(std::uint64_t linear);
  void start(std::uint64_t linear, Cluster& in, std::uint32_t as_rank);
  /// Runs up to about `slice` warp instructions of each warp, in turns as `choices` has it. True when the block has
  /// ended.
  /// Throws LaunchError: a fault, or a deadlock within the block.
  bool run(std::int64_t slice);

  /// Lanes of a warp have come to a barrier.
  void arrive(const Warp& warp, const BarrierStop& stop, std::uint32_t lanes);
  // sync/barriers.cpp
  void exited(std::uint32_t threads);
  // Compiled code goes on with the next warp where one has come to a barrier, without a way back through run(). These
  // are run()'s steps.
  /// Who has the next turn; nullptr: the slice is over, or nobody could run.
  Warp* next_of_round();
  /// Warp instructions of a turn.
  [[nodiscard]] std::int64_t turn() const { return turns_.budget; }
  void end_turn(Warp& warp);
  /// The warp has the next turn, and that has not begun.
  void put_back(Warp& warp) { turns_.put_back = &warp; }
  /// A whole warp has come to a barrier of all, which nobody watches.
  void arrive_whole(const Warp& warp, std::uint32_t barrier);
  /// The same where the warp goes on in code at `behind`, if it is the next of the convoy, or may begin one. False: it
  /// is not, and nothing has changed.
  bool join_convoy(const Warp& warp, const MicroOp* behind, std::uint32_t barrier);
  /// All have come: they go on, in a new phase.
  void pass_convoy() {
    convoy.come = 0;
    convoy.at = convoy.behind;
    enter_phase(phase_ + 1);
  }
  [[nodiscard]] bool all_have_come() const { return convoy.come == turns_.count; }
  /// Who has the next turn of this round, where nobody has ended; nullptr: the round is over.
  Warp* next_in_convoy();
  /// Splits and barriers say what the convoy says, and there is none any more. `running`: whose turn it is, or nullptr.
  void settle_convoy(const Warp* running);
  /// A whole warp that has no other lanes has left the kernel. False: others may have waited for it, and nothing has
  /// changed.
  bool end_whole(Warp& warp);
  // sync/sleepers.cpp
  /// What sleepers test has changed: they test again.
  void wake_sleepers();
  /// An mbarrier has changed: the block is not in a deadlock.
  void note_arrival() {
    idle_wakes_ = 0;
    cluster->note_arrival();
  }
  /// Nobody can run: lanes that wait for others of their warp go on without them. False: there are none.
  bool let_someone_on();
  /// What the block has taken of the launch's budget so far.
  [[nodiscard]] std::uint64_t work() const { return executed + charged; }
  // sync/deadlock.cpp
  /// The line that some split is to run next, for messages; empty when all have ended.
  [[nodiscard]] std::string place() const;
  /// Adds where this block's threads are.
  void add_places(ThreadPlaces& places) const;
  [[nodiscard]] Dim3 thread_of(const Warp& warp, int lane) const;
  // sync/repetition.cpp
  /// Where its threads are, and what else decides how they go on, but for global memory.
  void add_places_to(StateHash& hash) const;
  void add_state_to(StateHash& hash) const;

  const LaunchState& launch;
  Worker& worker;
  Dim3 index{0, 0, 0};  ///< ctaid
  std::uint64_t linear = 0;
  std::uint32_t live = 0;      ///< threads that have not exited
  std::uint64_t executed = 0;  ///< warp instructions so far; with what polls have taken, the block's clock
  std::uint64_t polled = 0;    ///< fuel that polls have taken so far
  std::uint64_t charged = 0;  ///< work beside instructions so far, in warp instructions that take as long (charge_work)
  std::uint64_t acts = 0;     ///< times that its threads have printed, allocated, launched, copied (charge_work)
  std::int64_t slice = 0;     ///< of the running warp
  bool in_turn = false;       ///< one of its several splits runs, for a turn of its own
  bool hops = false;          ///< code may go on with other warps: turns are as they come, and nobody watches barriers
  Hop hop;
  Convoy convoy;
  std::vector<Warp> warps;
  Schedule choices;  ///< between warps and their splits
  std::array<Barrier, 16> barriers{};
  std::unordered_map<std::uint32_t, std::int32_t> last_errors;  ///< of cudaGetLastError, by thread
  bool spinning = false;                                        ///< the last slice was spent polling
  std::vector<AsyncQueue> async;                                ///< per warp
  Cluster* cluster = &alone_;                                   ///< never null
  std::uint32_t rank = 0;                                       ///< there
  std::vector<std::uint32_t> cluster_came;  ///< barrier.cluster, per warp: lanes that have arrived in this phase

 private:
  /// Of a slice: warps run in rounds, in each of which all have a turn.
  struct Turns {
    std::int64_t budget = 0, left = 0;  ///< of the slice
    std::int64_t waited = 0, ran = 0;   ///< in this round
    std::size_t next = 0, count = 0;    ///< of warps, or order_
    bool progress = false;              ///< somebody has run in this round
    bool worked = false, over = false;
    Warp* put_back = nullptr;
  };
  void begin_round();
  void end_round();
  bool next_round();
  void reset_waiting();
  void enter_phase(std::uint32_t phase) {
    if (launch.phases != 1) change_phase(phase);
  }
  void change_phase(std::uint32_t phase);
  bool run_turn(Warp& warp, std::int64_t budget);
  // initial_registers.cpp
  void fill_launch_values(Warp& warp);
  void fill_block_values();
  // sync/barriers.cpp
  void complete(std::uint32_t number);
  // sync/sleepers.cpp
  /// Nobody can run: lets someone on who waits for sleepers, or sleepers go on. False: there is nobody.
  bool resume_someone();
  /// Sleepers whose instruction may come back with "false" go on.
  bool give_up_sleeping();
  /// Lanes that wait where branches meet go on alone.
  bool release_diverged();
  // sync/deadlock.cpp
  void check_collectives() const;
  [[noreturn]] void report_deadlock();
  Turns turns_;
  Cluster alone_;                      ///< of a block that has no siblings
  std::vector<std::uint32_t> order_;   ///< of warps
  std::uint32_t launch_threads_ = 0;   ///< of warps that are all whole; 0: the last one is not
  std::uint32_t barriers_in_use_ = 0;  ///< bit n: somebody has come to barrier n
  std::uint32_t phase_ = 0;            ///< barriers of the whole block so far, below LaunchState::phases
  std::uint32_t idle_wakes_ = 0;       ///< times that all slept and gave up since an mbarrier changed
  struct Deleter {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Deleter> storage_;  ///< registers of all warps, then shared memory
  std::vector<std::uint32_t> preds_;
  std::unique_ptr<ZeroPages> local_;  ///< none where the program has no local memory
  std::byte* shared_ = nullptr;
};

/// Of a round, in the order of warps. With `choices` in theirs.
inline Warp* BlockContext::next_of_round() {
  while (turns_.next < turns_.count) {
    const std::size_t i = turns_.next++;
    Warp& w = warps[choices ? order_[i] : i];
    if (!w.splits.empty()) return &w;
  }
  return next_round() ? next_of_round() : nullptr;
}

inline void BlockContext::end_turn(Warp& w) {
  turns_.progress = true;
  const std::int64_t used = slice - w.fuel, debt = w.poll_debt;
  executed += static_cast<std::uint64_t>(used - debt);
  w.executed += static_cast<std::uint64_t>(used - debt);
  turns_.ran += used;
  if (debt == 0) return;
  polled += static_cast<std::uint64_t>(debt);
  turns_.waited += debt;
}

inline void BlockContext::arrive_whole(const Warp& w, std::uint32_t number) {
  Barrier& barrier = barriers[number];
  barriers_in_use_ |= 1u << number;
  std::uint32_t& come = barrier.lanes[w.index];
  const std::uint32_t arrived = barrier.arrived + active_count(~come);
  barrier.arrived = arrived;
  come = kFullMask;
  barrier.voters += kLanes;
  barrier.needed = 0;
  if (arrived >= live) complete(number);
}

inline bool BlockContext::join_convoy(const Warp& w, const MicroOp* behind, std::uint32_t number) {
  if (convoy.come != 0) {
    if (w.index != convoy.next || convoy.behind != behind || convoy.barrier != number) return false;
  } else {
    if (!hops || in_turn || live != launch_threads_ || barriers_in_use_ != 0 || w.splits.size() != 1) return false;
    convoy.first = w.index;
    convoy.barrier = number;
    convoy.behind = behind;
  }
  ++convoy.come;
  convoy.next = w.index + 1 < turns_.count ? w.index + 1 : 0;
  return true;
}

/// Without choices, which hopping code has not.
inline Warp* BlockContext::next_in_convoy() {
  if (turns_.next == turns_.count) return nullptr;
  return &warps.data()[turns_.next++];
}

inline void BlockContext::arrive(const Warp& w, const BarrierStop& stop, std::uint32_t lanes) {
  Barrier& barrier = barriers[stop.number];
  barriers_in_use_ |= 1u << stop.number;
  std::uint32_t& come = barrier.lanes[w.index];
  const std::uint32_t arrived = barrier.arrived + active_count(lanes & ~come);
  barrier.arrived = arrived;
  come |= lanes;
  barrier.votes += active_count(stop.votes);
  barrier.voters += active_count(lanes);
  barrier.needed = stop.threads;
  if (stop.threads || arrived >= live) complete(stop.number);  // most arrivals wait: without a look at the warps
}

/// "32 threads wait at kernels.cu:12 (barrier 0), 1 at kernels.cu:20", for the verb " wait".
[[nodiscard]] std::string described(const Program& program, const ThreadPlaces& places, std::string_view verb = {});

}  // namespace gpulab::simt
