#pragma once
// memcheck, racecheck, initcheck, synccheck.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/finding.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/observers/history.h"
#include "common/simt/observers/shadow.h"

namespace gpulab::simt {

struct Tools {
  bool memcheck = false, racecheck = false, initcheck = false, synccheck = false;
  [[nodiscard]] bool any() const { return memcheck || racecheck || initcheck || synccheck; }
  /// Bits of Watch.
  [[nodiscard]] std::uint8_t watches() const {
    const int looks = any() ? kWatchAccesses | kWatchFences | kWatchCollectives : 0;
    return static_cast<std::uint8_t>(looks | (memcheck ? kGapsInShared : 0));
  }
};

/// Which bytes of global memory hold a value, kept from launch to launch.
class InitMap {
 public:
  void add(const Allocation& allocation, bool known);
  void set(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes, bool known);
  [[nodiscard]] InitShadow* of(std::uint32_t allocation) {
    return allocation < shadows_.size() ? shadows_[allocation].get() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<InitShadow>> shadows_;  ///< by Allocation::index
};

/// What an instruction does to memory, for the tools.
struct Access {
  enum class Space : std::uint8_t { none, global, shared, local, generic };
  Space space = Space::none;
  bool load = false, store = false, atomic = false;
  bool is_volatile = false;
  bool strong = false;  ///< .relaxed, .acquire, .release: one of atomics' kind
  bool acquires = false, releases = false;
  std::uint8_t bytes = 0;               ///< per lane
  std::uint8_t element = 0;             ///< bytes of one register's part
  std::uint8_t address = 0, value = 0;  ///< entries of MicroOp::r
};

struct Stored;

/// Watches one launch. All blocks run on one thread meanwhile, so that findings are repeatable.
class Sanitizer final : public Observer {
 public:
  Sanitizer(const LaunchState& launch, Tools tools, InitMap& initialised);
  ~Sanitizer() override;

  void access(Warp& warp, const MicroOp* op) override;
  void fence(Warp& warp) override;
  void copied(Warp& warp, int lane, std::uint32_t shared, std::uint32_t bytes, const MicroOp* op) override;
  void collective(Warp& warp, const MicroOp* op) override;
  void warp_synchronised(Warp& warp, std::uint32_t lanes) override;
  void went_on_alone(const Warp& warp, std::uint32_t lanes) override;
  void block_started(const BlockContext& block) override;
  void block_ended(const BlockContext& block) override;
  /// Those who wait at a barrier with a thread count will know what those who come to it did.
  void barrier_reached(Warp& warp, std::uint32_t number, std::uint32_t lanes, std::uint32_t count) override;
  void barrier_completed(const BlockContext& block, std::uint32_t number, bool everyone) override;
  void faulted(Warp& warp, const MicroOp* op, int lane, std::uint64_t address, const std::string& what) override;
  void deadlocked(const BlockContext& block, const std::string& what) override;
  /// Sorted by lines; the example of each is that of the lowest blocks and threads.
  [[nodiscard]] std::vector<Finding> take_findings();

 private:
  struct Block;
  /// A location that threads synchronise by: its address and the block, kNoBlock for global memory.
  using SyncKey = std::pair<std::uint32_t, std::uint64_t>;
  /// Where an access of one lane lies.
  struct Place {
    RaceShadow* race = nullptr;
    InitShadow* init = nullptr;
    std::uint64_t offset = 0;   ///< bytes into the stretch
    std::uint64_t address = 0;  ///< in its space
    const std::byte* host = nullptr;
    const Allocation* allocation = nullptr;  ///< global memory
    bool shared = false, local = false;
  };
  struct Who {
    std::uint32_t block = 0, thread = 0;  ///< linear
    std::uint32_t site = kNoSite;
  };
  /// How far apart the two threads of a race are: what would order them follows from it.
  enum class Reach : std::uint8_t { none, warp, block, grid };
  struct Accusation {
    const char* tool;
    std::string message;
    std::string address;
    Who first, second;  ///< second.site kNoSite: only one place
    Reach reach = Reach::none;
    std::uint64_t count = 1;
    Severity severity = Severity::error;
  };

  void leave_out_what_is_not_followed();
  [[nodiscard]] bool has_fences_or_partial_barriers() const;
  Block& block_of(const Warp& warp);
  /// The common case, a warp's plain accesses to one stretch of memory that nothing speaks against. False: not that.
  bool access_quickly(Warp& warp, const MicroOp* op);
  void check_group(const Warp& warp, const MicroOp* op, std::uint32_t group, std::uint32_t members);
  bool locate(Warp& warp, const MicroOp* op, std::uint64_t address, int lane, Place& place);
  void check_init(Warp& warp, const MicroOp* op, const Place& place, int lane);
  void check_race(Warp& warp, const MicroOp* op, const Place& place, int lane);
  void check_reader(Warp& warp, const MicroOp* op, const Place& place, int lane, const GroupCell& reader);
  void check_writers(Warp& warp, const MicroOp* op, const Place& place, int lane, std::uint64_t cell,
                     const Stored& value);
  template <typename EraseIf, typename Add>
  void remember(Block& block, const GroupCell& now, std::uint32_t thread, EraseIf erase_if, Add add) const;
  void remember_atomic(Warp& warp, const MicroOp* op, const Place& place, std::uint64_t cell, const GroupCell& now);
  void check_bounds(Warp& warp, const MicroOp* op, const Place& place, int lane);
  void acquire_by(Warp& warp, const MicroOp* op, const Place& place, int lane);
  void release_by(Warp& warp, const MicroOp* op, const Place& place, int lane);
  [[nodiscard]] bool ordered_by_flag(Warp& warp, const Access& now, const Place& place, std::uint32_t thread,
                                     std::uint32_t earlier_site);
  [[nodiscard]] SyncKey key_of(const Warp& warp, const Place& place) const;
  void check_barrier(const BlockContext& block, std::uint32_t number);
  Accusation& accuse(const char* tool, const Who& first, const Who& second, const std::string& message,
                     const std::string& address, Reach reach = Reach::none);
  [[nodiscard]] Finding finding_of(const Accusation& accusation) const;
  void accuse_race(const Warp& warp, const MicroOp* op, const Place& place, int lane, std::uint32_t other_thread,
                   std::uint32_t other_site);
  [[nodiscard]] Who who(const Warp& warp, int lane, std::uint32_t site) const;
  [[nodiscard]] std::string name_of(const Place& place, std::uint32_t bytes) const;
  [[nodiscard]] FindingSite site_of(const Who& who, const std::string& address) const;

  const LaunchState& launch_;
  const Program& program_;
  Tools tools_;
  InitMap& initialised_;
  std::uint32_t threads_;                             ///< of a block
  bool threads_order_each_other_;                     ///< by more than barriers of the whole block, and of warps
  std::vector<Access> accesses_;                      ///< by site
  std::vector<std::unique_ptr<RaceShadow>> shadows_;  ///< by Allocation::index
  std::unordered_map<std::uint64_t, std::unique_ptr<Block>> blocks_;  ///< resident ones
  std::vector<std::unique_ptr<Block>> idle_;
  std::map<SyncKey, SyncObject> syncs_;
  std::map<std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>, Accusation> accusations_;
  const Allocation* last_ = nullptr;
  std::vector<Finding> notes_;
  Block* current_ = nullptr;  ///< of the block that ran last
  std::uint64_t current_linear_ = 0;
};

}  // namespace gpulab::simt
