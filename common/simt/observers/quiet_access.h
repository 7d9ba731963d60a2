#pragma once
// racecheck's short way: an access to granules that are quiet, which means that their last accesses are no suspects.
// Either nobody has accessed them, or the same thread has, or the block's last barrier lies between. Most accesses of
// most kernels are like that, and whole warps of them are judged at once. RaceDetector::check judges the others.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/simt/observers/history.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/shadows/shadow.h"

namespace gpulab::simt {

/// The bytes that a lane stores.
struct Stored {
  std::array<std::byte, 16> bytes{};
  Stored() = default;
  Stored(const Warp& w, const MicroOp* op, const MemoryUse& use, int lane) {
    for (std::uint32_t k = 0; k * use.element < use.bytes && k < 4; ++k) {
      const Slot* slot = w.regs + op->r[use.value + k];
      const std::size_t stride = use.element == 8 ? 8 : 4;
      std::memcpy(bytes.data() + k * use.element, slot->bytes + 0 + static_cast<std::size_t>(lane) * stride,
                  use.element);
    }
  }
};

inline bool stores_what_is_there(const Warp& w, const MicroOp* op, const MemoryUse& use, int lane,
                                 const std::byte* host) {
  const auto is_there = [&]<typename Word>(Word there) {
    std::memcpy(&there, host, sizeof there);
    return there == reinterpret_cast<const Word*>(w.regs + op->r[use.value])[lane];
  };
  if (use.bytes == 4) return is_there(std::uint32_t{});
  if (use.bytes == 8 && use.element == 8) return is_there(std::uint64_t{});
  return std::memcmp(Stored(w, op, use, lane).bytes.data(), host, use.bytes) == 0;
}

/// How many of 32 words in a row that a warp stores are there already.
inline std::uint32_t words_that_are_there(const Warp& w, const MicroOp* op, const MemoryUse& use,
                                          const std::byte* host) {
  const auto* values = reinterpret_cast<const std::uint32_t*>(w.regs + op->r[use.value]);
  std::uint32_t there[kLanes], same = 0;
  std::memcpy(there, host, sizeof there);
  for (int i = 0; i < kLanes; ++i) same += there[i] == values[i] ? 1u : 0u;
  return same;
}

/// What an access does to a granule. `silent`: it stores what is there, which races with the reads before it, and
/// stands among them from then on (kSilentStore).
enum class Effect : std::uint8_t { read, write, silent };

/// An access of one warp to granules of 4 bytes.
class QuietAccess {
 public:
  /// `threads`: of a block. `order_each_other`: by more than barriers of the whole block, and of warps. `shared`: of a
  /// block's shared memory, which nobody else sees.
  QuietAccess(const Warp& w, const BlockHistory& history, std::uint32_t threads, bool order_each_other,
              std::uint32_t site, bool shared)
      : threads_(threads),
        threads_order_each_other_(order_each_other),
        warps_((threads + kLanes - 1) / kLanes),
        first_(static_cast<std::uint32_t>(w.block->linear) * threads),
        first_warp_(static_cast<std::uint32_t>(w.block->linear) * warps_),
        warp_(first_warp_ + w.index),
        everyone_(history.everyone_surely()),
        site_(site),
        shared_(shared),
        in_grid_(first_ + w.index * kLanes),
        clocks_(history.clocks() + w.index * kLanes) {}

  /// One lane's access to the granules from `cell` to `end`. False: one of them is not quiet. The access stays
  /// remembered in those before it, for it happened.
  [[gnu::always_inline, nodiscard]] bool one_lane(RaceShadow& shadow, std::uint64_t cell, std::uint64_t end, int lane,
                                                  Effect effect) const {
    const std::uint32_t thread = in_grid_ + static_cast<std::uint32_t>(lane);
    const Clock clock = clocks_[lane];
    const std::uint32_t site = site_of(shadow, effect);
    for (; cell < end; ++cell) {
      const RaceShadow::Cells at = shadow.cells(cell);
      const WriteCell& written = *at.written;
      if (effect != Effect::silent && written.clock && written.thread != thread && !is_over(written)) return false;
      if (effect == Effect::write ? !write(shadow, at, thread, lane) : !read(shadow, at, 1u << lane, clock, site))
        return false;
    }
    shadow.touch(end);
    return true;
  }
  /// The same for lanes that read one place.
  [[nodiscard]] bool read_together(RaceShadow& shadow, std::uint64_t cell, std::uint64_t end,
                                   std::uint32_t lanes) const {
    const Clock clock = clocks_[std::countr_zero(lanes)];
    for (std::uint32_t left = lanes; left; left &= left - 1)
      if (clocks_[std::countr_zero(left)] != clock) return false;
    for (; cell < end; ++cell) {
      const RaceShadow::Cells at = shadow.cells(cell);
      if ((at.written->clock && !is_over(*at.written)) || !read(shadow, at, lanes, clock, site_)) return false;
    }
    shadow.touch(end);
    return true;
  }

  /// The same for a whole warp whose lanes' words follow each other from `cell`. False: not all are quiet, and nothing
  /// is remembered.
  [[nodiscard]] bool whole_warp(RaceShadow& shadow, std::uint64_t cell, Effect effect) const {
    ShadowRow* row = cell % kLanes == 0 && is_of_one_clock() ? &shadow.row(cell) : nullptr;
    const std::uint32_t site = site_of(shadow, effect);
    const bool mixed = shadow.has_silent_stores();
    if (row && !row->spread_out) {
      if (!whole_row(*row, effect, site)) return false;
      shadow.touch(cell + kLanes);
      return true;
    }
    // Words in two rows, which lie in two pages where the first one ends between them.
    const RaceShadow::Cells low = shadow.cells(cell), high = shadow.cells(cell + kLanes - 1);
    const auto left = static_cast<std::uint32_t>(RaceShadow::kPageCells - cell % RaceShadow::kPageCells);
    if (shared_ && (mixed || effect == Effect::write))
      for (std::uint32_t i = 0; i < kLanes; ++i)
        settle(shadow, i < left ? low.last[i] : *(high.last - (kLanes - 1 - i)));
    if (left >= kLanes) [[likely]] {
      bool read = false;
      if (!are_quiet(low, 0, kLanes, effect, mixed, read)) return false;
      if (row && effect == Effect::write)
        *row = written_row();
      else
        remember(low, 0, kLanes, effect, site, read);
    } else {
      const std::uint32_t back = kLanes - 1 - left;
      const RaceShadow::Cells next{high.written - back, high.first - back, high.last - back};
      bool read = false;
      if (!are_quiet(low, 0, left, effect, mixed, read) || !are_quiet(next, left, kLanes, effect, mixed, read))
        return false;
      remember(low, 0, left, effect, site, read);
      remember(next, left, kLanes, effect, site, read);
    }
    shadow.touch(cell + kLanes);
    return true;
  }

 private:
  [[nodiscard]] bool is_of_one_clock() const {
    std::uint32_t differ = 0;
    for (int i = 0; i < kLanes; ++i) differ |= clocks_[i] ^ clocks_[0];
    return differ == 0;
  }
  /// Of the lanes from `begin` to `end`, whose words' cells these are. `read`: somebody has read one of them.
  [[gnu::always_inline]] bool are_quiet(const RaceShadow::Cells& cells, std::uint32_t begin, std::uint32_t end,
                                        Effect effect, bool mixed, bool& read) const {
    if (mixed && effect != Effect::write) return are_quiet_among_kinds(cells, begin, end, effect);
    const auto& [written, first, last] = cells;
    const bool looks = effect != Effect::silent;
    bool suspect = false, any = false;
    for (std::uint32_t i = begin, k = 0; i < end; ++i, ++k) {
      suspect |= looks & (written[k].clock != 0) & (written[k].thread != in_grid_ + i) &
                 !((written[k].thread - first_ < threads_) & (written[k].clock < everyone_));
      suspect |= !is_over_to_lane(first[k], i);
      any |= first[k].clock != 0;
    }
    if (effect == Effect::write)
      for (std::uint32_t i = begin, k = 0; i < end; ++i, ++k) {
        suspect |= !is_over_to_lane(last[k], i);
        any |= last[k].clock != 0;
      }
    read |= any;
    return !suspect;
  }
  /// The same of reads, or of stores of what is there, where some of the other kind may be among the readers.
  [[nodiscard]] bool are_quiet_among_kinds(const RaceShadow::Cells& cells, std::uint32_t begin, std::uint32_t end,
                                           Effect effect) const {
    const std::uint32_t site = effect == Effect::silent ? site_ | kSilentStore : site_;
    for (std::uint32_t i = begin, k = 0; i < end; ++i, ++k) {
      const WriteCell& written = cells.written[k];
      const GroupCell now{warp_, 1u << i, clocks_[i], site};
      if (effect == Effect::read && written.clock && written.thread != in_grid_ + i && !is_over(written)) return false;
      if (!may_go(cells.first[k], now) || RaceShadow::is_list(cells.last[k]) || is_suspect(cells.last[k], now))
        return false;
    }
    return true;
  }
  [[gnu::always_inline]] void remember(const RaceShadow::Cells& cells, std::uint32_t begin, std::uint32_t end,
                                       Effect effect, std::uint32_t site, bool read) const {
    const auto& [written, first, last] = cells;
    if (effect != Effect::write) {
      for (std::uint32_t i = begin, k = 0; i < end; ++i, ++k) first[k] = {warp_, 1u << i, clocks_[i], site};
      return;
    }
    if (read)
      for (std::uint32_t k = 0; k < end - begin; ++k) first[k] = last[k] = {};
    for (std::uint32_t i = begin, k = 0; i < end; ++i, ++k) written[k] = {in_grid_ + i, clocks_[i], site_};
  }
  [[nodiscard]] ShadowRow written_row() const { return {.thread = in_grid_, .clock = clocks_[0], .site = site_}; }
  /// whole_warp for a row that is not spread out.
  [[nodiscard]] bool whole_row(ShadowRow& row, Effect effect, std::uint32_t site) const {
    if (effect != Effect::silent && row.clock && row.thread != in_grid_ &&
        !is_over(WriteCell{row.thread, row.clock, row.site}))
      return false;
    auto& [first, last] = row.readers;
    if (effect == Effect::write) {
      const bool quiet = is_over(first) && is_over(last);
      if (quiet) row = written_row();
      return quiet;
    }
    const GroupCell now{warp_, kFullMask, clocks_[0], site};
    const GroupCell before[2]{as_cell(first), as_cell(last)};
    if (is_suspect(before[0], now) || is_suspect(before[1], now)) return false;
    if (may_go(before[0], now)) {
      first = {warp_, clocks_[0], site};
      return true;
    }
    if (threads_order_each_other_) return false;
    if (!may_go(before[1], now)) return are_enough(first, last, site);
    last = {warp_, clocks_[0], site};
    return true;
  }
  /// Two readers of a granule make this warp's read one that need not be remembered: whoever writes later and races
  /// with it races with one of them, too (Remembered in race_detector.cpp says why).
  [[nodiscard]] bool are_enough(const auto& one, const auto& other, std::uint32_t site) const {
    return one.site == site && other.site == site &&
           (one.warp / warps_ != other.warp / warps_ || (is_of_block(one) && one.warp != other.warp));
  }
  [[nodiscard]] bool is_of_block(const auto& reader) const { return reader.warp - first_warp_ < warps_; }
  static GroupCell as_cell(const ShadowRow::Reader& r) { return {r.warp, kFullMask, r.clock, r.site}; }
  [[nodiscard]] bool is_over(const ShadowRow::Reader& r) const { return is_over(as_cell(r), kFullMask); }
  /// How this access is remembered. From the first store of what is there on, the shadow knows that there are some.
  [[nodiscard]] std::uint32_t site_of(RaceShadow& shadow, Effect effect) const {
    if (effect != Effect::silent) return site_;
    shadow.note_silent_store();
    return site_ | kSilentStore;
  }
  static bool are_of_one_kind(const GroupCell& one, const GroupCell& other) {
    return ((one.site ^ other.site) & kSilentStore) == 0;
  }
  /// A read and a store of what is there that nothing orders.
  [[nodiscard]] bool is_suspect(const GroupCell& r, const GroupCell& now) const {
    return !are_of_one_kind(r, now) && !is_over(r, now.lanes);
  }
  /// Need not be remembered beside `now` (RaceDetector::remember).
  [[nodiscard]] bool may_go(const GroupCell& r, const GroupCell& now) const {
    if (are_of_one_kind(r, now)) return is_over(r, now.lanes);
    return r.clock == 0 || (shared_ && is_of_block(r) && r.clock < everyone_);
  }
  [[nodiscard]] bool is_over(const WriteCell& w) const { return w.thread - first_ < threads_ && w.clock < everyone_; }
  /// There is none, it is these lanes' own, or it was before the block's last barrier.
  [[nodiscard]] bool is_over(const GroupCell& r, std::uint32_t lanes) const {
    return r.clock == 0 || (r.warp == warp_ && !(r.lanes & ~lanes)) || (is_of_block(r) && r.clock < everyone_);
  }
  /// The same for one lane, without branches.
  [[nodiscard]] bool is_over_to_lane(const GroupCell& r, std::uint32_t lane) const {
    return (r.clock == 0) | ((r.warp == warp_) & (r.lanes == 1u << lane)) |
           ((r.warp - first_warp_ < warps_) & (r.clock < everyone_));
  }
  /// There is none, or the block's last barrier lies between, of shared memory: over for everyone, and of any kind.
  [[nodiscard]] bool is_settled(const GroupCell& r) const {
    return r.clock == 0 || (shared_ && is_of_block(r) && r.clock < everyone_);
  }
  /// A list whose readers are all over for everyone goes.
  [[gnu::always_inline]] void settle(RaceShadow& shadow, GroupCell& last) const {
    if (shared_ && RaceShadow::is_list(last) && RaceShadow::newest_of(last) < everyone_) [[unlikely]]
      shadow.drop_list(last);
  }
  /// RaceDetector::remember for a granule with two readers at most, who are of other warps, where barriers alone tell
  /// what is over. The reader's parts come each by itself: a GroupCell in memory that has just been written in parts
  /// cannot be copied as a whole before they have all arrived there, which was a seventh of the time.
  [[gnu::always_inline, nodiscard]] bool read(RaceShadow& shadow, const RaceShadow::Cells& at, std::uint32_t lanes,
                                              Clock clock, std::uint32_t site) const {
    const bool goes =
        shadow.has_silent_stores() ? is_settled(*at.first) && is_settled(*at.last) : is_over(*at.first, lanes);
    if (!goes) return read_among_others(shadow, at, lanes, clock, site);
    *at.first = {warp_, lanes, clock, site};
    return true;
  }
  [[gnu::noinline, nodiscard]] bool read_among_others(RaceShadow& shadow, const RaceShadow::Cells& at,
                                                      std::uint32_t lanes, Clock clock, std::uint32_t site) const {
    GroupCell &first = *at.first, &last = *at.last;
    settle(shadow, last);
    const GroupCell now{warp_, lanes, clock, site};
    if (shadow.has_silent_stores() && (RaceShadow::is_list(last) || is_suspect(first, now) || is_suspect(last, now)))
      return false;
    if (may_go(first, now)) {
      first = now;
      return true;
    }
    if (threads_order_each_other_ || RaceShadow::is_list(last)) return false;
    bool joined = false;
    for (GroupCell* r : {&first, &last}) {
      if (may_go(*r, now)) {
        *r = {};
      } else if (r->warp == warp_ && are_of_one_kind(*r, now)) {
        if (r->clock != now.clock || r->site != now.site) return false;
        r->lanes |= now.lanes;
        joined = true;
      }
    }
    if (joined) return true;
    if (last.clock) return are_enough(first, last, now.site);
    last = now;
    return true;
  }
  [[nodiscard]] bool write(RaceShadow& shadow, const RaceShadow::Cells& at, std::uint32_t thread, int lane) const {
    GroupCell &first = *at.first, &last = *at.last;
    settle(shadow, last);
    if (!is_over(first, 1u << lane) || !is_over(last, 1u << lane)) return false;
    if (first.clock) first = {};
    if (last.clock) last = {};
    *at.written = {thread, clocks_[lane], site_};
    return true;
  }

  std::uint32_t threads_;
  bool threads_order_each_other_;
  std::uint32_t warps_, first_, first_warp_, warp_;  ///< first_, first_warp_: of the block, in the grid
  Clock everyone_;
  std::uint32_t site_;
  bool shared_;
  std::uint32_t in_grid_;
  const Clock* clocks_;
};

}  // namespace gpulab::simt
