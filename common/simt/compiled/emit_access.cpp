// Loads and stores whose addresses follow from lane 0's (emit.h): bounds, sectors and banks by arithmetic. They do and
// count what the handlers of isa/memory/memory.cpp do; where they are not sure, they call the handler.

#include <algorithm>

#include "common/simt/compiled/emit.h"
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
}  // namespace

/// Under a mask: what takes one wavefront whichever lanes there are.
bool Emitter::is_inline(const Operation& o) const {
  if (!flow_.is_inline(o, now_)) return false;
  return !region_ ||
         (o.shared && o.width == 4 && shared_pattern(o, flow_.lanes(now_[o.address].lanes)).wavefronts == 1);
}

void Emitter::add_to(std::uint32_t site, std::size_t offset, Value x) {
  const Value at = b_.at(sites_, sizeof(SiteStatistics) * std::uint64_t{site} + offset);
  b_.store(b_.add(b_.load(b_.integer(64), at), x), at);
}

/// Where lanes' bytes lie: from `lowest` behind lane 0's address, `span` of them.
Emitter::Place Emitter::place_of(const Operation& o, std::int64_t lowest, std::uint64_t span) {
  const Value offset = b_.k64(static_cast<std::uint64_t>(std::int64_t{o.op->imm}));
  const bool narrow = o.op->mods & kAddress32;
  const Value base =
      narrow ? b_.cast(kZExt, b_.add(scalar(o.address), b_.k32(static_cast<std::uint32_t>(o.op->imm))), b_.integer(64))
             : b_.add(scalar(o.address), offset);
  Place place{};
  place.low = b_.add(base, b_.k64(static_cast<std::uint64_t>(lowest)));
  const Value aligned = b_.compare(kEqual, b_.both(base, b_.k64(o.width - 1)), b_.k64(0));
  const auto within = [&](Value from, Value bytes) {
    const Value starts = b_.compare(kUnsignedLessEqual, from, bytes);
    return b_.both(aligned, b_.both(starts, b_.compare(kUnsignedLessEqual, b_.k64(span), b_.sub(bytes, from))));
  };
  if (o.shared) {
    place.good = within(place.low, b_.cast(kZExt, field(offsetof(Warp, shared_bytes), b_.integer(32)), b_.integer(64)));
    place.host = b_.at(field(offsetof(Warp, shared), b_.pointer()), place.low);
    return place;
  }
  const Value caches = field(offsetof(Warp, patterns), b_.pointer());
  place.allocation = b_.load(b_.pointer(), b_.at(caches, sizeof(PatternCache) * std::uint64_t{o.op->site} +
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

/// `host` is where the lowest lane's bytes lie.
Value Emitter::load_inline(const Operation& o, Value host, std::int64_t lowest) {
  const Lanes& lanes = flow_.lanes(now_[o.address].lanes);
  const bool wide = o.width == 8;
  if (is_uniform(lanes)) return b_.load(b_.word(wide), host, o.width);
  if (is_contiguous(lanes, o.width)) return b_.load(b_.lanes(wide), host, o.width);
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

/// Marks sectors in the worker's footprint of the allocation: 64 to a word, from that of the lowest lane on.
void Emitter::mark_sectors(bool store, const Place& place, Value sectors) {
  const Value start = b_.load(b_.integer(64), b_.at(place.allocation, offsetof(Allocation, address)));
  const Value first = b_.sub(b_.op(kLShr, place.low, b_.k64(5)), b_.op(kLShr, start, b_.k64(5)));
  const Value index =
      b_.cast(kZExt, b_.load(b_.integer(32), b_.at(place.allocation, offsetof(Allocation, index))), b_.integer(64));
  const Value table =
      b_.load(b_.pointer(), b_.at(field(offsetof(Warp, footprint), b_.pointer()), FootprintMap::kPlaces));
  const Value entry = b_.at(table, b_.op(kMul, index, b_.k64(sizeof(FootprintMap::Places))));
  const Value words = b_.load(b_.pointer(), b_.at(entry, store ? offsetof(FootprintMap::Places, stored)
                                                               : offsetof(FootprintMap::Places, loaded)));
  const Value bits = b_.sub(b_.op(kShl, b_.k64(1), sectors), b_.k64(1));
  const Value bit = b_.both(first, b_.k64(63));
  const Value word = b_.at(words, b_.op(kShl, b_.op(kLShr, first, b_.k64(6)), b_.k64(3)));
  b_.store(b_.op(kOr, b_.load(b_.integer(64), word), b_.op(kShl, bits, bit)), word);
  const Block more = fresh("next_word"), done = fresh("marked");
  b_.go_if(b_.compare(kUnsignedLessEqual, b_.add(bit, sectors), b_.k64(64)), done, more);
  b_.begin(more);
  const Value next = b_.at(word, 8);
  b_.store(b_.op(kOr, b_.load(b_.integer(64), next), b_.op(kLShr, bits, b_.sub(b_.k64(64), bit))), next);
  b_.go(done);
  b_.begin(done);
}

void Emitter::count_inline(const Operation& o, const Place& place, std::uint64_t span) {
  const Lanes& lanes = flow_.lanes(now_[o.address].lanes);
  const std::uint32_t site = o.op->site;
  const std::size_t space = o.shared ? 8 : 0;
  add_to(site, offsetof(SiteStatistics, requests) + space, b_.k64(1));
  add_to(site, offsetof(SiteStatistics, lanes) + space, region_ ? region_->count : b_.k64(kLanes));
  if (o.shared) {
    const Pattern pattern = shared_pattern(o, lanes);
    add_to(site, offsetof(SiteStatistics, wavefronts), b_.k64(pattern.wavefronts));
    add_to(site, offsetof(SiteStatistics, ideal_wavefronts), b_.k64(pattern.ideal_wavefronts));
    return;
  }
  // Aligned lanes side by side, or one place for all.
  const Value phase = b_.both(place.low, b_.k64(31));
  const Value sectors = b_.op(kLShr, b_.add(phase, b_.k64(span + 31)), b_.k64(5));
  add_to(site, offsetof(SiteStatistics, sectors), sectors);
  add_to(site, offsetof(SiteStatistics, distinct_bytes), b_.k64(span));
  mark_sectors(!o.load, place, sectors);
}

/// Other threads may write what lies between the lanes of a region.
void Emitter::store_inline(const Operation& o, Value host, Value x) {
  if (!region_) return b_.store(x, host, o.width);
  intrinsic("llvm.masked.store.v32i32.p0", b_.llvm.VoidTypeInContext(b_.context), {x, host, b_.k32(4), region_->bits},
            {b_.lanes(false), b_.pointer(), b_.integer(32), b_.llvm.VectorType(b_.integer(1), kLanes)});
}

void Emitter::emit_access(const Operation& o) {
  const std::uint32_t leader = all_.program.sites[o.op->site].leader;
  const bool led_inline = std::ranges::find(inlined_, leader) != inlined_.end();
  if (region_ && o.load) remember(o.data);
  if (!is_inline(o)) {
    call_handlers_of(o, led_inline || region_);
    for (const Variable v : o.in) now_[v].dirty = false;
    if (!o.load) return;
    now_[o.data] = {State::Kind::vector, false, 0};
    load_home(o.data);
    return;
  }
  inlined_.push_back(o.op->site);
  const Lanes lanes = flow_.lanes(now_[o.address].lanes);
  const auto [least, most] = std::ranges::minmax(lanes);
  const std::uint64_t span = static_cast<std::uint64_t>(most - least) + o.width;
  const Place place = place_of(o, least, span);
  const Value stored = o.load ? nullptr : vector(o.data);
  const Block quick = fresh("inline"), slow = fresh("in_full"), done = fresh("accessed");
  b_.go_if(place.good, quick, slow);
  States behind = now_;
  flow_.pass(o, behind);
  const bool one_place = o.load && behind[o.data].kind == State::Kind::affine, uniform = one_place && !region_;
  if (o.load && region_) behind[o.data] = {State::Kind::vector, true, 0};

  b_.begin(slow);
  call_handlers_of(o, true);
  Value slow_value = nullptr;
  if (o.load)
    slow_value =
        uniform ? b_.load(word_of(o.data), home(o.data)) : b_.load(vector_type(o.data), home(o.data), sizeof(Slot));
  const Block slow_end = b_.here();
  b_.go(done);

  b_.begin(quick);
  Value quick_value = o.load ? load_inline(o, place.host, least) : nullptr;
  if (one_place && region_) quick_value = b_.splat(quick_value, o.width == 8);
  if (!o.load) store_inline(o, place.host, stored);
  if (o.counted) count_inline(o, place, span);
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
