#pragma once
// Where an access of a warp goes: worked out once, for all tools. The locator is an observer that is told of each
// access before they are (toolset.cpp); what it has found they ask it from their own access().

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/observer.h"
#include "common/simt/observers/meant_arrays.h"

namespace gpulab::simt {

/// What a PTX instruction does to memory.
struct MemoryUse {
  enum class Space : std::uint8_t { none, global, shared, local, generic, cluster };
  Space space = Space::none;  ///< none: the tools do not follow the instruction
  bool load = false, store = false, atomic = false;
  bool is_volatile = false;
  bool polls = false;   ///< volatile, and waits for its word (polling_loads.h)
  bool strong = false;  ///< .relaxed, .acquire, .release: does not race with atomics
  bool acquires = false, releases = false;
  bool as_constant = false;  ///< ld.global.nc: through a cache that sees no store of this launch
  /// An exchange, or an atomic `and`: by these a word gets its first value, or its bits are cleared.
  bool clears = false;
  std::uint8_t bytes = 0;               ///< per lane
  std::uint32_t used = ~0u;             ///< bit k: byte k of these is used; all of what is no load
  std::uint8_t element = 0;             ///< bytes of one register's part
  std::uint8_t address = 0, value = 0;  ///< entries of MicroOp::r
  [[nodiscard]] bool uses_all() const { return (used | ~((std::uint64_t{1} << bytes) - 1)) == ~std::uint64_t{0}; }
  /// Whether some of the `count` bytes at byte `first` are used.
  [[nodiscard]] bool uses(std::uint32_t first, std::uint32_t count) const {
    return (used >> first & ((std::uint64_t{1} << count) - 1)) != 0;
  }
  /// Other threads may wait for it, or know by it what was done before.
  [[nodiscard]] bool may_order() const { return atomic || strong || is_volatile; }
};
[[nodiscard]] MemoryUse memory_use_of(const Site& site);

/// Where one lane's access lies: in an allocation, in the block's shared memory, or in the local memory of its threads.
struct Place {
  const Allocation* allocation = nullptr;  ///< global memory
  bool shared = false, local = false;
  const BlockContext* sibling = nullptr;   ///< of the cluster: shared memory that is not the own block's
  std::uint64_t offset = 0;                ///< bytes into that stretch of memory
  std::uint64_t address = 0;               ///< in its state space
  const std::byte* host = nullptr;         ///< none of local memory, whose words lie apart
  const SharedVariable* beyond = nullptr;  ///< shared memory outside of this variable, which the access means
};

/// "in[4]", "tile[35]": an element of `bytes` bytes there, also beyond the end, where an index went.
[[nodiscard]] std::string name_of(const Program& program, const Place& place, std::uint32_t bytes);

/// Where the lanes are in a stretch of memory, all 32 at once; arbitrary in inactive ones.
struct Offsets {
  alignas(16) std::uint32_t at[kLanes];
  std::uint32_t beyond[kLanes];  ///< not 0: 4 GiB and more away
  /// Of the addresses in `slot`, in a stretch that begins at `start`.
  void fill(const Warp& warp, const MicroOp* op, std::uint16_t slot, std::uint64_t start);
  [[nodiscard]] bool all_within(std::uint32_t lanes, std::uint64_t size, std::uint32_t bytes) const;
  [[nodiscard]] bool is_uniform(std::uint32_t lanes) const;
  [[nodiscard]] bool is_contiguous(std::uint32_t lanes, std::uint32_t bytes) const;
};

class Locator final : public Observer {
 public:
  Locator() : Observer(0) {}

  /// Some tool watches accesses.
  void look() { ask_for(kWatchAccesses); }
  /// From now on `lanes` ends before the first lane that accesses no variable of shared memory, or no byte of its
  /// function's frame: `outside`. memcheck ends the launch there.
  void look_for_bounds() { bounds_ = true; }

  void grid_started(const LaunchState& launch) override;
  void access(Warp& warp, const MicroOp* op) override;

  [[nodiscard]] const MemoryUse& use_at(std::uint32_t site) const { return uses_[site]; }
  /// The variables in shared memory that an access means, where somebody looks for bounds.
  [[nodiscard]] SharedVariables meant_at(std::uint32_t site) const { return meant_[site]; }

  // ---- of the access that the observers are being told of ----

  [[nodiscard]] const MemoryUse& use() const { return *use_; }
  /// Those whose place is known. The other active lanes are about to fault.
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
  [[nodiscard]] Place place(int lane) const;
  /// The first lane that is out of bounds, -1: none.
  [[nodiscard]] int outside() const { return outside_; }
  /// The variable in local memory that it is outside of; nullptr: none, or the function's last one.
  [[nodiscard]] const LocalVariable* outside_of() const { return outside_of_; }
  /// All active lanes access one allocation or one shared variable, 4 bytes or more each, and order no threads by it:
  /// most accesses do.
  [[nodiscard]] bool in_one_stretch() const { return in_one_stretch_; }

  // ---- and that lies in one stretch ----

  [[nodiscard]] const Place& first_place() const { return first_; }  ///< of the first active lane
  /// All 32 lanes are active, each one's bytes right behind those of the lane before.
  [[nodiscard]] bool is_contiguous() const { return contiguous_; }
  /// All active lanes access the same bytes.
  [[nodiscard]] bool is_uniform() {
    if (!uniform_) uniform_ = offsets_.is_uniform(lanes_);
    return *uniform_;
  }
  /// Of one lane's Place.
  [[nodiscard]] std::uint64_t offset(int lane) const { return low_ + offsets_.at[lane]; }
  [[nodiscard]] const std::byte* host(int lane) const {
    return first_.host + static_cast<std::ptrdiff_t>(offset(lane) - first_.offset);
  }

 private:
  bool locate(Warp& warp, const MicroOp* op, int lane, Place& place);
  bool find_stretch(Warp& warp, const MicroOp* op);
  [[nodiscard]] bool is_out_of_bounds(const Warp& warp, const MicroOp* op, const Place& place) const;
  [[nodiscard]] bool means(const MicroOp* op, const SharedVariable& variable) const;

  bool bounds_ = false;
  const Program* program_ = nullptr;
  std::vector<MemoryUse> uses_;         ///< by site
  std::vector<SharedVariables> meant_;  ///< by site, with bounds_
  LocalVariables locals_;               ///< with bounds_
  const Allocation* last_ = nullptr;

  const MemoryUse* use_ = nullptr;
  std::uint32_t lanes_ = 0;
  int outside_ = -1;
  const LocalVariable* outside_of_ = nullptr;
  bool in_one_stretch_ = false, contiguous_ = false;
  std::optional<bool> uniform_;  ///< none: nobody has asked
  Place first_;
  std::uint64_t low_ = 0;  ///< where the variable begins in its stretch of memory: what offsets_ count from
  Offsets offsets_{};
  std::array<Place, kLanes> places_;  ///< where the lanes do not lie in one stretch
};

/// The address of one lane's access, in its state space.
inline std::uint64_t address_of(const Warp& w, const MicroOp* op, std::uint16_t slot, int lane) {
  if (op->mods & kAddress32)
    return static_cast<std::uint32_t>(reinterpret_cast<const std::uint32_t*>(w.regs + slot)[lane] +
                                      static_cast<std::uint32_t>(op->imm));
  return reinterpret_cast<const std::uint64_t*>(w.regs + slot)[lane] +
         static_cast<std::uint64_t>(std::int64_t{op->imm});
}

constexpr std::uint32_t thread_in_block(const Warp& w, int lane) {
  return w.index * kLanes + static_cast<std::uint32_t>(lane);
}

}  // namespace gpulab::simt
