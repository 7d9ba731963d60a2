#include "common/simt/machine/sync/async.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/simt/machine/block.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/machine/sync/mbarrier.h"

namespace gpulab::simt {

namespace {

const AsyncQueue& queue_of(const Warp& w) { return w.block->async[w.index]; }
/// The same queue, to be changed: it counts as used from now on.
AsyncQueue& used_queue_of(Warp& w) {
  AsyncQueue& queue = w.block->async[w.index];
  queue.used = true;
  return queue;
}

/// The kernel may have freed the destination since the copy was issued.
void store_bulk(Warp& w, const Begun& begun, int lane) {
  std::byte* to = w.global->host(begun.to, begun.width);
  if (!to) fault_access(w, begun.op, begun.to, lane, begun.width, "bulk store");
  std::memcpy(to, w.shared + begun.from, begun.width);
}

std::uint64_t bytes_of(const Begun& begun) { return sizeof(Begun) + begun.bytes.size(); }

void finish(Warp& w, const Begun& begun, std::uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    const auto i = static_cast<std::size_t>(lane);
    switch (begun.kind) {
      case Begun::Kind::lane_copies:
        std::memcpy(w.shared + begun.copies.to[i], begun.copies.bytes[i].data(), begun.width);
        w.block->launch.tell(
            [&](Observer& observer) { observer.copied(w, lane, begun.copies.to[i], begun.width, begun.op); });
        break;
      case Begun::Kind::bulk_load:
        if (begun.land)
          begun.land(w, begun, lane);
        else
          std::memcpy(place_of(w, begun, lane), begun.bytes.data(), begun.width);
        complete_bytes(w, begun.op, lane, begun.mbarrier, begun.width);
        break;
      case Begun::Kind::bulk_store:
        if (begun.land)
          begun.land(w, begun, lane);
        else
          store_bulk(w, begun, lane);
        break;
      case Begun::Kind::arrival:
        arrive(w, begun.op, lane, begun.copies.to[i], 1, Arrival::plain);
        break;
    }
  }
}

/// Finishes, in order, what `done(index, begun, lane)` names; an arrival follows when nothing before it is left.
template <typename Done>
void finish_if(Warp& w, Done done) {
  auto& queue = used_queue_of(w).begun;
  std::uint32_t behind = 0;  // lanes that have something unfinished before
  for (std::size_t i = 0; i < queue.size(); ++i) {
    Begun& begun = queue[i];
    std::uint32_t now = 0;
    for (std::uint32_t left = begun.lanes; left; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const bool arrival = begun.kind == Begun::Kind::arrival;
      if (arrival ? !(behind >> lane & 1) : done(i, begun, lane)) now |= 1u << lane;
    }
    begun.lanes &= ~now;
    if (begun.kind == Begun::Kind::lane_copies) behind |= begun.lanes;
    finish(w, begun, now);
  }
  charge_work(w, 2 * queue.size());
  while (!queue.empty() && queue.front().lanes == 0) {
    const std::uint64_t bytes = bytes_of(queue.front());
    used_queue_of(w).bytes -= bytes;
    w.worker->queued_bytes -= bytes;
    queue.pop_front();
  }
}

/// Copies of one warp, and the host's memory that they take there and on one CPU thread, before the oldest are finished
/// unasked.
constexpr std::size_t kMostBegun = 512;
constexpr std::uint64_t kMostBytes = 1 << 20, kMostBytesOfAll = 64 << 20;

void begin(Warp& w, Begun&& begun) {
  AsyncQueue& queue = used_queue_of(w);
  const std::uint64_t bytes = bytes_of(begun);
  charge_work(w, bytes / 256);
  queue.bytes += bytes;
  w.worker->queued_bytes += bytes;
  queue.begun.push_back(std::move(begun));
  if (queue.begun.size() <= kMostBegun && queue.bytes <= kMostBytes && w.worker->queued_bytes <= kMostBytesOfAll)
    return;
  const std::size_t older = (queue.begun.size() + 1) / 2;
  finish_if(w, [&](std::size_t i, const Begun&, int) { return i < older; });
}

bool is_bulk(const Begun& begun) { return begun.kind == Begun::Kind::bulk_store; }

/// What a warp has begun that an mbarrier waits for.
void settle(Warp& w, std::uint32_t mbarrier) {
  // How many entries of the queue come before each lane's last arrival at this mbarrier.
  const auto& queue = queue_of(w).begun;
  std::array<std::size_t, kLanes> before{};
  bool any = false;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].kind == Begun::Kind::bulk_load) any = any || queue[i].mbarrier == mbarrier;
    if (queue[i].kind != Begun::Kind::arrival) continue;
    for (std::uint32_t left = queue[i].lanes; left; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(__builtin_ctz(left));
      if (queue[i].copies.to[lane] == mbarrier) before[lane] = i, any = true;
    }
  }
  if (!any) return;
  finish_if(w, [&](std::size_t i, const Begun& begun, int lane) {
    if (begun.kind == Begun::Kind::bulk_load) return begun.mbarrier == mbarrier;
    return begun.kind == Begun::Kind::lane_copies && i < before[static_cast<std::size_t>(lane)];
  });
}

}  // namespace

std::byte* place_of(Warp& w, const Begun& begun, int lane) {
  const auto to = static_cast<std::uint32_t>(begun.to);
  return to < kRankBytes ? w.shared + to : sibling_memory(w, begun.op, lane, to, 1, "bulk store");
}

void AsyncQueue::clear(std::uint64_t& all) {
  used = false;
  all -= std::exchange(bytes, 0);
  begun.clear();
  committed.fill(0);
  bulk_committed.fill(0);
}

void begin_copies(Warp& w, const MicroOp* op, const LaneCopies& copies, std::uint32_t width) {
  begin(w, {Begun::Kind::lane_copies, op, w.mask, width, queue_of(w).committed, copies});
}

void commit_copies(Warp& w) {
  for (std::uint32_t left = w.mask; left; left &= left - 1)
    ++used_queue_of(w).committed[static_cast<std::size_t>(__builtin_ctz(left))];
}

void finish_copies(Warp& w, std::uint32_t groups) {
  const AsyncQueue& queue = queue_of(w);
  finish_if(w, [&](std::size_t, const Begun& begun, int lane) {
    const auto i = static_cast<std::size_t>(lane);
    if (begun.kind != Begun::Kind::lane_copies || !(w.mask >> lane & 1)) return false;
    return groups == kAllCopies || begun.group[i] + std::uint64_t{groups} < queue.committed[i];
  });
}

void arrive_after_copies(Warp& w, const MicroOp* op, const std::uint32_t* mbarriers) {
  Begun begun{Begun::Kind::arrival, op, w.mask};
  std::copy_n(mbarriers, kLanes, begun.copies.to.begin());
  begin(w, std::move(begun));
}

void begin_bulk_load(Warp& w, const MicroOp* op, int lane, std::uint32_t to, const std::byte* from, std::uint32_t bytes,
                     std::uint32_t mbarrier, Landing land, std::uint64_t needed) {
  Begun begun{Begun::Kind::bulk_load, op, 1u << lane, bytes};
  begun.to = to;
  begun.mbarrier = mbarrier;
  begun.bytes.assign(from, from + bytes);
  begun.land = land;
  begun.from = needed;
  begin(w, std::move(begun));
}

void begin_bulk_store(Warp& w, const MicroOp* op, int lane, std::uint64_t to, std::uint32_t from, std::uint32_t bytes,
                      Landing land, std::vector<std::byte> needed) {
  Begun begun{Begun::Kind::bulk_store, op, 1u << lane, bytes, queue_of(w).bulk_committed};
  begun.to = to;
  begun.from = from;
  begun.land = land;
  begun.bytes = std::move(needed);
  charge_work(w, bytes / 256);
  begin(w, std::move(begun));
}

void commit_bulk_copies(Warp& w) {
  for (std::uint32_t left = w.mask; left; left &= left - 1)
    ++used_queue_of(w).bulk_committed[static_cast<std::size_t>(__builtin_ctz(left))];
}

void finish_bulk_copies(Warp& w, std::uint32_t groups) {
  const AsyncQueue& queue = queue_of(w);
  finish_if(w, [&](std::size_t, const Begun& begun, int lane) {
    const auto i = static_cast<std::size_t>(lane);
    return is_bulk(begun) && (w.mask >> lane & 1) && begun.group[i] + std::uint64_t{groups} < queue.bulk_committed[i];
  });
}

void settle_mbarrier(Warp& tester, std::uint32_t mbarrier) {
  const BlockContext& own = *tester.block;
  for (BlockContext* block : own.cluster->blocks)
    for (Warp& w : block->warps) settle(w, block == &own ? mbarrier : rank_window(own.rank) + mbarrier);
}

void finish_at_exit(Warp& w, std::uint32_t lanes) {
  if (queue_of(w).begun.empty()) return;
  finish_if(w, [&](std::size_t, const Begun&, int lane) { return (lanes >> lane & 1) != 0; });
}

}  // namespace gpulab::simt
