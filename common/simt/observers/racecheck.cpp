// Sanitizer: races by happens-before, and how locations order the threads that use them.

#include <algorithm>
#include <bit>

#include "common/simt/observers/sanitizer_state.h"

namespace gpulab::simt {

namespace {

bool are_atomic(const Access& a, const Access& b) { return (a.atomic || a.strong) && (b.atomic || b.strong); }

/// Who is left of those who read a granule (or changed it by atomics) when one more does. Where all order is by
/// barriers of the whole block, blocks are never ordered, nor are warps between two barriers: of one instruction two
/// blocks, or two warps of one block, are enough, for whoever has no order with the others races with one of them.
class Others {
 public:
  Others(const GroupCell& now, std::uint32_t warps) : now_(now), warps_(warps), block_(now.warp / warps) {}
  void see(const GroupCell& other) {
    if (other.site != now_.site) return;
    const std::uint32_t block = other.warp / warps_;
    several_ = several_ || (any_ && block != last_.warp / warps_) ||
               (any_ && block == block_ && last_.warp / warps_ == block_ && other.warp != last_.warp);
    any_ = true;
    last_ = other;
  }
  /// All races are found without the new one.
  [[nodiscard]] bool suffice() const { return several_; }

 private:
  GroupCell now_, last_;
  std::uint32_t warps_, block_;
  bool any_ = false, several_ = false;
};

}  // namespace

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

void Sanitizer::check_reader(Warp& w, const MicroOp* op, const Place& place, int lane, const GroupCell& reader) {
  const Access& now = accesses_[op->site];
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const std::uint32_t block = reader.warp / warps, first = reader.warp % warps * kLanes;
  const std::uint32_t thread = thread_in_block(w, lane);
  const BlockHistory& history = block_of(w).history;
  const Access& earlier = accesses_[reader.site];
  if (are_atomic(now, earlier)) return;
  for (std::uint32_t left = reader.lanes; left; left &= left - 1) {
    const std::uint32_t other = first + static_cast<std::uint32_t>(std::countr_zero(left));
    if ((block == w.block->linear && other == thread) || history.knows(thread, block, other, reader.clock)) continue;
    if (ordered_by_flag(w, now, place, thread, reader.site)) continue;
    return accuse_race(w, op, place, lane, block * threads_ + other, reader.site);
  }
}

/// Adds `now`, of `thread`, to those of whom no order is known; what the thread knows to be over goes. `erase_if` and
/// `add` are those of the readers or the atomics of one granule.
template <typename EraseIf, typename Add>
void Sanitizer::remember(Block& block, const GroupCell& now, std::uint32_t thread, EraseIf erase_if, Add add) const {
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const auto is_over = [&](const GroupCell& old) {
    const std::uint32_t first = old.warp % warps * kLanes;
    for (std::uint32_t left = old.lanes; left; left &= left - 1)
      if (!block.history.knows(thread, old.warp / warps, first + static_cast<std::uint32_t>(std::countr_zero(left)),
                               old.clock))
        return false;
    return true;
  };
  Others others(now, warps);
  bool joined = false;
  erase_if([&](GroupCell& old) {
    if (old.warp == now.warp && old.clock == now.clock && old.site == now.site) {
      old.lanes |= now.lanes;
      joined = true;
      return false;
    }
    if (old.warp == now.warp) old.lanes &= ~now.lanes;  // the thread's own: it knows
    if (is_over(old)) return true;
    others.see(old);
    return false;
  });
  if (!joined && (threads_order_each_other_ || !others.suffice())) add();
}

void Sanitizer::remember_atomic(Warp& w, const MicroOp* op, const Place& place, std::uint64_t cell,
                                const GroupCell& now) {
  Block& block = block_of(w);
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const std::uint32_t lane = static_cast<std::uint32_t>(std::countr_zero(now.lanes));
  const std::uint32_t thread = w.index * kLanes + lane;
  const WriteCell own{now.warp / warps * threads_ + thread, now.clock, now.site};
  // Who uses the old value has seen all atomics before: as far as this place is concerned they are over. The hardware
  // orders a plain access behind it, and a ticket is reset like that.
  const bool sees = accesses_[op->site].atomic && (op->mods & kResultUsed);
  Writers* several = place.race->writers(cell);
  if (several && place.shared && several->plain.clock < block.history.everyone()) several->plain = {};
  if (!several) {
    const WriteCell written = place.race->written(cell);
    const std::uint32_t other = written.thread % threads_, other_block = written.thread / threads_;
    const bool atomic = written.clock && are_atomic(accesses_[written.site], accesses_[op->site]);
    if (written.clock == 0 || (place.shared && written.clock < block.history.everyone()) ||
        (atomic && (sees || block.history.knows(thread, other_block, other, written.clock))))
      return place.race->write(cell, own);
    const GroupCell before{other_block * warps + other / kLanes, 1u << other % kLanes, written.clock, written.site};
    place.race->make_list(cell, atomic ? Writers{{}, {before}} : Writers{written, {}});
    several = place.race->writers(cell);
  }
  auto& atomics = several->atomics;
  if (sees) atomics.clear();
  remember(
      block, now, thread, [&](auto f) { std::erase_if(atomics, f); }, [&] { atomics.push_back(now); });
}

/// Against those who wrote a granule last.
void Sanitizer::check_writers(Warp& w, const MicroOp* op, const Place& place, int lane, std::uint64_t cell,
                              const Stored& value) {
  const Access& now = accesses_[op->site];
  const BlockHistory& history = block_of(w).history;
  const std::uint32_t thread = thread_in_block(w, lane);
  const Writers* several = place.race->writers(cell);
  if (several && !now.atomic && !now.strong)
    for (const GroupCell& atomic : several->atomics) check_reader(w, op, place, lane, atomic);
  const WriteCell& written = several ? several->plain : place.race->written(cell);
  const std::uint32_t other = written.thread % threads_, block = written.thread / threads_;
  if (!written.clock || (block == w.block->linear && other == thread)) return;
  const Access& earlier = accesses_[written.site];
  // Lanes of one instruction that store the same value to one place change nothing for each other.
  const bool same_store = now.store && written.site == op->site && block == w.block->linear &&
                          other / kLanes == w.index &&
                          Stored(w, op, now, static_cast<int>(other % kLanes)).bytes == value.bytes;
  if (same_store || are_atomic(now, earlier) || history.knows(thread, block, other, written.clock) ||
      ordered_by_flag(w, now, place, thread, written.site))
    return;
  accuse_race(w, op, place, lane, written.thread, written.site);
}

void Sanitizer::check_race(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& now = accesses_[op->site];
  Block& block = block_of(w);
  const std::uint32_t thread = thread_in_block(w, lane);
  const std::uint32_t in_grid = static_cast<std::uint32_t>(w.block->linear) * threads_ + thread;
  const Clock clock = block.history.clock(thread);
  const Stored value = now.store ? Stored(w, op, now, lane) : Stored();
  // A store of what is there already takes nothing from those before it; those who store something else later take
  // that away: as from a reader.
  const bool silent = now.store && std::memcmp(value.bytes.data(), place.host, now.bytes) == 0;
  RaceShadow& race = *place.race;
  race.refine(now.bytes);
  const std::uint32_t granule = race.granule();
  const std::uint64_t end = (place.offset + now.bytes + granule - 1) / granule;
  race.touch(end);
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const GroupCell own{static_cast<std::uint32_t>(w.block->linear) * warps + w.index, 1u << lane, clock, op->site};
  for (std::uint64_t cell = place.offset / granule; cell < end; ++cell) {
    if (!silent) check_writers(w, op, place, lane, cell, value);
    if (now.load || silent) {
      remember(
          block, own, thread, [&](auto f) { race.erase_readers_if(cell, f); }, [&] { race.add_reader(cell, own); });
      continue;
    }
    race.erase_readers_if(cell, [&](const GroupCell& reader) {
      check_reader(w, op, place, lane, reader);
      return !are_atomic(now, accesses_[reader.site]);  // which leaves both unordered: a plain write may follow
    });
    if (now.atomic || now.strong)
      remember_atomic(w, op, place, cell, own);
    else
      race.write(cell, {in_grid, clock, op->site});
  }
}

void Sanitizer::fence(Warp& w) {
  if (!tools_.racecheck) return;
  BlockHistory& history = block_of(w).history;
  for (std::uint32_t left = w.mask; left; left &= left - 1) history.fence(thread_in_block(w, std::countr_zero(left)));
}

}  // namespace gpulab::simt
