// Loads and stores whose addresses follow from lane 0's (emit.h): bounds, sectors and banks by arithmetic. They do and
// count what the handlers of isa/memory/memory.cpp do; where they are not sure, they call the handler.

#include <algorithm>

#include "common/simt/compiled/emit/emit.h"
#include "common/simt/counting/access.h"
#include "common/simt/machine/memory/memory.h"

namespace gpulab::simt::compiled {

namespace {
Pattern shared_pattern(const Operation& o, const Lanes& lanes) {
  Pattern pattern{};
  std::int32_t relative[kLanes];
  std::ranges::copy(lanes, relative);
  set_shape(pattern, relative, kFullMask, kSharedPhase, o.width);
  count_pattern(pattern, o.width, !o.load, false);
  return pattern;
}

// Which of the counts that add_counts() adds to.
constexpr std::size_t number_at(std::size_t offset) { return offset / sizeof(std::uint64_t); }
constexpr std::size_t kRequests = number_at(offsetof(SiteStatistics, requests));
constexpr std::size_t kLanesOf = number_at(offsetof(SiteStatistics, lanes));
constexpr std::size_t kInShared = 1;  ///< behind those of global memory
constexpr std::size_t kWavefronts = number_at(offsetof(SiteStatistics, wavefronts));
constexpr std::size_t kIdealWavefronts = number_at(offsetof(SiteStatistics, ideal_wavefronts));
static_assert(kRequests == 0 && kIdealWavefronts < 8);
}  // namespace

/// Under a mask: what is counted alike whichever lanes there are.
bool Emitter::is_inline(const Operation& o) const {
  if (!flow_.is_inline(o, now_)) return false;
  if (!region_) return true;
  const Lanes& lanes = flow_.lanes(now_[o.address].lanes);
  if (!o.shared) return is_uniform(lanes) || is_contiguous(lanes, o.width);
  return o.width == 4 && shared_pattern(o, lanes).wavefronts == 1;
}

void Emitter::add_to(std::uint32_t site, std::size_t offset, Value x) {
  const Value at = b_.at(sites_, sizeof(SiteStatistics) * std::uint64_t{site} + offset);
  b_.store(b_.add(b_.load(b_.integer(64), at), x), at);
}

/// One load, one addition, one store.
void Emitter::add_counts(std::uint32_t site, const Counted& counts) {
  const Value at = b_.at(sites_, sizeof(SiteStatistics) * std::uint64_t{site});
  b_.store(b_.add(b_.load(b_.lanes(true, counts.size()), at, alignof(SiteStatistics)), b_.vector_of(true, counts)), at,
           alignof(SiteStatistics));
}

/// A lane's address, of its register.
Value Emitter::address_of(const Operation& o, Value of_register) {
  if (o.op->mods & kAddress32)
    return b_.cast(kZExt, b_.add(of_register, b_.k32(static_cast<std::uint32_t>(o.op->imm))), b_.integer(64));
  return b_.add(of_register, b_.k64(static_cast<std::uint64_t>(std::int64_t{o.op->imm})));
}

/// Where lanes' bytes lie: from `lowest` behind `base`, `span` of them.
Emitter::Place Emitter::place_of(const Operation& o, Value base, std::int64_t lowest, std::uint64_t span) {
  Place place{};
  place.low = b_.add(base, b_.k64(static_cast<std::uint64_t>(lowest)));
  const Value aligned = b_.compare(kEqual, b_.both(base, b_.k64(o.width - 1)), b_.k64(0));
  const auto within = [&](Value from, Value bytes) {
    const Value starts = b_.compare(kUnsignedLessEqual, from, bytes);
    return b_.both(aligned, b_.both(starts, b_.compare(kUnsignedLessEqual, b_.k64(span), b_.sub(bytes, from))));
  };
  if (o.shared) {
    place.good = within(place.low, shared_bytes_);
    place.host = b_.at(shared_, place.low);
    return place;
  }
  place.allocation = b_.load(b_.pointer(), b_.at(patterns_, sizeof(PatternCache) * std::uint64_t{o.op->site} +
                                                                offsetof(PatternCache, allocation)));
  const Block before = b_.here(), known = fresh("known"), join = fresh("placed");
  const Value null = b_.llvm.ConstNull(b_.pointer());
  b_.go_if(b_.compare(kNotEqual, place.allocation, null), known, join);
  b_.begin(known);
  const Value from = b_.sub(place.low, b_.load(b_.integer(64), b_.at(place.allocation, offsetof(Allocation, address))));
  const Value good = within(from, b_.load(b_.integer(64), b_.at(place.allocation, offsetof(Allocation, bytes))));
  const Value host = b_.at(b_.load(b_.pointer(), b_.at(place.allocation, offsetof(Allocation, host))), from);
  const Block looked = b_.here();
  b_.go(join);
  b_.begin(join);
  place.good = b_.phi(b_.integer(1), {b_.llvm.ConstInt(b_.integer(1), 0, 0), good}, {before, looked});
  place.host = b_.phi(b_.pointer(), {null, host}, {before, looked});
  return place;
}

/// What is read and written again in place is looked at once, and its sectors, too.
Emitter::Place Emitter::place_again(const Operation& o, Value base, std::int64_t lowest, std::uint64_t span) {
  if (o.shared) return place_of(o, base, lowest, span);
  const auto found = std::ranges::find_if(placed_, [&](const Placed& one) {
    return one.address == o.address && one.offset == o.op->imm && one.width == o.width;
  });
  if (found != placed_.end()) return found->place;
  Placed& made = placed_.emplace_back(Placed{o.address, o.op->imm, o.width});
  made.place = place_of(o, base, lowest, span);
  const Lanes& lanes = flow_.lanes(now_[o.address].lanes);
  if (is_uniform(lanes) || is_contiguous(lanes, o.width)) made.place.sectors = sectors_of(o, made.place, span);
  return made.place;
}

void Emitter::forget_places(const Operation& o) {
  if (o.kind != Operation::Kind::value) forget_remainders(o, remainders_.size());
  if (o.kind == Operation::Kind::handler || o.kind == Operation::Kind::through) return placed_.clear();
  std::erase_if(placed_, [&](const Placed& one) { return std::ranges::find(o.out, one.address) != o.out.end(); });
}

/// `host` is where the lowest lane's bytes lie.
Value Emitter::load_inline(const Operation& o, const Lanes& lanes, Value host, std::int64_t lowest) {
  const bool wide = o.width == 8;
  if (is_uniform(lanes)) return b_.load(b_.word(wide), host, o.width);
  if (is_contiguous(lanes, o.width)) return b_.load(b_.lanes(wide), host, o.width);
  if (!o.shared || o.width != 4 || !is_by_halves(lanes, 4)) return load_spread(o, lanes, host);
  Value halves[2];
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t first = half * kLanes / 2;
    const Value from = b_.at(host, static_cast<std::uint64_t>(lanes[first] - lowest));
    halves[half] = is_uniform(lanes, first, kLanes / 2)
                       ? b_.splat(b_.load(b_.word(wide), from, o.width), wide, kLanes / 2)
                       : b_.load(b_.lanes(wide, kLanes / 2), from, o.width);
  }
  return b_.joined(halves[0], halves[1]);
}

/// Bit k: lanes touch the sector k behind that of `low`. Aligned lanes side by side, or one place for all.
Value Emitter::sectors_of(const Operation& o, const Place& place, std::uint64_t span) {
  const Value phase = b_.both(place.low, b_.k64(31));
  if (span == o.width) return b_.k64(1);
  if (!region_) {
    const Value sectors = b_.op(kLShr, b_.add(phase, b_.k64(span + 31)), b_.k64(5));
    return b_.sub(b_.op(kShl, b_.k64(1), sectors), b_.k64(1));
  }
  // A bit for each place of a lane, moved to where its sector's first is; then one bit for each of those.
  const std::uint64_t lanes_in_one = 32 / o.width;
  const Value from = b_.op(kLShr, phase, b_.k64(o.width == 4 ? 2 : 3));
  Value places = b_.op(kShl, b_.cast(kZExt, region_->mask, b_.integer(64)), from);
  if (lanes_in_one == 8) {  // a byte for each sector
    const Type bytes = b_.llvm.VectorType(b_.integer(8), 8);
    const Value any = b_.compare(kNotEqual, b_.cast(kBitCast, places, bytes), b_.llvm.ConstNull(bytes));
    return b_.cast(kZExt, b_.cast(kBitCast, any, b_.integer(8)), b_.integer(64));
  }
  for (std::uint64_t by = 1; by < lanes_in_one; by *= 2) places = b_.op(kOr, places, b_.op(kLShr, places, b_.k64(by)));
  Value bits = b_.both(places, b_.k64(1));
  for (std::uint64_t k = 1; k <= kLanes / lanes_in_one; ++k)
    bits =
        b_.op(kOr, bits, b_.both(b_.op(kLShr, places, b_.k64(k * (lanes_in_one - 1))), b_.k64(std::uint64_t{1} << k)));
  return bits;
}

/// Marks sectors in the worker's footprint of the allocation: 64 to a word, from that of the lowest lane on. Most are
/// marked already, and a word that was stored a moment ago is waited for by who loads it to store it again.
void Emitter::mark_sectors(bool store, const Place& place, Value bits) {
  const Value start = b_.load(b_.integer(64), b_.at(place.allocation, offsetof(Allocation, address)));
  const Value first = b_.sub(b_.op(kLShr, place.low, b_.k64(5)), b_.op(kLShr, start, b_.k64(5)));
  const Value index =
      b_.cast(kZExt, b_.load(b_.integer(32), b_.at(place.allocation, offsetof(Allocation, index))), b_.integer(64));
  const Value table = b_.load(b_.pointer(), b_.at(footprint_, FootprintMap::kPlaces));
  const Value entry = b_.at(table, b_.op(kMul, index, b_.k64(sizeof(FootprintMap::Places))));
  const Value words = b_.load(b_.pointer(), b_.at(entry, store ? offsetof(FootprintMap::Places, stored)
                                                               : offsetof(FootprintMap::Places, loaded)));
  const Value bit = b_.both(first, b_.k64(63));
  const Value word = b_.at(words, b_.op(kShl, b_.op(kLShr, first, b_.k64(6)), b_.k64(3)));
  const Value marked = b_.load(b_.integer(64), word), marks = b_.op(kOr, marked, b_.op(kShl, bits, bit));
  const Value beyond = b_.op(kLShr, b_.op(kLShr, bits, b_.sub(b_.k64(63), bit)), b_.k64(1));
  const Block unmarked = fresh("unmarked"), more = fresh("next_word"), done = fresh("marked");
  const Value missing = b_.op(kOr, b_.op(kXor, marks, marked), beyond);
  b_.go_if(b_.compare(kEqual, missing, b_.k64(0)), done, unmarked);
  b_.begin(unmarked);
  b_.store(marks, word);
  b_.go_if(b_.compare(kEqual, beyond, b_.k64(0)), done, more);
  b_.begin(more);
  const Value next = b_.at(word, 8);
  b_.store(b_.op(kOr, b_.load(b_.integer(64), next), beyond), next);
  b_.go(done);
  b_.begin(done);
}

void Emitter::count_inline(const Operation& o, const Lanes& lanes, const Place& place, std::uint64_t span) {
  if (o.shared) return count_shared(o, lanes);
  const std::uint32_t site = o.op->site;
  const Value count = region_ ? region_->count : b_.k64(kLanes);
  add_to(site, offsetof(SiteStatistics, requests), b_.k64(1));
  add_to(site, offsetof(SiteStatistics, lanes), count);
  const bool apart = !is_uniform(lanes) && !is_contiguous(lanes, o.width);
  const Value bits = apart           ? sectors_apart(o, lanes, place)
                     : place.sectors ? place.sectors
                                     : sectors_of(o, place, span);
  add_to(site, offsetof(SiteStatistics, sectors),
         intrinsic("llvm.ctpop.i64", b_.integer(64), {bits}, {b_.integer(64)}));
  add_to(site, offsetof(SiteStatistics, distinct_bytes),
         apart             ? b_.k64(distinct_bytes(lanes, o.width))
         : span == o.width ? b_.k64(o.width)
                           : b_.op(kMul, count, b_.k64(o.width)));
  mark_sectors(!o.load, place, bits);
}

void Emitter::count_shared(const Operation& o, const Lanes& lanes) {
  const std::uint32_t site = o.op->site;
  const Pattern pattern = shared_pattern(o, lanes);
  if (!region_) {
    Counted counts{};
    counts[kRequests + kInShared] = 1;
    counts[kLanesOf + kInShared] = kLanes;
    counts[kWavefronts] = pattern.wavefronts;
    counts[kIdealWavefronts] = pattern.ideal_wavefronts;
    return add_counts(site, counts);
  }
  constexpr std::size_t of_shared = kInShared * sizeof(std::uint64_t);
  add_to(site, offsetof(SiteStatistics, requests) + of_shared, b_.k64(1));
  add_to(site, offsetof(SiteStatistics, lanes) + of_shared, region_->count);
  add_to(site, offsetof(SiteStatistics, wavefronts), b_.k64(pattern.wavefronts));
  add_to(site, offsetof(SiteStatistics, ideal_wavefronts), b_.k64(pattern.ideal_wavefronts));
}

void Emitter::store_inline(const Operation& o, Value host, Value x) {
  if (!region_) return b_.store(x, host, o.width);
  store_some(x, o.width == 8, host, o.width, o.shared);
}

/// Lanes of the region. `own`: no other thread sees what lies between them. Four vpmaskmovd to memory, which are a
/// register without AVX-512, were a fourth of `neighbored`'s samples on a Zen 3 (tests/bench/where_cycles_go.md).
void Emitter::store_some(Value x, bool wide, Value host, unsigned alignment, bool own) {
  const Type type = b_.lanes(wide);
  if (has_masks_) {
    intrinsic(wide ? "llvm.masked.store.v32i64.p0" : "llvm.masked.store.v32i32.p0",
              b_.llvm.VoidTypeInContext(b_.context), {x, host, b_.k32(alignment), bits_of(region_->mask)},
              {type, b_.pointer(), b_.integer(32), b_.llvm.VectorType(b_.integer(1), kLanes)});
    return;
  }
  if (own) return b_.store(b_.choose_lanes(bits_of(region_->mask), x, b_.load(type, host, alignment)), host, alignment);
  const std::uint64_t bytes = wide ? 8 : 4;
  const Value words = temporary(type);
  b_.store(x, words, sizeof(Slot));
  const Block before = b_.here(), next = fresh("next_lane"), all = fresh("lanes_stored");
  b_.go_if(b_.compare(kEqual, region_->mask, b_.k32(0)), all, next);
  b_.begin(next);
  const Value left = b_.phi(b_.integer(32), {region_->mask}, {before});
  const Value lane = intrinsic("llvm.cttz.i32", b_.integer(32), {left, b_.llvm.ConstInt(b_.integer(1), 1, 0)},
                               {b_.integer(32), b_.integer(1)});
  const Value at = b_.op(kMul, b_.cast(kZExt, lane, b_.integer(64)), b_.k64(bytes));
  b_.store(b_.load(b_.word(wide), b_.at(words, at)), b_.at(host, at));
  const Value rest = b_.both(left, b_.sub(left, b_.k32(1)));
  b_.add_to_phi(left, rest, b_.here());
  b_.go_if(b_.compare(kEqual, rest, b_.k32(0)), all, next);
  b_.begin(all);
}

/// Lanes of a region side by side, where nothing is known of their addresses: the address that lane 0 would have, and
/// whether they are.
Value Emitter::side_by_side(const Operation& o, Value& are) {
  const bool wide = !(o.op->mods & kAddress32);
  Lanes steps{};
  for (std::size_t i = 0; i < kLanes; ++i) steps[i] = static_cast<std::int64_t>(i * o.width);
  const Value starts = b_.sub(vector(o.address), b_.vector_of(wide, steps));
  const Value lane = intrinsic("llvm.cttz.i32", b_.integer(32), {region_->mask, b_.llvm.ConstInt(b_.integer(1), 0, 0)},
                               {b_.integer(32), b_.integer(1)});
  const Value start = b_.element(starts, lane);
  const Value apart = b_.cast(kBitCast, b_.compare(kNotEqual, starts, b_.splat(start, wide)), b_.integer(32));
  are = b_.compare(kEqual, b_.both(apart, region_->mask), b_.k32(0));
  return start;
}

void Emitter::emit_by_handler(const Operation& o, bool in_full) {
  call_handlers_of(o, in_full);
  for (const Variable v : o.in) now_[v].dirty = false;
  for (const Variable v : o.out) {
    now_[v] = {State::Kind::vector, false, 0};
    load_home(v);
  }
}

/// Several values of each lane of a whole warp, where the lanes lie side by side: what is in memory is taken apart, or
/// put together. Or where all lanes load the same.
void Emitter::emit_several(const Operation& o) {
  inlined_.push_back(o.op->site);
  if (flow_.is_one_for_all(o, now_)) {
    const Place place = place_of(o, address_of(o, scalar(o.address)), 0, o.width);
    return emit_where(
        o, place.good,
        [&] {
          const std::vector<Value> loaded = words_of(o, place.host);
          if (o.counted) count_inline(o, Lanes{}, place, o.width);
          return loaded;
        },
        true);
  }
  Value start = nullptr, are = nullptr;
  if (flow_.is_inline(o, now_)) {
    start = scalar(o.address);
  } else {
    Lanes steps{};
    for (std::size_t i = 0; i < kLanes; ++i) steps[i] = static_cast<std::int64_t>(i * o.width);
    const Value starts = b_.sub(vector(o.address), b_.vector_of(true, steps));
    start = b_.element(starts, b_.k32(0));
    const Value apart = b_.cast(kBitCast, b_.compare(kNotEqual, starts, b_.splat(start, true)), b_.integer(32));
    are = b_.compare(kEqual, apart, b_.k32(0));
  }
  const std::uint64_t span = std::uint64_t{o.width} * kLanes;
  const Place place = place_of(o, address_of(o, start), 0, span);
  emit_where(o, are ? b_.both(are, place.good) : place.good, [&] {
    const std::vector<Value> loaded = access_several(o, place.host);
    if (o.counted) count_inline(o, Lanes{}, place, span);
    return loaded;
  });
}

/// The same for all lanes.
std::vector<Value> Emitter::words_of(const Operation& o, Value host) {
  std::vector<Value> words;
  const std::uint32_t width = o.width / o.values;
  for (std::uint32_t k = 0; k < o.values; ++k)
    words.push_back(b_.load(b_.word(width == 8), b_.at(host, std::uint64_t{k} * width), width));
  return words;
}

std::vector<Value> Emitter::access_several(const Operation& o, Value host) {
  std::vector<Value> loaded;
  const bool wide = o.width / o.values == 8;
  if (o.load) {
    const Value all = b_.load(b_.lanes(wide, o.values * kLanes), host, o.width);
    for (std::uint32_t k = 0; k < o.values; ++k) {
      std::vector<std::uint32_t> of_value(kLanes);
      for (std::uint32_t i = 0; i < kLanes; ++i) of_value[i] = i * o.values + k;
      loaded.push_back(b_.shuffled(all, of_value));
    }
  } else {
    std::vector<Value> parts;
    for (std::uint32_t k = 0; k < o.values; ++k) parts.push_back(vector(o.in[1 + k]));
    for (unsigned lanes = kLanes; parts.size() > 1; lanes *= 2) {
      for (std::size_t k = 0; k < parts.size() / 2; ++k) parts[k] = b_.behind(parts[2 * k], parts[2 * k + 1], lanes);
      parts.resize(parts.size() / 2);
    }
    std::vector<std::uint32_t> order(std::size_t{o.values} * kLanes);
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i % o.values * kLanes + i / o.values;
    b_.store(b_.shuffled(parts[0], order), host, o.width);
  }
  return loaded;
}

void Emitter::emit_access(std::uint32_t block, std::size_t k) {
  const Operation& o = all_.blocks[block][k];
  if (o.local) return emit_local(o);
  const std::uint32_t leader = all_.program.sites[o.op->site].leader;
  const bool led_inline = std::ranges::find(inlined_, leader) != inlined_.end();
  if (region_)
    for (const Variable v : o.out) remember(v);
  const bool known = is_inline(o);
  if (known && o.shared && !region_) return emit_checked(block, k);
  if (o.values != 1 && !region_ && (known || flow_.may_be_inline(o, now_))) return emit_several(o);
  if (!known && !region_ && flow_.may_be_inline(o, now_)) return emit_rows(o);
  if (o.values != 1 || (!known && !flow_.may_be_inline(o, now_))) return emit_by_handler(o, led_inline || region_);
  inlined_.push_back(o.op->site);
  Lanes lanes{};
  Value are = nullptr, start = nullptr;
  if (known) {
    lanes = flow_.lanes(now_[o.address].lanes);
    start = scalar(o.address);
  } else {
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<std::int64_t>(i * o.width);
    start = side_by_side(o, are);
  }
  const auto [least, most] = std::ranges::minmax(lanes);
  const std::uint64_t span = static_cast<std::uint64_t>(most - least) + o.width;
  const Place place =
      known ? place_again(o, address_of(o, start), least, span) : place_of(o, address_of(o, start), least, span);
  const Value stored = o.load ? nullptr : vector(o.data);
  const Block quick = fresh("inline"), slow = fresh("in_full"), done = fresh("accessed");
  b_.go_if(are ? b_.both(place.good, are) : place.good, quick, slow);
  States behind = now_;
  flow_.pass(o, behind);
  const bool one_place = o.load && behind[o.data].kind == State::Kind::affine, uniform = one_place && !region_;
  if (o.load && !uniform) behind[o.data] = {State::Kind::vector, true, 0};

  b_.begin(slow);
  call_handlers_of(o, true);
  Value slow_value = nullptr;
  if (o.load)
    slow_value =
        uniform ? b_.load(word_of(o.data), home(o.data)) : b_.load(vector_type(o.data), home(o.data), sizeof(Slot));
  const Block slow_end = b_.here();
  b_.go(done);

  b_.begin(quick);
  Value quick_value = o.load ? load_inline(o, lanes, place.host, least) : nullptr;
  if (one_place && region_) quick_value = b_.splat(quick_value, o.width == 8);
  if (!o.load) store_inline(o, place.host, stored);
  if (o.counted) count_inline(o, lanes, place, span);
  const Block quick_end = b_.here();
  b_.go(done);

  b_.begin(done);
  now_ = behind;
  if (o.load)
    set(o.data,
        b_.phi(uniform ? word_of(o.data) : vector_type(o.data), {slow_value, quick_value}, {slow_end, quick_end}),
        behind[o.data]);
}

}  // namespace gpulab::simt::compiled
