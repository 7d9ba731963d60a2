// Loads and stores of local memory (emit.h), where a word of every lane is a row: code where all lanes are at the same
// place of theirs, which are whole rows then. They do and count what the handlers of isa/memory/memory.cpp do; where
// lanes are apart, misaligned or outside, the handler is called.

#include "common/simt/compiled/emit/emit.h"
#include "common/simt/machine/memory/local_memory.h"

namespace gpulab::simt::compiled {

namespace {
constexpr unsigned kRowAlignment = 64;
constexpr std::uint32_t kLanesInSector = 8;
}  // namespace

/// The address of the first lane that runs; `are`: whether all have it, nullptr where that is known.
Value Emitter::one_place(const Operation& o, Value& are) {
  are = nullptr;
  if (flow_.is_inline(o, now_)) return scalar(o.address);
  const bool wide = is_wide(o.address);
  const Value all = vector(o.address);
  Value first = b_.k32(0);
  if (region_)
    first = intrinsic("llvm.cttz.i32", b_.integer(32), {region_->mask, b_.llvm.ConstInt(b_.integer(1), 0, 0)},
                      {b_.integer(32), b_.integer(1)});
  const Value start = b_.element(all, first);
  Value apart = b_.cast(kBitCast, b_.compare(kNotEqual, all, b_.splat(start, wide)), b_.integer(32));
  if (region_) apart = b_.both(apart, region_->mask);
  are = b_.compare(kEqual, apart, b_.k32(0));
  return start;
}

/// A wide value's upper words are the row behind that of the lower ones.
Value Emitter::load_rows(Variable v, Value rows) {
  const Value low = b_.load(b_.lanes(false), rows, kRowAlignment);
  if (!is_wide(v)) return low;
  const Value high = b_.load(b_.lanes(false), b_.at(rows, kLocalRow), kRowAlignment);
  const Type wide = b_.lanes(true);
  return b_.op(kOr, b_.cast(kZExt, low, wide), b_.op(kShl, b_.cast(kZExt, high, wide), b_.splat(b_.k64(32), true)));
}

/// Words of lanes that do not run stay.
void Emitter::store_rows(Variable v, Value rows) {
  const auto store_row = [&](Value row, Value to) {
    if (!region_) return b_.store(row, to, kRowAlignment);
    store_some(row, false, to, kRowAlignment, true);
  };
  const Value x = vector(v);
  if (!is_wide(v)) return store_row(x, rows);
  store_row(b_.cast(kTrunc, x, b_.lanes(false)), rows);
  store_row(b_.cast(kTrunc, b_.op(kLShr, x, b_.splat(b_.k64(32), true)), b_.lanes(false)), b_.at(rows, kLocalRow));
}

/// Eight lanes' words are a sector.
void Emitter::count_rows(const Operation& o) {
  Value groups = b_.k64(kLanes / kLanesInSector);
  if (region_) {
    Value any = region_->mask;
    for (std::uint32_t by = kLanesInSector / 2; by > 0; by /= 2) any = b_.op(kOr, any, b_.op(kLShr, any, b_.k32(by)));
    any = b_.both(any, b_.k32(0x01010101));
    groups = b_.cast(kZExt, intrinsic("llvm.ctpop.i32", b_.integer(32), {any}, {b_.integer(32)}), b_.integer(64));
  }
  add_to(o.op->site, offsetof(SiteStatistics, local_sectors), b_.op(kMul, groups, b_.k64(o.width / 4)));
}

void Emitter::emit_local(const Operation& o) {
  if (region_)
    for (const Variable v : o.out) remember(v);
  Value are = nullptr;
  const Value at = address_of(o, one_place(o, are));
  const Value bytes = b_.cast(kZExt, field(offsetof(Warp, local_bytes), b_.integer(32)), b_.integer(64));
  Value good = b_.both(b_.compare(kEqual, b_.both(at, b_.k64(o.width - 1)), b_.k64(0)),
                       b_.both(b_.compare(kUnsignedLessEqual, at, bytes),
                               b_.compare(kUnsignedLessEqual, b_.k64(o.width), b_.sub(bytes, at))));
  if (are) good = b_.both(good, are);
  emit_where(o, good, [&] { return access_rows(o, at); });
}

std::vector<Value> Emitter::access_rows(const Operation& o, Value at) {
  const Value local = field(offsetof(Warp, local), b_.pointer());
  const Value rows = b_.at(local, b_.op(kMul, b_.op(kLShr, at, b_.k64(2)), b_.k64(kLocalRow)));
  const auto& values = o.load ? o.out : o.in;
  const std::size_t first = o.load ? 0 : 1;  // behind the address
  std::vector<Value> loaded;
  const std::size_t each = o.width / 4 / (values.size() - first) * kLocalRow;
  for (std::size_t k = first; k < values.size(); ++k) {
    const Value from = b_.at(rows, (k - first) * each);
    if (o.load)
      loaded.push_back(load_rows(values[k], from));
    else
      store_rows(values[k], from);
  }
  if (o.counted) count_rows(o);
  return loaded;
}

}  // namespace gpulab::simt::compiled
