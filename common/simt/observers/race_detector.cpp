#include "common/simt/observers/race_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "common/simt/observers/advice/race_advice.h"
#include "common/simt/observers/quiet_access.h"

namespace gpulab::simt {

namespace {

/// Each comes as a whole to the other, and so they do not race: .volatile is .relaxed of the whole system (PTX ISA,
/// "Morally strong operations"). Two volatile ones do, unless one waits for the other (is_ordered_by_flag): whoever
/// writes nothing but these means an order that they do not give.
bool are_atomic(const MemoryUse& a, const MemoryUse& b) {
  return a.may_order() && b.may_order() && !(a.is_volatile && b.is_volatile);
}

/// Decides whether one more reader of a granule has to be remembered. Two of those remembered are enough if no order
/// separates them from the new one, all three read by one instruction, and the two are of different blocks, or of two
/// warps of the new one's block. For all order here is by barriers of the whole block, which order no blocks, and no
/// warps between two of them: whoever writes later and races with the new reader races with one of those two as well.
/// Example: warps 0 and 1 have read tile[0] in line 9 since the barrier, and now warp 2 does. If warp 0 writes it, it
/// races with warp 1 in line 9; any other warp races with warp 0 there: warp 2 adds nothing.
/// The same goes for those who change a granule by atomics.
class Remembered {
 public:
  Remembered(std::uint32_t block, std::uint32_t site) : block_(block), site_(site) {}
  void see(const GroupCell& other, std::uint32_t block) {
    if (other.site != site_) return;
    enough_ = enough_ || (any_ && (block != last_block_ || (block == block_ && other.warp != last_warp_)));
    any_ = true;
    last_block_ = block;
    last_warp_ = other.warp;
  }
  [[nodiscard]] bool are_enough() const { return enough_; }

 private:
  std::uint32_t block_, site_;
  std::uint32_t last_block_ = 0, last_warp_ = 0;
  bool any_ = false, enough_ = false;
};

/// The block's last warp may lack some.
std::uint32_t lanes_at_the_start(const Warp& w) {
  const std::uint64_t threads = w.block->launch.block.volume() - w.index * std::uint64_t{kLanes};
  return threads >= kLanes ? kFullMask : (1u << threads) - 1;
}

/// Whether threads of the kernel order each other by more than barriers of the whole block and .sync instructions.
bool has_fences_or_partial_barriers(const Program& program) {
  return std::any_of(program.sites.begin(), program.sites.end(), [](const Site& site) {
    if ((site.facts & (kFence | kMbarrier)) || memory_use_of(site).releases) return true;
    if (site.instruction->opcode.starts_with("barrier.cluster")) return true;
    // bar.sync a, b and bar.arrive a, b name how many threads they wait for; bar.red has its predicates behind.
    return (site.row->meaning.traits & kBarrier) && site.instruction->operands.size() > 1;
  });
}

}  // namespace

void RaceDetector::forget() {
  global_.clear();
  blocks_.clear();
  syncs_.clear();
}

bool RaceDetector::start(const LaunchState& launch) {
  program_ = launch.program;
  const auto threads = static_cast<std::uint32_t>(launch.block.volume());
  threads_ = PerBlock(threads);
  warps_ = PerBlock((threads + kLanes - 1) / kLanes);
  has_clusters_ = launch.cluster.volume() > 1;
  threads_order_each_other_ = has_clusters_ || has_fences_or_partial_barriers(*program_);
  forget();
  return launch.grid.volume() * threads < UINT32_MAX;
}

SyncObject* RaceDetector::find_sync(const SyncKey& key) {
  const auto found = syncs_.find(key);
  return found == syncs_.end() ? nullptr : &found->second;
}

/// nullptr: local memory, which no two threads share.
RaceShadow* RaceDetector::shadow_of(RacingBlock& block, const Place& place) {
  if (place.shared) return place.sibling != nullptr ? &blocks_.of(*place.sibling).shared : &block.shared;
  if (!place.allocation) return nullptr;
  const std::uint32_t index = place.allocation->index;
  if (global_.size() <= index) global_.resize(index + 1);
  auto& shadow = global_[index];
  if (!shadow) shadow = std::make_unique<RaceShadow>(place.allocation->bytes);
  return shadow.get();
}

/// What judging one lane's access takes of the launch's budget, in warp instructions; a release; a location where
/// somebody may have learned who is ahead of whom.
constexpr std::uint64_t kWorkOfALane = 6, kWorkOfARelease = 32, kWorkOfALocation = 16;

void RaceDetector::index_freed(std::uint32_t allocation) {
  if (allocation < global_.size()) global_[allocation].reset();
}

void RaceDetector::access(Warp& w, const MicroOp* op) {
  if (!locator_.lanes()) return;
  RacingBlock& block = blocks_.of(*w.block);
  if (locator_.in_one_stretch() && !locator_.use().as_constant && access_together(w, op, block)) return;
  const MemoryUse& use = locator_.use();
  for (std::uint32_t left = locator_.lanes(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Place place = locator_.place(lane);
    RaceShadow* shadow = shadow_of(block, place);
    if (!shadow) continue;
    const LaneAccess now{w, op, use, place, block, *shadow, lane, thread_in_block(w, lane)};
    if (use.may_order()) acquire_by(now);
    check(now);
    if (use.may_order()) release_by(now);
  }
}

/// The common case: plain accesses of a warp to one stretch of memory, where most granules are quiet (quiet_access.h).
/// False: not that.
bool RaceDetector::access_together(Warp& w, const MicroOp* op, RacingBlock& block) {
  const MemoryUse& use = locator_.use();
  const Place& first = locator_.first_place();
  RaceShadow& shadow = *shadow_of(block, first);
  if (shadow.granule() != 4 || !use.uses_all()) return false;
  const QuietAccess quiet(w, block.history, threads_.count(), threads_order_each_other_, op->site, is_private(first));
  if (use.bytes == 4 && locator_.is_contiguous()) {
    const std::uint32_t there = use.store ? words_that_are_there(w, op, use, first.host) : 0;
    const Effect effect = there ? Effect::silent : use.store ? Effect::write : Effect::read;
    if ((there == 0 || there == kLanes) && quiet.whole_warp(shadow, first.offset / 4, effect)) return true;
  }
  const std::uint32_t lanes = locator_.lanes();
  if (!use.store && locator_.is_uniform() &&
      quiet.read_together(shadow, first.offset / 4, (first.offset + use.bytes) / 4, lanes))
    return true;
  // A loop each: what a lane does is a constant there.
  const auto judge = [&](int lane, Effect effect) __attribute__((always_inline)) {
    const std::uint64_t cell = locator_.offset(lane) / 4;
    if (!quiet.one_lane(shadow, cell, cell + use.bytes / 4, lane, effect))
      check({w, op, use, locator_.place(lane), block, shadow, lane, thread_in_block(w, lane)});
  };
  if (!use.store) {
    for (std::uint32_t left = lanes; left; left &= left - 1) judge(std::countr_zero(left), Effect::read);
    return true;
  }
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const bool there = stores_what_is_there(w, op, use, lane, locator_.host(lane));
    if (there)
      judge(lane, Effect::silent);
    else
      judge(lane, Effect::write);
  }
  return true;
}

void RaceDetector::copied(const Warp& w, const MicroOp* op, int lane, std::uint32_t shared, std::uint32_t bytes) {
  RacingBlock& block = blocks_.of(*w.block);
  RaceShadow& shadow = block.shared;
  const std::uint32_t thread = thread_in_block(w, lane), granule = shadow.granule();
  const std::uint64_t end = (std::uint64_t{shared} + bytes + granule - 1) / granule;
  shadow.touch(end);
  for (std::uint64_t cell = shared / granule; cell < end; ++cell)
    shadow.write(cell, {static_cast<std::uint32_t>(w.block->linear) * threads_.count() + thread,
                        block.history.clock(thread), op->site});
}

/// Accesses of siblings to the shared memory of a block that ends, none of whose threads knows that they are over.
void RaceDetector::check_end(const BlockContext& ended) {
  if (!has_clusters_) return;
  RacingBlock& own = blocks_.of(ended);
  std::set<std::uint32_t> accused;
  const auto look = [&](std::uint64_t cell, std::uint32_t block, std::uint32_t thread, Clock clock,
                        std::uint32_t site) {
    if (clock == 0 || block == ended.linear || accused.contains(site)) return;
    for (std::uint32_t t = 0; t < threads_.count(); ++t)
      if (own.history.knows(t, block, thread, clock)) return;
    accused.insert(site);
    Place place;
    place.shared = true;
    place.address = place.offset = cell * own.shared.granule();
    accusations_.add(
        {.tool = "racecheck",
         .message =
             "an access to the shared memory of another block of the cluster, which does not wait for it and may "
             "have ended; call cluster.sync() behind the last such access, in all blocks, before they return",
         .first = {block, thread, site}},
        [&] { return name_of(*program_, place, std::max<std::uint32_t>(locator_.use_at(site).bytes, 1)); });
  };
  const auto look_at_group = [&](std::uint64_t cell, const GroupCell& group) {
    const std::uint32_t block = warps_.block(group.warp), first = (group.warp - block * warps_.count()) * kLanes;
    for (std::uint32_t left = group.lanes; left && group.clock != 0; left &= left - 1)
      look(cell, block, first + static_cast<std::uint32_t>(std::countr_zero(left)), group.clock,
           group.site & ~kSilentStore);
  };
  for (std::uint64_t cell = 0; cell < own.shared.used(); ++cell) {
    own.shared.for_each_reader(cell, [&](const GroupCell& reader) { look_at_group(cell, reader); });
    const WriteCell last = own.shared.written(cell);
    const Writers* several = own.shared.writers(last);
    const WriteCell written = several != nullptr ? several->plain : last;
    const std::uint32_t block = threads_.block(written.thread);
    look(cell, block, written.thread - block * threads_.count(), written.clock, written.site);
    if (several == nullptr) continue;
    for (const GroupCell& atomic : several->atomics) look_at_group(cell, atomic);
  }
}

// ---- how locations order the threads that use them ----

RaceDetector::SyncKey RaceDetector::key_of(const LaneAccess& now) {
  const BlockContext* const block = now.place.sibling != nullptr ? now.place.sibling : now.warp.block;
  return {now.place.shared ? static_cast<std::uint32_t>(block->linear) : kNoBlock, now.place.address};
}

void RaceDetector::acquire_by(const LaneAccess& now) {
  if (now.use.store) return;
  SyncObject* location = find_sync(key_of(now));
  if (!location) return;
  if (now.use.atomic || now.use.acquires)
    now.block.history.acquire(now.thread, location->acquire());
  else
    now.block.history.acquire_at_fence(now.thread, location->acquire());
}

void RaceDetector::release_by(const LaneAccess& now) {
  BlockHistory& history = now.block.history;
  if (now.use.load || !(now.use.releases || history.has_fenced(now.thread))) return;
  now.warp.block->charged += kWorkOfARelease;
  sync(key_of(now)).release(history.release(now.thread, now.use.releases));
}

/// A flag: stored as volatile behind a fence, polled by volatile loads. Without the fence a word that is polled races
/// with none either, for it comes as a whole, and who polls waits for it (CUB packs its sums with their flags); what it
/// was to announce is unordered.
bool RaceDetector::is_ordered_by_flag(const LaneAccess& now, std::uint32_t earlier_site) const {
  const MemoryUse& earlier = locator_.use_at(earlier_site);
  if (!now.use.is_volatile || !earlier.is_volatile) return false;
  if (now.use.store ? earlier.polls : now.use.polls) return true;
  return now.use.store ? now.block.history.has_fenced(now.thread) : syncs_.contains(key_of(now));
}

// ---- against those who accessed a granule before ----

/// `earlier_thread`: of the grid.
void RaceDetector::accuse(const LaneAccess& now, std::uint64_t cell, std::uint32_t earlier_thread,
                          std::uint32_t earlier_site) {
  const Suspect own = suspect(now.warp, now.lane, now.op->site);
  const std::uint32_t block = threads_.block(earlier_thread);
  const Suspect earlier{block, earlier_thread - block * threads_.count(), earlier_site};
  const Reach reach = earlier.block != own.block                       ? Reach::grid
                      : earlier.thread / kLanes == own.thread / kLanes ? Reach::warp
                                                                       : Reach::block;
  // Compilers make one wide load of several elements' loads: the narrower of the two accesses says how large one is.
  Place met = now.place;
  const std::uint64_t from = std::max(cell * now.shadow.granule(), met.offset) - met.offset;
  met.offset += from;
  met.address += from;
  const std::uint32_t theirs = locator_.use_at(earlier_site).bytes;  // 0: a copy of many bytes
  const std::uint32_t bytes = theirs == 0 ? now.use.bytes : std::min<std::uint32_t>(now.use.bytes, theirs);
  accusations_.add({.tool = "racecheck",
                    .message = now.place.shared ? "shared" : "global",
                    .first = earlier,
                    .second = own,
                    .reach = reach,
                    .two_writers = now.use.store && locator_.use_at(earlier_site).store,
                    .writer = now.use.store ? own : earlier,
                    .element = met.address - met.address % std::max(bytes, 1u),
                    .alike = reach == Reach::grid && earlier.thread == own.thread,
                    .parted = now.warp.mask != lanes_at_the_start(now.warp),
                    .in_words = race_in_words},
                   [&] { return name_of(*program_, met, bytes); });
}

/// PTX ISA, ld.global.nc: the memory must not change while the kernel runs, whatever orders the store and the load.
void RaceDetector::accuse_constant(const LaneAccess& now, const Suspect& writer) {
  accusations_.add({.tool = "racecheck",
                    .message = "a load through the read-only cache (__ldg, or a pointer that is const and "
                               "__restrict__) of what this launch has written: the cache may hold what was there "
                               "before, barriers or not; read it by a plain load, or in another launch",
                    .first = writer,
                    .second = suspect(now.warp, now.lane, now.op->site)},
                   [&] { return name_of(*program_, now.place, now.use.bytes); });
}

void RaceDetector::check_reader(const LaneAccess& now, std::uint64_t cell, const GroupCell& reader) {
  const std::uint32_t block = warps_.block(reader.warp), first = (reader.warp - block * warps_.count()) * kLanes;
  const std::uint32_t site = reader.site & ~kSilentStore;
  if (are_atomic(now.use, locator_.use_at(site))) return;
  for (std::uint32_t left = reader.lanes; left; left &= left - 1) {
    const std::uint32_t other = first + static_cast<std::uint32_t>(std::countr_zero(left));
    if ((block == now.warp.block->linear && other == now.thread) ||
        now.block.history.knows(now.thread, block, other, reader.clock))
      continue;
    if (is_ordered_by_flag(now, site)) continue;
    return accuse(now, cell, block * threads_.count() + other, site);
  }
}

/// Adds `now`, of `thread`, to the readers of a granule, or to those who change it by atomics: `erase_if` and `add` are
/// of these. Goes: whatever the thread knows to be over, for what races with that races with `now`, too. A store of
/// what was there and a read race with different accesses: one of them is over for the other where it is for everyone.
template <typename EraseIf, typename Add>
void RaceDetector::remember(const RacingBlock& block, const Place& place, const GroupCell& now, std::uint32_t thread,
                            EraseIf erase_if, Add add) const {
  const auto is_over = [&](const GroupCell& old, std::uint32_t its_block) {
    const std::uint32_t first = (old.warp - its_block * warps_.count()) * kLanes;
    for (std::uint32_t left = old.lanes; left; left &= left - 1)
      if (!block.history.knows(thread, its_block, first + static_cast<std::uint32_t>(std::countr_zero(left)),
                               old.clock))
        return false;
    return true;
  };
  const auto is_over_here = [&](const GroupCell& old, std::uint32_t its_block) {
    if ((old.site ^ now.site) & kSilentStore) return is_private(place) && old.clock < block.history.everyone_surely();
    return is_over(old, its_block);
  };
  Remembered others(warps_.block(now.warp), now.site);
  bool joined = false;
  erase_if([&](GroupCell& old) {
    if (old.warp == now.warp && old.clock == now.clock && old.site == now.site) {
      old.lanes |= now.lanes;
      joined = true;
      return false;
    }
    if (old.warp == now.warp && !((old.site ^ now.site) & kSilentStore))
      old.lanes &= ~now.lanes;  // the thread's own accesses are over to it
    const std::uint32_t its_block = warps_.block(old.warp);
    if (is_over_here(old, its_block)) return true;
    others.see(old, its_block);
    return false;
  });
  if (!joined && (threads_order_each_other_ || !others.are_enough())) add();
}

void RaceDetector::remember_atomic(const LaneAccess& now, std::uint64_t cell, const GroupCell& own) {
  const BlockHistory& history = now.block.history;
  RaceShadow& shadow = now.shadow;
  const WriteCell write{warps_.block(own.warp) * threads_.count() + now.thread, own.clock, own.site};
  // Who uses the old value has seen all atomics before: as far as this place is concerned they are over. The hardware
  // orders a plain access behind it, and a ticket is reset like that.
  const bool sees = now.use.atomic && (now.op->mods & kResultUsed);
  Writers* several = shadow.writers(cell);
  if (several && is_private(now.place) && several->plain.clock < history.everyone()) several->plain = {};
  if (!several) {
    const WriteCell written = shadow.written(cell);
    const std::uint32_t other_block = threads_.block(written.thread);
    const std::uint32_t other = written.thread - other_block * threads_.count();
    const bool atomic = written.clock && are_atomic(locator_.use_at(written.site), now.use);
    if (written.clock == 0 || (is_private(now.place) && written.clock < history.everyone()) ||
        (atomic && (sees || history.knows(now.thread, other_block, other, written.clock))))
      return shadow.write(cell, write);
    const GroupCell before{other_block * warps_.count() + other / kLanes, 1u << other % kLanes, written.clock,
                           written.site};
    shadow.make_list(cell, atomic ? Writers{{}, {before}} : Writers{written, {}});
    several = shadow.writers(cell);
  }
  auto& atomics = several->atomics;
  if (sees) atomics.clear();
  remember(
      now.block, now.place, own, now.thread, [&](const auto& f) { std::erase_if(atomics, std::cref(f)); },
      [&] { atomics.push_back(own); });
}

/// Against those who wrote a granule last.
void RaceDetector::check_writers(const LaneAccess& now, std::uint64_t cell, const Stored& value) {
  const Warp& w = now.warp;
  const WriteCell& last = now.shadow.written(cell);
  const Writers* several = now.shadow.writers(last);
  if (several && !now.use.atomic && !now.use.strong)
    for (const GroupCell& atomic : several->atomics) check_reader(now, cell, atomic);
  const WriteCell& written = several ? several->plain : last;
  const std::uint32_t block = threads_.block(written.thread), other = written.thread - block * threads_.count();
  if (!written.clock) return;
  const bool own = block == w.block->linear && other == now.thread;
  if (now.use.as_constant && (own || now.block.history.knows(now.thread, block, other, written.clock)))
    return accuse_constant(now, {block, other, written.site});
  if (own) return;
  // Lanes of one instruction that store the same value to one place change nothing for each other.
  const bool same_store = now.use.store && written.site == now.op->site && block == w.block->linear &&
                          other / kLanes == w.index &&
                          Stored(w, now.op, now.use, static_cast<int>(other % kLanes)).bytes == value.bytes;
  if (same_store || are_atomic(now.use, locator_.use_at(written.site)) ||
      now.block.history.knows(now.thread, block, other, written.clock) || is_ordered_by_flag(now, written.site))
    return;
  accuse(now, cell, written.thread, written.site);
}

void RaceDetector::check(const LaneAccess& now) {
  now.warp.block->charged += kWorkOfALane;
  const auto linear = static_cast<std::uint32_t>(now.warp.block->linear);
  const Clock clock = now.block.history.clock(now.thread);
  const Stored value = now.use.store ? Stored(now.warp, now.op, now.use, now.lane) : Stored();
  // A store of the value that is there takes nothing from those who stored it. But who reads does not know that it
  // will, and who stores something else later takes that value away: this store stands among the readers.
  const bool silent = now.use.store && std::memcmp(value.bytes.data(), now.place.host, now.use.bytes) == 0;
  RaceShadow& shadow = now.shadow;
  shadow.refine(now.use.bytes);
  const std::uint32_t granule = shadow.granule(), shift = static_cast<std::uint32_t>(std::countr_zero(granule));
  const std::uint64_t end = (now.place.offset + now.use.bytes + granule - 1) >> shift;
  shadow.touch(end);
  const GroupCell own{linear * warps_.count() + now.warp.index, 1u << now.lane, clock,
                      now.op->site | (silent ? kSilentStore : 0)};
  if (silent) shadow.note_silent_store();
  for (std::uint64_t cell = now.place.offset >> shift; cell < end; ++cell) {
    const std::uint64_t from = std::max(cell * granule, now.place.offset) - now.place.offset;
    if (!now.use.uses(static_cast<std::uint32_t>(from), granule)) continue;
    if (!silent) check_writers(now, cell, value);
    if (now.use.load || silent) {
      if (shadow.has_silent_stores())
        shadow.for_each_reader(cell, [&](const GroupCell& reader) {
          if ((reader.site ^ own.site) & kSilentStore) check_reader(now, cell, reader);
        });
      remember(
          now.block, now.place, own, now.thread, [&](const auto& f) { shadow.erase_readers_if(cell, f); },
          [&] { shadow.add_reader(cell, own); });
      continue;
    }
    shadow.erase_readers_if(cell, [&](const GroupCell& reader) {
      check_reader(now, cell, reader);
      // Which leaves both unordered: a plain write may follow.
      return !are_atomic(now.use, locator_.use_at(reader.site & ~kSilentStore));
    });
    if (now.use.atomic || now.use.strong)
      remember_atomic(now, cell, own);
    else
      shadow.write(cell, {linear * threads_.count() + now.thread, clock, now.op->site});
  }
  now.warp.block->charged += kWorkOfALocation * now.block.history.take_work();
}

}  // namespace gpulab::simt
