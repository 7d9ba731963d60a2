#pragma once
// Copies that go on while their threads run: cp.async and cp.async.bulk. What they bring is there only once it is
// waited for: a copy's source is read where it is issued, its destination written at the wait, or where the thread
// exits. A kernel that forgets to wait sees old bytes, always; only where hundreds of copies are under way (kMostBegun)
// the oldest are finished unasked, as hardware is free to do.
//
// Called by handlers, for the active lanes. Copies of a thread finish in order; an mbarrier that tracks them is
// arrived at when they have, which is when some thread tests it.

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// cp.async of up to 16 bytes per lane into shared memory.
struct LaneCopies {
  std::array<std::uint32_t, kLanes> to;
  std::array<std::array<std::byte, 16>, kLanes> bytes;
};

struct Begun;
/// What ends a copy that does more than bring its bytes there: tensor stores, reductions.
using Landing = void (*)(Warp& warp, const Begun& begun, int lane);

/// What threads of a warp have begun: copies, or an arrival that waits for those before it.
struct Begun {
  enum class Kind : std::uint8_t { lane_copies, bulk_load, bulk_store, arrival } kind;
  const MicroOp* op;
  std::uint32_t lanes;
  std::uint32_t width = 0;  ///< bytes
  std::array<std::uint32_t, kLanes> group{};
  LaneCopies copies{};             ///< lane_copies; `to` is an arrival's mbarrier
  std::uint64_t from = 0, to = 0;  ///< bulk_store: shared, global; bulk_load: what `land` needs, shared
  std::uint32_t mbarrier = 0;      ///< bulk_load
  std::vector<std::byte> bytes{};  ///< bulk_load; bulk_store: what `land` needs
  Landing land = nullptr;
};

/// Per warp.
struct AsyncQueue {
  std::deque<Begun> begun;
  /// Groups that each lane has committed: of cp.async, of bulk copies.
  std::array<std::uint32_t, kLanes> committed{}, bulk_committed{};
  bool used = false;        ///< since the last clear()
  std::uint64_t bytes = 0;  ///< of the host's memory that `begun` takes
  /// `all`: the sum of `bytes` that this queue's are part of.
  void clear(std::uint64_t& all);
};

void begin_copies(Warp& warp, const MicroOp* op, const LaneCopies& copies, std::uint32_t width);
void commit_copies(Warp& warp);
/// Finishes all but the last `groups` that were committed; everything with kAllCopies.
inline constexpr std::uint32_t kAllCopies = UINT32_MAX;
void finish_copies(Warp& warp, std::uint32_t groups);
/// cp.async.mbarrier.arrive: one arrival per lane at its mbarrier, when its copies so far are done.
void arrive_after_copies(Warp& warp, const MicroOp* op, const std::uint32_t* mbarriers);
/// One lane's bulk copies. The bytes have been read; they are written, and counted at the mbarrier, when it is tested.
void begin_bulk_load(Warp& warp, const MicroOp* op, int lane, std::uint32_t to, const std::byte* from,
                     std::uint32_t bytes, std::uint32_t mbarrier, Landing land = nullptr, std::uint64_t needed = 0);
/// From shared memory, which is read when the copy's group is waited for.
void begin_bulk_store(Warp& warp, const MicroOp* op, int lane, std::uint64_t to, std::uint32_t from,
                      std::uint32_t bytes, Landing land = nullptr, std::vector<std::byte> needed = {});
/// Where a bulk load's bytes go: into the block's shared memory, or a sibling's, which may have ended since.
[[nodiscard]] std::byte* place_of(Warp& warp, const Begun& begun, int lane);
void commit_bulk_copies(Warp& warp);
void finish_bulk_copies(Warp& warp, std::uint32_t groups);

/// Finishes what some mbarrier waits for, in the whole block.
void settle_mbarrier(Warp& warp, std::uint32_t mbarrier);
/// Lanes exit.
void finish_at_exit(Warp& warp, std::uint32_t lanes);

}  // namespace gpulab::simt
