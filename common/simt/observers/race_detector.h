#pragma once
// racecheck's judgement of one access: is it ordered behind all earlier accesses to the same bytes that it could race
// with? tools/racecheck.cpp tells the detector what happens; history.h knows the order of threads, shadows/shadow.h who
// accessed each granule.
//
// A race: two accesses of different threads to one byte, at least one of them a write, not both atomic, with nothing
// that orders them. Order comes from barriers, `.sync` collectives of a warp, the end of a kernel, and releases that
// are acquired: an atomic read-modify-write acquires, and releases behind a fence or as `.release`; a volatile store
// behind a fence releases to a volatile load in front of one. A word that is stored as volatile and polled by volatile
// loads, in a loop that it ends, races with none (polling_loads.h). A store of the value that is there already races
// with reads, but not with another store of that value.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/block_states.h"
#include "common/simt/observers/history.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/shadows/shadow.h"
#include "common/simt/observers/tool.h"

namespace gpulab::simt {

/// A resident block: the order of its threads, and who accessed its shared memory.
struct RacingBlock {
  explicit RacingBlock(const BlockContext& block)
      : history(static_cast<std::uint32_t>(block.linear), static_cast<std::uint32_t>(block.launch.block.volume())),
        shared(block.warps[0].shared_bytes) {}
  void restart(const BlockContext& block) {
    history.restart(static_cast<std::uint32_t>(block.linear));
    shared.clear();
  }
  void end() { history.end(); }
  BlockHistory history;
  RaceShadow shared;
};

/// The bytes that a lane stores.
struct Stored;

/// What of a thread or warp of the grid is its block. Each earlier access to a granule is asked, and dividing by a
/// number that the compiler does not know takes 25 cycles: a product with 2^64 / count, rounded up, is exact for all
/// numbers of 32 bits (Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019, theorem 1).
class PerBlock {
 public:
  PerBlock() = default;
  explicit PerBlock(std::uint32_t count) : count_(count), inverse_(UINT64_MAX / count + 1) {}
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t block(std::uint32_t number) const {
    __extension__ using Product = unsigned __int128;
    return count_ == 1 ? number : static_cast<std::uint32_t>(Product{inverse_} * number >> 64);
  }

 private:
  std::uint32_t count_ = 1;
  std::uint64_t inverse_ = 0;  ///< none of 1: 2^64 has no room
};

class RaceDetector {
 public:
  explicit RaceDetector(const ToolParts& parts) : locator_(parts.locator), accusations_(parts.accusations) {}

  /// A new grid. False: it has more threads than can be told apart.
  [[nodiscard]] bool start(const LaunchState& launch);
  /// Gives back the memory of all that it knows.
  void forget();
  [[nodiscard]] BlockStates<RacingBlock>& blocks() { return blocks_; }
  [[nodiscard]] BlockHistory& history(const Warp& warp) { return blocks_.of(*warp.block).history; }

  /// A location that threads order their accesses by: its address, and its block where that is shared memory, else
  /// kNoBlock. Named barriers are locations beyond shared memory.
  using SyncKey = std::pair<std::uint32_t, std::uint64_t>;
  [[nodiscard]] SyncObject& sync(const SyncKey& key) { return syncs_.try_emplace(key, &searches_).first->second; }
  [[nodiscard]] SyncObject* find_sync(const SyncKey& key);  ///< nullptr: nobody has released there

  /// The access that the locator has just found.
  void access(Warp& warp, const MicroOp* op);
  /// An allocation is forgotten; another one will have its index.
  void index_freed(std::uint32_t allocation);
  /// A block is about to end.
  void check_end(const BlockContext& ended);
  /// cp.async has brought a lane's bytes to `shared`: a store by its thread.
  void copied(const Warp& warp, const MicroOp* op, int lane, std::uint32_t shared, std::uint32_t bytes);

 private:
  /// One lane's access, and what there is to look at.
  struct LaneAccess {
    const Warp& warp;
    const MicroOp* op;
    const MemoryUse& use;
    const Place& place;
    RacingBlock& block;
    RaceShadow& shadow;
    int lane;
    std::uint32_t thread;  ///< of the block
  };

  [[nodiscard]] RaceShadow* shadow_of(RacingBlock& block, const Place& place);
  /// Memory that nobody sees but the block.
  [[nodiscard]] bool is_private(const Place& place) const { return place.shared && !has_clusters_; }
  bool access_together(Warp& warp, const MicroOp* op, RacingBlock& block);
  void check(const LaneAccess& now);
  void check_reader(const LaneAccess& now, std::uint64_t cell, const GroupCell& reader);
  void check_writers(const LaneAccess& now, std::uint64_t cell, const Stored& value);
  template <typename EraseIf, typename Add>
  void remember(const RacingBlock& block, const Place& place, const GroupCell& now, std::uint32_t thread,
                EraseIf erase_if, Add add) const;
  void remember_atomic(const LaneAccess& now, std::uint64_t cell, const GroupCell& own);
  void acquire_by(const LaneAccess& now);
  void release_by(const LaneAccess& now);
  [[nodiscard]] bool is_ordered_by_flag(const LaneAccess& now, std::uint32_t earlier_site) const;
  [[nodiscard]] static SyncKey key_of(const LaneAccess& now);
  void accuse_constant(const LaneAccess& now, const Suspect& writer);
  void accuse(const LaneAccess& now, std::uint64_t cell, std::uint32_t earlier_thread, std::uint32_t earlier_site);

  Locator& locator_;
  Accusations& accusations_;
  const Program* program_ = nullptr;
  PerBlock threads_, warps_;
  /// Whether the kernel has anything that orders single threads: a fence, a release, a barrier with a thread count.
  /// Without, all order is by barriers of the whole block and by .sync instructions of a warp.
  bool threads_order_each_other_ = false;
  bool has_clusters_ = false;                        ///< of several blocks
  std::vector<std::unique_ptr<RaceShadow>> global_;  ///< by Allocation::index
  SearchesOfLaunch searches_;                        ///< of syncs_, by blocks_, which end before it
  BlockStates<RacingBlock> blocks_;
  std::map<SyncKey, SyncObject> syncs_;
};

}  // namespace gpulab::simt
