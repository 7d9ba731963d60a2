// Sanitizer: a warp's plain accesses to one stretch of memory, the common case, where nobody else is suspect.

#include <algorithm>
#include <bit>

#include "common/simt/observers/sanitizer_state.h"

namespace gpulab::simt {

namespace {

bool stores_what_is_there(const Warp& w, const MicroOp* op, const Access& access, int lane, const std::byte* host) {
  if (access.bytes != 4) return std::memcmp(Stored(w, op, access, lane).bytes.data(), host, access.bytes) == 0;
  std::uint32_t there;
  std::memcpy(&there, host, 4);
  return there == reinterpret_cast<const std::uint32_t*>(w.regs + op->r[access.value])[lane];
}

/// How many of 32 words in a row that a warp stores are there already.
std::uint32_t words_that_are_there(const Warp& w, const MicroOp* op, const Access& access, const std::byte* host) {
  const auto* values = reinterpret_cast<const std::uint32_t*>(w.regs + op->r[access.value]);
  std::uint32_t there[kLanes], same = 0;
  std::memcpy(there, host, sizeof there);
  for (int i = 0; i < kLanes; ++i) same += there[i] == values[i] ? 1u : 0u;
  return same;
}

/// `silent`: a store of what is there, which is nobody's suspect and remembered as a read.
enum class Use : std::uint8_t { read, write, silent };

/// Where the lanes are in a stretch of memory that begins at `start`, all 32 at once; garbage in inactive ones.
struct Offsets {
  alignas(16) std::uint32_t at[kLanes];
  std::uint32_t beyond[kLanes];  ///< not 0: 4 GiB and more away
  Offsets(const Warp& w, const MicroOp* op, std::uint16_t slot, std::uint64_t start) {
    if (op->mods & kAddress32) {
      const auto* a = reinterpret_cast<const std::uint32_t*>(w.regs + slot);
      const std::uint32_t shift = static_cast<std::uint32_t>(op->imm) - static_cast<std::uint32_t>(start);
      for (int i = 0; i < kLanes; ++i) at[i] = a[i] + shift, beyond[i] = 0;
      return;
    }
    const auto* a = reinterpret_cast<const std::uint64_t*>(w.regs + slot);
    const std::uint64_t shift = static_cast<std::uint64_t>(std::int64_t{op->imm}) - start;
    for (int i = 0; i < kLanes; ++i) {
      at[i] = static_cast<std::uint32_t>(a[i] + shift);
      beyond[i] = static_cast<std::uint32_t>((a[i] + shift) >> 32);
    }
  }
  [[nodiscard]] bool all_within(std::uint32_t mask, std::uint64_t size, std::uint32_t bytes) const {
    if (size < bytes) return false;
    const auto last = static_cast<std::uint32_t>(size - bytes);
    std::uint32_t outside = 0;
    for (int i = 0; i < kLanes; ++i)
      outside |= (mask & lane_bit[i]) && (at[i] > last || beyond[i] || (at[i] & (bytes - 1))) ? 1u : 0u;
    return outside == 0;
  }
  [[nodiscard]] bool is_uniform(std::uint32_t mask) const {
    const std::uint32_t one = at[std::countr_zero(mask)];
    std::uint32_t differ = 0;
    for (int i = 0; i < kLanes; ++i) differ |= (mask & lane_bit[i]) ? at[i] ^ one : 0;
    return differ == 0;
  }
  [[nodiscard]] bool is_contiguous(std::uint32_t mask, std::uint32_t bytes) const {
    std::uint32_t differ = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) differ |= at[i] ^ (at[0] + i * bytes);
    return mask == kFullMask && differ == 0;
  }
};

/// One access, seen by its cells: nobody else, or nobody since the block's last barrier, has touched them.
class Quick {
 public:
  /// `threads`: of a block. `order_each_other`: by more than barriers of the whole block, and of warps.
  Quick(const Warp& w, const BlockHistory& history, std::uint32_t threads, bool order_each_other, std::uint32_t site)
      : threads_(threads),
        threads_order_each_other_(order_each_other),
        warps_((threads + kLanes - 1) / kLanes),
        first_(static_cast<std::uint32_t>(w.block->linear) * threads),
        first_warp_(static_cast<std::uint32_t>(w.block->linear) * warps_),
        warp_(first_warp_ + w.index),
        everyone_(history.everyone_surely()),
        site_(site),
        in_grid_(first_ + w.index * kLanes),
        clocks_(history.clocks() + w.index * kLanes) {}

  /// One lane's access. False: not quiet; what was remembered of it stands, for it happened.
  [[nodiscard]] bool access(RaceShadow& race, std::uint64_t cell, std::uint64_t end, int lane, Use use) const {
    const std::uint32_t thread = in_grid_ + static_cast<std::uint32_t>(lane);
    for (; cell < end; ++cell) {
      const WriteCell& written = race.written(cell);
      if (use != Use::silent && written.clock && written.thread != thread && !over(written)) return false;
      if (use == Use::write ? !write(race, cell, thread, lane) : !read(race, cell, 1u << lane, clocks_[lane]))
        return false;
    }
    race.touch(end);
    return true;
  }
  /// Lanes that read one place.
  [[nodiscard]] bool read_together(RaceShadow& race, std::uint64_t cell, std::uint64_t end, std::uint32_t lanes) const {
    const Clock clock = clocks_[std::countr_zero(lanes)];
    for (std::uint32_t left = lanes; left; left &= left - 1)
      if (clocks_[std::countr_zero(left)] != clock) return false;
    for (; cell < end; ++cell) {
      const WriteCell& written = race.written(cell);
      if ((written.clock && !over(written)) || !read(race, cell, lanes, clock)) return false;
    }
    race.touch(end);
    return true;
  }

  /// The same for a whole warp whose lanes' 4-byte words follow each other from `cell`. False: not quiet, nothing done.
  [[nodiscard]] bool whole_warp(RaceShadow& race, std::uint64_t cell, Use use) const {
    ShadowRow* row = cell % kLanes == 0 && of_one_clock() ? &race.row(cell) : nullptr;
    if (row && !row->spread_out) {
      if (!whole_row(*row, use)) return false;
      race.touch(cell + kLanes);
      return true;
    }
    race.spread_out(cell);
    race.spread_out(cell + kLanes - 1);
    WriteCell* written = &race.written(cell);
    GroupCell* first = &race.first_reader(cell);
    GroupCell* last = &race.last_reader(cell);
    const bool store = use == Use::write, looks = use != Use::silent;
    bool suspect = false, read = false;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      suspect |= looks & (written[i].clock != 0) & (written[i].thread != in_grid_ + i) &
                 !((written[i].thread - first_ < threads_) & (written[i].clock < everyone_));
      suspect |= !over_now(first[i], i);
      read |= first[i].clock != 0;
    }
    if (store)
      for (std::uint32_t i = 0; i < kLanes; ++i) {
        suspect |= !over_now(last[i], i);
        read |= last[i].clock != 0;
      }
    if (suspect) return false;
    race.touch(cell + kLanes);
    if (!store) {
      for (std::uint32_t i = 0; i < kLanes; ++i) first[i] = {warp_, 1u << i, clocks_[i], site_};
      return true;
    }
    if (row) {
      *row = written_row();
      return true;
    }
    if (read)
      for (int i = 0; i < kLanes; ++i) first[i] = last[i] = {};
    for (std::uint32_t i = 0; i < kLanes; ++i) written[i] = {in_grid_ + i, clocks_[i], site_};
    return true;
  }

 private:
  [[nodiscard]] bool of_one_clock() const {
    std::uint32_t differ = 0;
    for (int i = 0; i < kLanes; ++i) differ |= clocks_[i] ^ clocks_[0];
    return differ == 0;
  }
  [[nodiscard]] ShadowRow written_row() const { return {.thread = in_grid_, .clock = clocks_[0], .site = site_}; }
  /// The same for a row that is not spread out.
  [[nodiscard]] bool whole_row(ShadowRow& row, Use use) const {
    if (use != Use::silent && row.clock && row.thread != in_grid_ && !over(WriteCell{row.thread, row.clock, row.site}))
      return false;
    auto& [first, last] = row.readers;
    if (use == Use::write) {
      const bool quiet = over(first) && over(last);
      if (quiet) row = written_row();
      return quiet;
    }
    const ShadowRow::Reader now{warp_, clocks_[0], site_};
    if (over(first)) {
      first = now;
      return true;
    }
    if (threads_order_each_other_) return false;
    if (!over(last)) return readers_suffice(first, last);
    last = now;
    return true;
  }
  /// As racecheck.cpp's Others has it: who races with this warp's read races with one of two others'.
  [[nodiscard]] bool readers_suffice(const auto& one, const auto& other) const {
    return one.site == site_ && other.site == site_ &&
           (one.warp / warps_ != other.warp / warps_ || (is_of_block(one) && one.warp != other.warp));
  }
  [[nodiscard]] bool is_of_block(const auto& reader) const { return reader.warp - first_warp_ < warps_; }
  [[nodiscard]] bool over(const ShadowRow::Reader& r) const {
    return over(GroupCell{r.warp, kFullMask, r.clock, 0}, kFullMask);
  }
  [[nodiscard]] bool over(const WriteCell& w) const { return w.thread - first_ < threads_ && w.clock < everyone_; }
  /// Nobody, the same lanes, or before the block's last barrier.
  [[nodiscard]] bool over(const GroupCell& r, std::uint32_t lanes) const {
    return r.clock == 0 || (r.warp == warp_ && !(r.lanes & ~lanes)) || (is_of_block(r) && r.clock < everyone_);
  }
  /// `over` without branches.
  [[nodiscard]] bool over_now(const GroupCell& r, std::uint32_t lane) const {
    return (r.clock == 0) | ((r.warp == warp_) & (r.lanes == 1u << lane)) |
           ((r.warp - first_warp_ < warps_) & (r.clock < everyone_));
  }
  /// Sanitizer::remember for the two readers of a cell, where they are of other warps and barriers alone tell who is
  /// over.
  [[nodiscard]] bool read(RaceShadow& race, std::uint64_t cell, std::uint32_t lanes, Clock clock) const {
    const GroupCell now{warp_, lanes, clock, site_};
    GroupCell& first = race.first_reader(cell);
    if (over(first, lanes)) {
      first = now;
      return true;
    }
    GroupCell& last = race.last_reader(cell);
    if (threads_order_each_other_ || RaceShadow::is_list(last)) return false;
    bool joined = false;
    for (GroupCell* r : {&first, &last}) {
      if (over(*r, lanes)) {
        *r = {};
      } else if (r->warp == warp_) {
        if (r->clock != clock || r->site != site_) return false;
        r->lanes |= lanes;
        joined = true;
      }
    }
    if (joined) return true;
    if (last.clock) return readers_suffice(first, last);
    last = now;
    return true;
  }
  [[nodiscard]] bool write(RaceShadow& race, std::uint64_t cell, std::uint32_t thread, int lane) const {
    GroupCell& first = race.first_reader(cell);
    GroupCell& last = race.last_reader(cell);
    if (!over(first, 1u << lane) || !over(last, 1u << lane)) return false;
    if (first.clock) first = {};
    if (last.clock) last = {};
    race.written(cell) = {thread, clocks_[lane], site_};
    return true;
  }

  std::uint32_t threads_;
  bool threads_order_each_other_;
  std::uint32_t warps_, first_, first_warp_, warp_;
  Clock everyone_;
  std::uint32_t site_, in_grid_;
  const Clock* clocks_;
};

}  // namespace

bool Sanitizer::access_quickly(Warp& w, const MicroOp* op) {
  const Access& access = accesses_[op->site];
  if (access.bytes < 4 || (access.space != Access::Space::global && access.space != Access::Space::shared))
    return false;
  Block& block = block_of(w);
  Place place;
  const int first = std::countr_zero(w.mask);
  if (!locate(w, op, address_of(w, op, op->r[access.address], first), first, place)) return false;
  if (tools_.racecheck && place.race->granule() != 4) return false;
  // Every lane in the same stretch: an allocation, or one shared variable.
  std::uint64_t low = 0, high = place.allocation ? place.allocation->bytes : w.shared_bytes;
  if (place.shared && tools_.memcheck)
    for (const SharedVariable& v : program_.shared_variables)
      if (place.offset >= v.offset && (v.dynamic || place.offset < v.offset + v.bytes)) {
        low = v.offset;
        if (!v.dynamic) high = v.offset + v.bytes;
      }
  if (high - low > UINT32_MAX) return false;
  Offsets offsets(w, op, op->r[access.address], place.address - place.offset + low);
  if (!offsets.all_within(w.mask, high - low, access.bytes)) return false;
  const std::byte* host = place.host - place.offset;
  const std::uint64_t start = place.address - place.offset;
  const bool contiguous = offsets.is_contiguous(w.mask, access.bytes);
  const std::uint64_t begin = low + offsets.at[0];
  bool known = !tools_.initcheck || !place.init ||
               (contiguous && place.init->known_range(begin, std::uint64_t{kLanes} * access.bytes));
  if (!known && contiguous && access.store) {
    place.init->set_range(begin, std::uint64_t{kLanes} * access.bytes, true);
    known = true;
  }
  const Quick quick(w, block.history, threads_, threads_order_each_other_, op->site);
  if (known && contiguous && access.bytes == 4 && tools_.racecheck) {
    const std::uint32_t there = access.store ? words_that_are_there(w, op, access, host + begin) : 0;
    const Use use = there ? Use::silent : access.store ? Use::write : Use::read;
    if ((there == 0 || there == kLanes) && quick.whole_warp(*place.race, begin / 4, use)) return true;
  }
  if (tools_.racecheck && !access.store && offsets.is_uniform(w.mask) &&
      (!tools_.initcheck || !place.init || place.init->known(place.offset, access.bytes)) &&
      quick.read_together(*place.race, place.offset / 4, (place.offset + access.bytes) / 4, w.mask))
    return true;
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    place.offset = low + offsets.at[lane];
    place.address = start + place.offset;
    place.host = host + place.offset;
    if (!known) {
      if (access.store)
        place.init->set(place.offset, access.bytes);
      else if (!place.init->known(place.offset, access.bytes))
        check_init(w, op, place, lane);
    }
    if (!tools_.racecheck) continue;
    const Use use = !access.store                                           ? Use::read
                    : stores_what_is_there(w, op, access, lane, place.host) ? Use::silent
                                                                            : Use::write;
    const std::uint64_t cell = place.offset / 4;
    if (!quick.access(*place.race, cell, cell + access.bytes / 4, lane, use)) check_race(w, op, place, lane);
  }
  return true;
}

}  // namespace gpulab::simt
