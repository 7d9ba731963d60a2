// racecheck: two accesses to one byte by different threads, one of them a write, not both atomic, that nothing orders.
// Order comes from barriers, .sync instructions of a warp, atomics, and fences with volatile or released flags between
// them; kernels of one stream follow each other. history.h keeps the order, race_detector.h judges accesses by it.

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/observers/advice/endless_loops.h"
#include "common/simt/observers/member_groups.h"
#include "common/simt/observers/race_detector.h"

namespace gpulab::simt {

namespace {

bool waits_at(const Split& split, std::uint32_t number) {
  return split.state == Split::State::barrier && split.barrier == number;
}

class Racecheck final : public Observer {
 public:
  explicit Racecheck(const ToolParts& parts)
      : Observer(kWatchAccesses | kWatchFences | kWatchCollectives | kWatchCompleted),
        accusations_(parts.accusations),
        detector_(parts) {}

  /// A tool that does not see all that orders threads would accuse the innocent: it says so and stays out.
  void grid_started(const LaunchState& launch) override {
    program_ = launch.program;
    for (const std::uint32_t site : loops_of(*program_))
      accusations_.add({.tool = "racecheck",
                        .message = "a loop waits for memory that the compiler reads once, before the loop: where it "
                                   "waits at all, it never ends; make the variable volatile, or read it by an atomic "
                                   "(atomicAdd(p, 0), cuda::atomic_ref)",
                        .first = {.site = site}});
    // Grids that synchronise so many threads take more than a launch may.
    on_ = launch.grid_workspace == 0 || launch.grid.volume() * launch.block.volume() <= kMostTogether ||
          std::none_of(program_->sites.begin(), program_->sites.end(),
                       [](const Site& s) { return (s.facts & kMbarrier) != 0; });
    if (!on_)
      return accusations_.note_unchecked("racecheck", *program_,
                                         "mbarriers in a cooperative grid of more than 65536 threads");
    over_.clear();
    phases_.clear();
    has_clusters_ = launch.cluster.volume() > 1;
    on_ = detector_.start(launch);
    if (!on_) accusations_.warn_unchecked("racecheck", *program_, "tells no more than 2^32 threads apart");
  }
  void lacks_memory() override {
    detector_.forget();
    if (std::exchange(on_, false)) accusations_.warn_unchecked("racecheck", *program_, kLacksMemory);
  }
  void index_freed(std::uint32_t allocation) override { detector_.index_freed(allocation); }
  void block_started(const BlockContext& block) override {
    if (on_) detector_.blocks().start(block);
  }
  void block_ended(const BlockContext& block) override {
    if (!on_) return;
    detector_.check_end(block);
    detector_.blocks().end(block);
    if (has_clusters_) return;  // siblings may still ask
    const auto own = static_cast<std::uint32_t>(block.linear);
    phases_.erase(phases_.lower_bound({own, 0}), phases_.upper_bound({own, UINT64_MAX}));
  }

  void access(Warp& w, const MicroOp* op) override {
    if (on_) detector_.access(w, op);
  }
  void copied(Warp& w, int lane, std::uint32_t shared, std::uint32_t bytes, const MicroOp* op) override {
    if (on_) detector_.copied(w, op, lane, shared, bytes);
  }

  void fence(Warp& w) override {
    if (!on_) return;
    BlockHistory& history = detector_.history(w);
    for (std::uint32_t left = w.mask; left; left &= left - 1) history.fence(thread_in_block(w, std::countr_zero(left)));
  }
  void collective(Warp& w, const MicroOp* op) override {
    if (!on_) return;
    for_each_member_group(w, op, [&](std::uint32_t group, std::uint32_t members) {
      if ((members & w.live & ~group) == 0) warp_synchronised(w, op, members & group);
    });
  }
  void warp_synchronised(Warp& w, const MicroOp*, std::uint32_t lanes) override {
    if (!on_) return;
    BlockHistory& history = detector_.history(w);
    if (const std::uint32_t left = lanes_that_have_left(w)) history.leave(w.index, left);
    history.warp_sync(w.index, lanes, w.live);
  }

  /// Who waits at a barrier with a thread count will know what those who come to it have done.
  void barrier_reached(Warp& w, std::uint32_t number, std::uint32_t lanes, std::uint32_t count) override {
    if (!on_ || count == 0) return;
    BlockHistory& history = detector_.history(w);
    SyncObject& barrier = own_barrier(key_of(*w.block, number));
    for (std::uint32_t left = lanes; left; left &= left - 1)
      barrier.release(history.release(thread_in_block(w, std::countr_zero(left)), true));
  }
  void barrier_completed(const BlockContext& block, std::uint32_t number, bool everyone) override;

  /// Who waits at the barrier of a cluster will know what those who came to it had done: .relaxed, what they had
  /// fenced.
  void cluster_reached(Warp& w, const MicroOp* op) override {
    if (!on_) return;
    const bool now = !is_relaxed(w, op);
    BlockHistory& history = detector_.history(w);
    SyncObject& barrier = detector_.sync(key_of(*w.block->cluster->blocks.front(), kClusterBarrier));
    w.block->charged += kWorkOfArrivals;
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const std::uint32_t thread = thread_in_block(w, std::countr_zero(left));
      if (now || history.has_fenced(thread)) barrier.release(history.release(thread, now));
    }
  }
  void cluster_completed(const Cluster& cluster) override {
    if (!on_) return;
    const BlockContext& first = *cluster.blocks.front();
    over_[first.linear] = detector_.sync(key_of(first, kClusterBarrier)).acquire();
  }
  void cluster_passed(const Warp& w, const MicroOp*) override {
    if (!on_) return;
    const auto over = over_.find(w.block->cluster->blocks.front()->linear);
    if (over == over_.end()) return;
    BlockHistory& history = detector_.history(w);
    w.block->charged += kWorkOfArrivals;
    for (std::uint32_t left = w.mask; left; left &= left - 1)
      history.acquire(thread_in_block(w, std::countr_zero(left)), over->second);
  }

  /// Who finds a phase of an mbarrier over knows what those who arrived in it, or before, had done: .relaxed, what they
  /// had fenced.
  void mbarrier_made(const BlockContext& owner, std::uint32_t address) override {
    if (on_) phases_.erase(key_of(owner, kMbarriers + address));
  }
  void mbarrier_reached(Warp& w, const MicroOp* op, int lane, const BlockContext& owner,
                        std::uint32_t address) override {
    if (!on_) return;
    BlockHistory& history = detector_.history(w);
    const std::uint32_t thread = thread_in_block(w, lane);
    const bool now = !is_relaxed(w, op);
    w.block->charged += kWorkOfArrivals / kLanes;
    if (now || history.has_fenced(thread))
      own_barrier(key_of(owner, kMbarriers + address)).release(history.release(thread, now));
  }
  void mbarrier_completed(const BlockContext& owner, std::uint32_t address) override {
    if (!on_) return;
    const auto key = key_of(owner, kMbarriers + address);
    if (SyncObject* const mbarrier = detector_.find_sync(key)) phases_[key] = mbarrier->acquire();
  }
  void mbarrier_passed(const Warp& w, const MicroOp* op, int lane, std::uint32_t address) override {
    if (!on_) return;
    const auto over = phases_.find(key_of(*w.block, kMbarriers + address));
    if (over == phases_.end()) return;
    BlockHistory& history = detector_.history(w);
    w.block->charged += kWorkOfArrivals / kLanes;
    if (is_relaxed(w, op))
      history.acquire_at_fence(thread_in_block(w, lane), over->second);
    else
      history.acquire(thread_in_block(w, lane), over->second);
  }

 private:
  /// Behind the numbers of a block's barriers: those of clusters, and by their places mbarriers.
  static constexpr std::uint32_t kClusterBarrier = 16, kMbarriers = 1u << 20;
  static constexpr std::uint64_t kMostTogether = 65536;
  static constexpr std::uint64_t kWorkOfArrivals = 256;  ///< of a warp, in warp instructions
  static bool is_relaxed(const Warp& w, const MicroOp* op) {
    return (w.program->sites[op->site].facts & kRelaxed) != 0;
  }
  static RaceDetector::SyncKey key_of(const BlockContext& block, std::uint32_t barrier) {
    return {static_cast<std::uint32_t>(block.linear), kSharedWindow + barrier};
  }
  /// Lanes that the block's last warp lacks were never there.
  static std::uint32_t lanes_that_have_left(const Warp& w) {
    const auto threads = static_cast<std::uint32_t>(w.block->launch.block.volume());
    const std::uint32_t lanes = std::min<std::uint32_t>(threads - w.index * kLanes, kLanes);
    return ~w.live & (lanes == kLanes ? kFullMask : (1u << lanes) - 1);
  }

  /// Of a block, whose threads alone come to it unless it has siblings.
  SyncObject& own_barrier(const RaceDetector::SyncKey& key) {
    SyncObject& barrier = detector_.sync(key);
    if (!has_clusters_) barrier.keep_within_a_block();
    return barrier;
  }

  Accusations& accusations_;
  RaceDetector detector_;
  /// Looked for once: a program may be launched thousands of times.
  const std::vector<std::uint32_t>& loops_of(const Program& program) {
    const auto [known, fresh] = loops_.try_emplace(&program);
    if (fresh) known->second = endless_loops(program);
    return known->second;
  }

  std::unordered_map<const Program*, std::vector<std::uint32_t>> loops_;
  std::unordered_map<std::uint64_t, Acquired> over_;  ///< by a cluster's first block: what its last barrier told
  std::map<RaceDetector::SyncKey, Acquired> phases_;  ///< by mbarrier: what its last phase that is over told
  const Program* program_ = nullptr;
  bool on_ = true;  ///< for this grid
  bool has_clusters_ = false;
};

void Racecheck::barrier_completed(const BlockContext& block, std::uint32_t number, bool everyone) {
  if (!on_) return;
  BlockHistory& history = detector_.blocks().of(block).history;
  // Those who came by bar.arrive have gone on: they learn nothing, and what they have done since is not told.
  std::uint32_t waiting = 0;
  for (const Warp& w : block.warps)
    for (const Split& split : w.splits)
      if (waits_at(split, number)) waiting += static_cast<std::uint32_t>(std::popcount(split.mask));
  if (everyone && waiting == block.barriers[number].voters) {
    if (block.live < block.launch.block.volume())
      for (const Warp& w : block.warps) history.leave(w.index, lanes_that_have_left(w));
    return history.barrier();
  }
  SyncObject* barrier = detector_.find_sync(key_of(block, number));
  if (!barrier) return;
  for (const Warp& w : block.warps)
    for (const Split& split : w.splits)
      if (waits_at(split, number))
        for (std::uint32_t left = split.mask; left; left &= left - 1)
          history.acquire(thread_in_block(w, std::countr_zero(left)), barrier->acquire());
}

}  // namespace

namespace tools {
extern const ToolKind racecheck{"racecheck", 20, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                  return std::make_unique<Racecheck>(parts);
                                }};
}  // namespace tools

}  // namespace gpulab::simt
