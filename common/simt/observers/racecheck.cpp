// Sanitizer: races by happens-before, and how locations order the threads that use them.

#include <algorithm>
#include <bit>

#include "common/simt/observers/sanitizer_state.h"

namespace gpulab::simt {

Sanitizer::SyncKey Sanitizer::key_of(const Warp& w, const Place& place) const {
  return {place.shared ? static_cast<std::uint32_t>(w.block->linear) : kNoBlock, place.address};
}

void Sanitizer::acquire_by(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& access = accesses_[op->site];
  if (access.store) return;
  const auto found = syncs_.find(key_of(w, place));
  if (found == syncs_.end()) return;
  BlockHistory& history = block_of(w).history;
  if (access.atomic || access.acquires)
    history.acquire(thread_in_block(w, lane), found->second.acquire());
  else
    history.acquire_at_fence(thread_in_block(w, lane), found->second.acquire());
}

void Sanitizer::release_by(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& access = accesses_[op->site];
  BlockHistory& history = block_of(w).history;
  const std::uint32_t thread = thread_in_block(w, lane);
  if (access.load || !(access.releases || history.has_fenced(thread))) return;
  syncs_[key_of(w, place)].release(history.release(thread, access.releases));
}

/// A flag: stored as volatile behind a fence, polled by volatile loads.
bool Sanitizer::ordered_by_flag(Warp& w, const Access& now, const Place& place, std::uint32_t thread,
                                std::uint32_t earlier_site) {
  if (!now.is_volatile || !accesses_[earlier_site].is_volatile) return false;
  return now.store ? block_of(w).history.has_fenced(thread) : syncs_.count(key_of(w, place)) != 0;
}

void Sanitizer::check_readers(Warp& w, const MicroOp* op, const Place& place, int lane, const ReadCell& reader) {
  if (reader.clock == 0) return;
  const Access& now = accesses_[op->site];
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const std::uint32_t block = reader.warp / warps, first = reader.warp % warps * kLanes;
  const std::uint32_t thread = thread_in_block(w, lane);
  const BlockHistory& history = block_of(w).history;
  const Access& earlier = accesses_[reader.site];
  if ((now.atomic || now.strong) && (earlier.atomic || earlier.strong)) return;
  for (std::uint32_t left = reader.lanes; left; left &= left - 1) {
    const std::uint32_t other = first + static_cast<std::uint32_t>(std::countr_zero(left));
    if ((block == w.block->linear && other == thread) || history.knows(thread, block, other, reader.clock)) continue;
    if (ordered_by_flag(w, now, place, thread, reader.site)) continue;
    return accuse_race(w, op, place, lane, block * threads_ + other, reader.site);
  }
}

void Sanitizer::remember_read(Block& block, std::uint64_t cell, RaceShadow& shadow, const ReadCell& now,
                              std::uint32_t thread) {
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const auto over = [&](const ReadCell& old) {
    if (old.clock == 0 || (old.warp == now.warp && old.lanes == now.lanes)) return true;
    const std::uint32_t first = old.warp % warps * kLanes;
    for (std::uint32_t left = old.lanes; left; left &= left - 1)
      if (!block.history.knows(thread, old.warp / warps, first + static_cast<std::uint32_t>(std::countr_zero(left)),
                               old.clock))
        return false;
    return true;
  };
  ReadCell& first = shadow.first_reader(cell);
  if (over(first)) {
    first = now;
    return;
  }
  ReadCell& place = first.warp == now.warp ? first : shadow.last_reader(cell);
  if (place.warp == now.warp && place.clock != 0) {
    place.lanes |= now.lanes;
    place.clock = std::max(place.clock, now.clock);
  } else {
    place = now;
  }
}

void Sanitizer::check_race(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& now = accesses_[op->site];
  Block& block = block_of(w);
  const std::uint32_t thread = thread_in_block(w, lane);
  const std::uint32_t in_grid = static_cast<std::uint32_t>(w.block->linear) * threads_ + thread;
  const Clock clock = block.history.clock(thread);
  const Stored value = now.store ? Stored(w, op, now, lane) : Stored();
  if (now.store && std::memcmp(value.bytes.data(), place.host, now.bytes) == 0) return;
  place.race->refine(now.bytes);
  const std::uint32_t granule = place.race->granule();
  const std::uint64_t end = (place.offset + now.bytes + granule - 1) / granule;
  place.race->touch(end);
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const ReadCell reading{static_cast<std::uint32_t>(w.block->linear) * warps + w.index, 1u << lane, clock, op->site};
  for (std::uint64_t cell = place.offset / granule; cell < end; ++cell) {
    WriteCell& written = place.race->written(cell);
    if (written.clock && written.thread != in_grid) {
      const Access& earlier = accesses_[written.site];
      const std::uint32_t other = written.thread % threads_;
      const bool atomics = (now.atomic || now.strong) && (earlier.atomic || earlier.strong);
      // Lanes of one instruction that store the same value to one place change nothing for each other.
      const bool same_store = now.store && written.site == op->site && written.thread / threads_ == w.block->linear &&
                              other / kLanes == w.index &&
                              Stored(w, op, now, static_cast<int>(other % kLanes)).bytes == value.bytes;
      if (!atomics && !same_store && !block.history.knows(thread, written.thread / threads_, other, written.clock) &&
          !ordered_by_flag(w, now, place, thread, written.site))
        accuse_race(w, op, place, lane, written.thread, written.site);
    }
    if (now.load) {
      remember_read(block, cell, *place.race, reading, thread);
      continue;
    }
    check_readers(w, op, place, lane, place.race->first_reader(cell));
    check_readers(w, op, place, lane, place.race->last_reader(cell));
    place.race->first_reader(cell) = {};
    place.race->last_reader(cell) = {};
    // A plain write that not all of the block know of stays: behind an atomic of its own thread nobody would see it.
    const bool hides = now.atomic && written.clock >= block.history.everyone() && written.thread == in_grid &&
                       !accesses_[written.site].atomic;
    if (!hides) written = {in_grid, clock, op->site};
  }
}

void Sanitizer::fence(Warp& w) {
  if (!tools_.racecheck) return;
  BlockHistory& history = block_of(w).history;
  for (std::uint32_t left = w.mask; left; left &= left - 1) history.fence(thread_in_block(w, std::countr_zero(left)));
}

}  // namespace gpulab::simt
