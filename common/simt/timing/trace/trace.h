#pragma once
// Which basic blocks and accesses the warps of some blocks come by, in order: what a launch's time is worked out from.
// Most blocks of a grid do the same, so that few stand for all.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "common/simt/machine/block.h"
#include "common/simt/machine/observer.h"
#include "common/simt/observers/locator.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/trace/slow_ways.h"

namespace gpulab::simt {

/// One access of a warp.
struct TracedAccess {
  enum class Space : std::uint8_t { global, shared, local, constant, none };  ///< none: a division, a nap
  std::uint32_t site = 0;
  Space space = Space::global;
  std::uint8_t wavefronts = 1;     ///< shared memory; constant memory: distinct addresses
  std::uint8_t same_address = 1;   ///< lanes that meet at one address, the most
  std::uint8_t lines = 0;          ///< global: distinct lines of 128 bytes
  std::uint8_t passes = 1;         ///< of a load: cycles that L1 takes to look its lines up and to read their banks
  std::uint32_t first_sector = 0;  ///< in BlockTrace::sectors
  std::uint32_t sectors = 0;       ///< distinct ones
  std::uint32_t allocation = UINT32_MAX;
  std::uint64_t hot_sector = 0;  ///< of an atomic: where the most lanes meet; of shared memory the address
  bool atomic = false;
  bool real = false;               ///< an atomic on floating-point numbers
  bool together = false;           ///< an atomic that a warp does as one: integers, all lanes at one address
  bool swaps = false;              ///< a compare-and-swap
  bool retried = false;            ///< in a loop that does little else; in shared memory: that others fail, too
  bool by_lane = false;            ///< or another that does not join lanes: an exchange, a counter that wraps
  bool in_l2 = false;              ///< an earlier launch has brought it there
  bool of_host = false;            ///< memory of the host, which the GPU reads and writes over its link
  std::uint16_t stored_bytes = 0;  ///< by all lanes
  std::uint16_t lane_bytes = 0;    ///< of all lanes, of any access
  std::uint8_t ideal_wavefronts = 1;
  bool partial = false;        ///< a store that leaves bytes of its sectors as they were
  bool scattered = false;      ///< lanes lie at distances of many kinds, as a gather's
  bool random = false;         ///< and up and down: what lies beside theirs no neighbour asks for soon
  std::uint32_t slow = 0;      ///< of a division: instructions of its slow way; of a nap: nanoseconds
  std::uint8_t conflicts = 0;  ///< an atomic: Σ over its sectors of the most lanes that meet at one address of it
  std::uint8_t meeting = 0;    ///< which of the block's meetings it is, from 1 on; 0: none
  bool handed = false;         ///< a load of what the block before in a chain has just stored
  std::uint32_t times = 1;     ///< events that are this access: shared memory's often are alike
};

struct TraceEvent {
  static constexpr std::uint32_t kAccess = 1u << 31;
  std::uint32_t what = 0;  ///< a basic block, or kAccess and the index of a TracedAccess
};

/// Where a warp looked at what others may change, since it last stored anything.
struct Poll {
  std::uint32_t site = UINT32_MAX;
  std::uint64_t sector = 0;
  std::size_t event = 0;  ///< behind the access in its trace
  static constexpr std::size_t kMost = 32;
};

/// One lane's access to what other blocks may come to: an atomic, an ordered load, a store.
struct Meeting {
  std::uint64_t address = 0;
  std::uint32_t site = 0;
  bool polls = false;   ///< looks again and again until somebody has stored there
  bool stores = false;  ///< an atomic does, too
  static constexpr std::size_t kMost = 64;
};

struct BlockTrace {
  std::uint64_t linear = 0;                 ///< of the grid
  std::uint64_t executed = 0;               ///< warp instructions of the simulator
  std::uint64_t instructions = 0;           ///< PTX instructions of the trace
  std::uint64_t most_of_warp = UINT64_MAX;  ///< so many of each warp at most: the block is too long to be traced whole
  std::vector<std::vector<TraceEvent>> warps;
  std::vector<std::uint64_t> warp_instructions;  ///< PTX instructions of the trace, by warp
  std::vector<std::vector<Poll>> polls;          ///< by warp, while it traces
  std::vector<std::uint64_t> looked_again_at;    ///< sectors that a warp came back to
  std::vector<Meeting> meetings;                 ///< the first ones, in the simulator's order
  std::vector<TracedAccess> accesses;
  std::vector<std::uint64_t> sectors;    ///< address / 32
  std::uint64_t accessed = 0;            ///< accesses that its warps made, kept here or not
  std::vector<std::uint32_t> shared_of;  ///< by site: its last access to shared memory, division or nap, from 1 on
  bool global_alone = false;             ///< it keeps its accesses to global memory and no others
  bool looked_again = false, managed = false;  ///< GridTrace's polls, managed
  std::uint32_t last_allocation = UINT32_MAX;  ///< index of the one that was accessed last, and
  bool last_of_host = false;                   ///< whether it is memory of the host
};

/// What printf, malloc and free take, in microseconds (meetings.cpp has their costs).
struct LibraryTime {
  double longest_print = 0, prints = 0;  ///< of the warp that prints for the longest; what all prints take in turn
  double longest_heap = 0, heap = 0;
  void add(const LibraryCalls& of_warp);
  [[nodiscard]] double us() const;
};

/// A traced block that waits for the one before it: its meetings at which it polls, and at which it lets the next one
/// go.
struct Link {
  std::size_t block = 0;  ///< of those that were looked at
  std::size_t poll = 0, pass = 0;
};
struct Chain {
  double part = 0;  ///< of the grid's blocks; 0: there is no chain
  std::vector<Link> links;
};

/// The most blocks that GridTrace::corner has of a grid of rows and planes; that of one long row has more.
inline constexpr std::size_t kCornerOfGrid = 4;

/// What a grid has done.
struct GridTrace {
  std::vector<BlockTrace> blocks;     ///< by their number
  std::vector<BlockTrace> corner;     ///< a block and some of those before it: Tracer::corner_
  std::uint64_t executed = 0;         ///< warp instructions of all blocks
  std::uint64_t most_executed = 0;    ///< of one block
  std::uint64_t most_of_warp = 0;     ///< of one warp
  bool polls = false;                 ///< a traced warp waits for what others store
  bool queue = false;                 ///< its threads take numbers from a counter until it says that all are gone
  std::vector<BlockTrace> witnesses;  ///< of a small grid with polls: blocks next to each other, in its middle
  Chain chain;                        ///< blocks that wait, each for the one before it: of `blocks`, or if there is
  bool of_witnesses = false;          ///< none, of `witnesses`
  bool clock = false;                 ///< or until a clock says that it is time
  bool managed = false;               ///< or uses memory whose pages move between host and GPU
  LibraryTime library;                ///< of all blocks
};

class Tracer final : public Observer {
 public:
  Tracer() : Observer(kWatchTraced | kWatchInParallel) {}

  /// Of the next grid: traces `wanted` blocks, in groups of `group` that are `stride` apart (as one SM gets them).
  /// `joined`: by site, TimedCode::joined().
  void prepare(std::uint64_t wanted, std::uint64_t group, std::uint64_t stride, std::span<const std::uint8_t> joined) {
    wanted_ = wanted;
    group_ = group;
    stride_ = stride;
    joined_ = joined;
  }
  [[nodiscard]] GridTrace take();

  void grid_started(const LaunchState& launch) override;
  void block_started(const BlockContext& block) override;
  void block_ended(const BlockContext& block) override;
  void entered(Warp& warp, std::uint32_t block) override;
  void traced_access(Warp& warp, const MicroOp* op) override;
  void traced_request(Warp& warp, const MicroOp* op, const MatrixRequest& request) override;

 private:
  [[nodiscard]] bool is_wanted(std::uint64_t block) const;
  [[nodiscard]] bool is_of_corner(std::uint64_t block) const;
  [[nodiscard]] bool is_witness(std::uint64_t block) const;
  void traced_value(const Warp& w, const MicroOp* op);
  static void keep_alike(const Warp& w, const TracedAccess& access, BlockTrace& trace);
  void choose_corner(const Dim3& grid);
  [[nodiscard]] BlockTrace* trace_of(const BlockContext& block);
  [[nodiscard]] bool is_too_long(const BlockTrace& trace) const {
    return trace.instructions > most_instructions_ || trace.accessed > most_instructions_ / 2 ||
           trace.sectors.size() > most_instructions_ * 4;
  }
  void cut(BlockTrace& trace, std::span<const Warp> warps) const;
  [[nodiscard]] bool note_look(Warp& w, const TracedAccess& access, std::uint64_t address, BlockTrace& trace) const;
  [[nodiscard]] bool has_barrier(const TraceEvent& event) const {
    return !(event.what & TraceEvent::kAccess) && barriers_[event.what];
  }
  /// What the tracer has to know of an instruction that accesses memory: worked out once.
  struct SiteUse {
    MemoryUse use;
    bool real = false;      ///< an atomic on floating-point numbers
    bool constant = false;  ///< a load of __constant__ memory
    Quotient quotient = Quotient::none;
    bool naps = false;
    bool swaps = false;     ///< an atomic compare-and-swap
    bool of_found = false;  ///< that expects what it has found before
    bool by_lane = false;   ///< or another that goes lane by lane
    bool of_half = false;   ///< an atomic on a half: on its word
    bool joins = false;     ///< one for a whole warp, where all lanes meet
    bool polls = false;     ///< an atomic or an ordered load in a loop that does nothing but look
    bool looks = false;     ///< an atomic that changes nothing: adds zero, and says what is there
  };

  std::uint64_t wanted_ = 0, group_ = 1, stride_ = 1;
  std::span<const std::uint8_t> joined_;
  std::uint64_t blocks_ = 0, most_instructions_ = 0;
  /// A block in the middle of the grid, and its neighbours of the columns, rows and planes before it; of one long row a
  /// block and those 1, 2, 4, 8 ... before it. Of a shorter row, or a grid that is traced whole, there are none.
  std::vector<std::uint64_t> corner_;
  std::uint64_t grid_number_ = 0;  ///< of all grids that this process traces
  const Program* program_ = nullptr;
  std::vector<SiteUse> uses_;   ///< by site of program_
  bool clock_ = false;          ///< waits_for_clock(*program_)
  bool queue_ = false;          ///< takes_numbers(*program_)
  bool polls_ = false;          ///< some site of it does
  std::vector<bool> barriers_;  ///< by basic block of it: whether it holds one
  /// Of all blocks, most of which nobody traces: threads that end one take no lock for it.
  struct alignas(64) Sums {
    std::atomic<std::uint64_t> executed{0}, most_executed{0}, most_of_warp{0};
  };
  Sums sums_;
  std::mutex mutex_;
  std::map<std::uint64_t, BlockTrace> running_;
  std::atomic<std::uint64_t> tracing_{0};  ///< how many those are
  GridTrace grid_;
};

// Where blocks meet at one address, and what follows for a GPU, whose blocks run side by side: in the simulator a block
// starts when those before it have done their part (meetings.cpp).

/// Whether a site looks at an address again and again until somebody has stored there: a short loop around it.
[[nodiscard]] bool is_poll(const Site& site);
/// Whether an atomic leaves what it finds: `atomicAdd(&flag, 0)` is how programs look past a cache, and so are
/// `atomicOr(&flag, 0)`, `atomicMax(&flag, 0)` of what has no sign, `atomicCAS(&flag, x, x)`.
[[nodiscard]] bool is_look(const ptx::Function& function, const ptx::Instruction& instruction);
/// Whether a compare-and-swap expects what a thread has found before, and fails where others have been faster; not a
/// constant, as that of a lock that is free or an entry that nobody has taken.
[[nodiscard]] bool expects_what_was_found(const ptx::Function& function, const ptx::Instruction& instruction);

/// Whether a kernel goes round a loop until a clock says that it is time.
[[nodiscard]] bool waits_for_clock(const Program& program);

/// The blocks each of which waits for the one before it: what each lets go behind its poll lies as far from what it
/// polled as what another one polls lies from that, once or several times. One block may have nobody to wait for. None:
/// there is no such chain, or a block stores for the next one before it polls, so that those behind do not wait for its
/// end (decoupled look-back).
[[nodiscard]] Chain chained(std::span<const BlockTrace> blocks);
/// Marks what its blocks load of what the one before has just stored: between a poll and what lets the next one go.
void mark_handed(const Chain& chain, std::span<BlockTrace> blocks);

/// Warps that would try to swap at one address, too, had they run at once with those that do: all that look there
/// before anybody has swapped, those of the blocks that are resident first.
struct Swaps {
  std::uint64_t sector = 0;
  double lanes = 0;  ///< of warps that have only looked
};
/// Cycles of swaps at one address that warps try again until they succeed. One of all that wait succeeds in two round
/// trips, 32 lanes of a block as 512 of four, or while L2 takes those which try in the meantime, too: 4224 lanes take
/// 3.5 ms (a_cas_1). `scale`: blocks for each traced one; `resident`: lanes that run at once.
[[nodiscard]] double retried_swaps(const GridTrace& trace, double scale, double resident, const GpuTiming& gpu);
[[nodiscard]] Swaps missed_swaps(const GridTrace& trace, std::size_t resident);

}  // namespace gpulab::simt
