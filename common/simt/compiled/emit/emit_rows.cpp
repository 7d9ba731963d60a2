// Loads and stores of a whole warp of whose addresses nothing is known, where its lanes turn out to lie in rows, as
// those of a block of 16 or 8 threads a row do: of each the lanes side by side, and none before the row above.

#include "common/simt/compiled/emit/emit.h"
#include "common/simt/counting/access.h"
#include "common/simt/machine/memory/memory.h"

namespace gpulab::simt::compiled {

/// The address that each row's first lane has in its register, and whether all lanes lie so.
std::vector<Value> Emitter::rows_of(const Operation& o, Value& are) {
  const std::uint32_t length = flow_.lanes_of_row();
  Lanes steps{};
  std::vector<std::uint32_t> first(kLanes);
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    steps[i] = i % length * o.width;
    first[i] = i / length * length;
  }
  const Value all = b_.sub(vector(o.address), b_.vector_of(true, steps));
  const Value apart = b_.cast(kBitCast, b_.compare(kNotEqual, all, b_.shuffled(all, first)), b_.integer(32));
  are = b_.compare(kEqual, apart, b_.k32(0));
  std::vector<Value> starts;
  for (std::uint32_t lane = 0; lane < kLanes; lane += length) {
    starts.push_back(b_.element(all, b_.k32(lane)));
    if (lane == 0) continue;
    // Lanes 2 GiB apart have no pattern. (As unsigned numbers: a row before the one above is far away.)
    const Value distance = b_.sub(starts.back(), starts[starts.size() - 2]);
    are = b_.both(are, b_.compare(kUnsignedLessEqual, distance, b_.k64(std::uint64_t{1} << 29)));
  }
  return starts;
}

/// Of each row; the first and the last say whether all are in one allocation.
std::vector<Emitter::Place> Emitter::places_of(const Operation& o, const std::vector<Value>& starts, Value& good) {
  const std::uint64_t span = std::uint64_t{o.width} * flow_.lanes_of_row();
  std::vector<Place> rows(starts.size());
  rows.front() = place_of(o, address_of(o, starts.front()), 0, span);
  rows.back() = place_of(o, address_of(o, starts.back()), 0, span);
  good = b_.both(rows.front().good, rows.back().good);
  for (std::size_t k = 1; k + 1 < rows.size(); ++k) {
    const Value behind = b_.sub(starts[k], starts.front());
    rows[k].low = b_.add(rows.front().low, behind);
    rows[k].host = b_.at(rows.front().host, behind);
    rows[k].allocation = rows.front().allocation;
    good = b_.both(good, b_.compare(kEqual, b_.both(behind, b_.k64(o.width - 1)), b_.k64(0)));
  }
  return rows;
}

Value Emitter::load_in_rows(const Operation& o, const std::vector<Place>& rows) {
  std::vector<Value> parts;
  unsigned length = flow_.lanes_of_row();
  for (const Place& row : rows) parts.push_back(b_.load(b_.lanes(o.width == 8, length), row.host, o.width));
  for (; parts.size() > 1; length *= 2) {
    for (std::size_t k = 0; k < parts.size() / 2; ++k) parts[k] = b_.behind(parts[2 * k], parts[2 * k + 1], length);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

/// Each row may share sectors and bytes with the one above, which begins and ends no later.
void Emitter::count_in_rows(const Operation& o, const std::vector<Place>& rows) {
  const auto more = [&](Value x, Value y) { return b_.choose_lanes(b_.compare(kUnsignedLess, x, y), y, x); };
  const Value span = b_.k64(std::uint64_t{o.width} * flow_.lanes_of_row());
  Value sectors = b_.k64(0), bytes = sectors, sectors_end = sectors, end = sectors;  // behind the row above
  for (const Place& row : rows) {
    const Value bits = sectors_of(o, row, std::uint64_t{o.width} * flow_.lanes_of_row());
    const Value count = intrinsic("llvm.ctpop.i64", b_.integer(64), {bits}, {b_.integer(64)});
    const Value first = b_.op(kLShr, row.low, b_.k64(5)), behind = b_.add(first, count);
    sectors = b_.add(sectors, b_.sub(behind, more(first, sectors_end)));
    const Value row_end = b_.add(row.low, span);
    bytes = b_.add(bytes, b_.sub(row_end, more(row.low, end)));
    sectors_end = behind;
    end = row_end;
    mark_sectors(!o.load, row, bits);
  }
  const std::uint32_t site = o.op->site;
  add_to(site, offsetof(SiteStatistics, requests), b_.k64(1));
  add_to(site, offsetof(SiteStatistics, lanes), b_.k64(kLanes));
  add_to(site, offsetof(SiteStatistics, sectors), sectors);
  add_to(site, offsetof(SiteStatistics, distinct_bytes), bytes);
}

void Emitter::emit_rows(const Operation& o) {
  inlined_.push_back(o.op->site);
  Value are = nullptr, good = nullptr;
  const std::vector<Value> starts = rows_of(o, are);
  const std::vector<Place> rows = places_of(o, starts, good);
  const std::uint64_t span = std::uint64_t{o.width} * flow_.lanes_of_row();
  const Value stored = o.load ? nullptr : vector(o.data);
  emit_where(o, b_.both(are, good), [&] {
    std::vector<Value> loaded;
    if (o.load) loaded.push_back(load_in_rows(o, rows));
    for (std::size_t k = 0; k < rows.size() && !o.load; ++k) {
      std::vector<std::uint32_t> lanes(flow_.lanes_of_row());
      for (std::uint32_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<std::uint32_t>(k * lanes.size()) + i;
      b_.store(b_.shuffled(stored, lanes), rows[k].host, o.width);
    }
    if (!o.counted) return loaded;
    const Block as_one = fresh("as_one"), apart = fresh("apart"), counted = fresh("counted_all");
    Value closed_up = nullptr;
    for (std::size_t k = 1; k < starts.size(); ++k) {
      const Value follows = b_.compare(kEqual, b_.add(starts[k - 1], b_.k64(span)), starts[k]);
      closed_up = closed_up ? b_.both(closed_up, follows) : follows;
    }
    b_.go_if(closed_up, as_one, apart);
    b_.begin(as_one);
    Lanes steps{};
    count_inline(o, steps, rows.front(), rows.size() * span);
    b_.go(counted);
    b_.begin(apart);
    count_in_rows(o, rows);
    b_.go(counted);
    b_.begin(counted);
    return loaded;
  });
}

}  // namespace gpulab::simt::compiled
