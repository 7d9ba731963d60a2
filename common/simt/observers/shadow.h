#pragma once
// What the tools remember of memory: per byte whether it was ever written, per granule who accessed it last.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "common/simt/observers/history.h"

namespace gpulab::simt {

/// The last write of a granule. A zero clock: none.
struct WriteCell {
  std::uint32_t thread = 0;  ///< of the grid
  Clock clock = 0;
  std::uint32_t site = 0;
};

/// Accesses by lanes of one warp, at one instruction and with one clock. A zero clock: none.
struct GroupCell {
  std::uint32_t warp = 0;  ///< of the grid
  std::uint32_t lanes = 0;
  Clock clock = 0;
  std::uint32_t site = 0;
};

/// Atomics do not race with each other: a granule's last plain write, and the atomics since that no order separates.
struct Writers {
  WriteCell plain;
  std::vector<GroupCell> atomics;
};

/// Lists that stand in the place of a cell, by number.
template <typename List>
class Lists {
 public:
  List& operator[](std::uint32_t index) { return lists_[index]; }
  std::uint32_t add(List list) {
    if (free_.empty()) {
      lists_.push_back(std::move(list));
      return static_cast<std::uint32_t>(lists_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    lists_[index] = std::move(list);
    return index;
  }
  void remove(std::uint32_t index) {
    lists_[index] = {};
    free_.push_back(index);
  }
  void clear() {
    lists_.clear();
    free_.clear();
  }

 private:
  std::vector<List> lists_;
  std::vector<std::uint32_t> free_;
};

/// 32 granules in a row that whole warps have accessed, lane i the i-th: two readers and a writer stand for 32 of each.
/// Most memory of most kernels is used like that, and what is remembered of it is a third of its size instead of eleven
/// times. Where one granule fares differently the row is spread out: each has cells of its own.
struct ShadowRow {
  struct Reader {
    std::uint32_t warp = 0;  ///< of the grid
    Clock clock = 0;         ///< 0: none
    std::uint32_t site = 0;
  };
  std::uint32_t thread = 0;  ///< that wrote the first granule; the others are the next ones'
  Clock clock = 0;           ///< 0: nobody has written
  std::uint32_t site = 0;
  Reader readers[2]{};
  bool spread_out = false;  ///< the cells hold, nothing else here
};

/// Of one stretch of memory: a granule is as wide as the narrowest access so far (1, 2 or 4 bytes), so that neighbours
/// in one word are told apart. One writer and two readers lie beside the granule; where no order separates more, a list
/// stands in the place of the writer, or of the last reader. Pages that nobody touches cost nothing.
class RaceShadow {
 public:
  explicit RaceShadow(std::uint64_t bytes) : bytes_(bytes) { allocate(); }

  /// The row that begins with this cell, a multiple of 32. Whoever sets `spread_out` back has replaced all cells, and
  /// none of them was a list.
  [[nodiscard]] ShadowRow& row(std::uint64_t cell) { return rows_.get()[cell / kLanes]; }

  /// Makes granules no wider than `bytes`.
  void refine(std::uint32_t bytes) {
    while (granule_ > bytes) halve();
  }
  [[nodiscard]] std::uint32_t granule() const { return granule_; }
  /// Gives the granules of this one's row cells of their own.
  void spread_out(std::uint64_t cell) {
    if (!row(cell).spread_out) [[unlikely]]
      fill_cells(cell / kLanes * kLanes);
  }
  [[nodiscard]] WriteCell& written(std::uint64_t cell) {
    spread_out(cell);
    return written_.get()[cell];
  }
  [[nodiscard]] GroupCell& first_reader(std::uint64_t cell) {
    spread_out(cell);
    return first_.get()[cell];
  }
  [[nodiscard]] GroupCell& last_reader(std::uint64_t cell) {
    spread_out(cell);
    return last_.get()[cell];
  }
  /// Adds one to the readers of a granule.
  void add_reader(std::uint64_t cell, const GroupCell& now) {
    GroupCell& first = first_reader(cell);
    GroupCell& last = last_reader(cell);
    if (first.clock == 0) {
      first = now;
    } else if (last.clock == 0) {
      last = now;
    } else if (is_list(last)) {
      readers_[last.site].push_back(now);
    } else {
      last = {kMany, 0, kMany, readers_.add({last, now})};
    }
  }
  /// Forgets the readers of a granule for which `f(GroupCell&)` holds.
  template <typename F>
  void erase_readers_if(std::uint64_t cell, F f) {
    GroupCell& first = first_reader(cell);
    GroupCell& last = last_reader(cell);
    if (first.clock && f(first)) first = {};
    if (is_list(last)) {
      std::erase_if(readers_[last.site], f);
      if (!readers_[last.site].empty()) return;
      readers_.remove(last.site);
      last = {};
    } else if (last.clock && f(last)) {
      last = {};
    }
  }
  /// The writers of a granule where there are several, else nullptr: then `written` is the one.
  [[nodiscard]] Writers* writers(std::uint64_t cell) {
    return is_list(written(cell)) ? &writers_[written(cell).site] : nullptr;
  }
  void make_list(std::uint64_t cell, Writers writers) {
    written(cell) = {kMany, kMany, writers_.add(std::move(writers))};
  }
  /// Makes `now` the only writer of a granule.
  void write(std::uint64_t cell, const WriteCell& now) {
    if (is_list(written(cell))) writers_.remove(written(cell).site);
    written(cell) = now;
  }
  void clear() {
    readers_.clear();
    writers_.clear();
    std::fill_n(rows_.get(), rows_for(used_), ShadowRow{});  // what cells hold counts no more
    used_ = 0;
  }
  /// Cells below this one may have been touched.
  void touch(std::uint64_t end) { used_ = std::max(used_, end); }

  /// Whether a list stands in the place of this cell.
  template <typename Cell>
  [[nodiscard]] static bool is_list(const Cell& cell) {
    return cell.clock == kMany;
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  template <typename Cell>
  using Cells = std::unique_ptr<Cell, Free>;
  template <typename Cell>
  static Cells<Cell> checked(void* memory) {
    Cells<Cell> cells(static_cast<Cell*>(memory));
    if (!cells) throw std::bad_alloc();
    return cells;
  }
  static constexpr std::uint64_t rows_for(std::uint64_t cells) { return (cells + kLanes - 1) / kLanes; }
  /// A list is of no thread and no warp, and newer than every barrier: nobody who looks at the cell alone takes it for
  /// an access that is over.
  static constexpr std::uint32_t kMany = UINT32_MAX;
  [[nodiscard]] std::uint64_t count() const { return (bytes_ + granule_ - 1) / granule_; }
  void allocate() {
    const std::uint64_t rows = rows_for(count()) + 1;  // of narrower granules there may be one too many
    const auto cells = [&]<typename Cell>(Cells<Cell>& all) {
      all = checked<Cell>(std::malloc(rows * kLanes * sizeof(Cell)));
    };
    rows_ = checked<ShadowRow>(std::calloc(rows, sizeof(ShadowRow)));
    cells(written_);
    cells(first_);
    cells(last_);
  }
  [[gnu::noinline]] void fill_cells(std::uint64_t begin) {
    ShadowRow& row = rows_.get()[begin / kLanes];
    row.spread_out = true;
    touch(begin + kLanes);
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const auto reader = [&](const ShadowRow::Reader& r) {
        return r.clock ? GroupCell{r.warp, 1u << i, r.clock, r.site} : GroupCell{};
      };
      written_.get()[begin + i] = row.clock ? WriteCell{row.thread + i, row.clock, row.site} : WriteCell{};
      first_.get()[begin + i] = reader(row.readers[0]);
      last_.get()[begin + i] = reader(row.readers[1]);
    }
  }
  void halve() {
    const std::uint64_t used = std::min(used_, count());
    for (std::uint64_t cell = 0; cell < used; cell += kLanes) spread_out(cell);
    const auto written = std::move(written_);
    const auto first = std::move(first_);
    const auto last = std::move(last_);
    granule_ /= 2;
    used_ = 0;
    allocate();
    for (std::uint64_t i = 0; i < used; ++i)
      for (std::uint64_t k = 2 * i; k < 2 * i + 2; ++k) {
        spread_out(k);
        const WriteCell& writer = written.get()[i];
        written_.get()[k] = writer;
        if (k % 2 && is_list(writer)) written_.get()[k].site = writers_.add(Writers(writers_[writer.site]));
        first_.get()[k] = first.get()[i];
        const GroupCell& reader = last.get()[i];
        last_.get()[k] = reader;
        if (k % 2 && is_list(reader)) last_.get()[k].site = readers_.add(std::vector(readers_[reader.site]));
      }
  }

  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
  std::uint32_t granule_ = 4;
  Cells<ShadowRow> rows_;
  Cells<WriteCell> written_;
  Cells<GroupCell> first_, last_;
  Lists<std::vector<GroupCell>> readers_;
  Lists<Writers> writers_;
};

/// One bit per byte: it holds a value. Of bytes that do not, a few may be known in part.
class InitShadow {
 public:
  explicit InitShadow(std::uint64_t bytes) : bits_((bytes + 127) / 64) {}
  /// Up to 16 bytes, within two words.
  [[nodiscard]] bool known(std::uint64_t at, std::uint32_t bytes) const {
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;
    return (window(at) & mask) == mask;
  }
  /// Those that do not: bit k is the byte at `at` + k.
  [[nodiscard]] std::uint32_t unknown(std::uint64_t at, std::uint32_t bytes) const {
    return static_cast<std::uint32_t>(~window(at) & ((std::uint64_t{1} << bytes) - 1));
  }
  [[nodiscard]] bool known_range(std::uint64_t at, std::uint64_t bytes) const {
    for (; bytes > 32; at += 32, bytes -= 32)
      if (!known(at, 32)) return false;
    return known(at, static_cast<std::uint32_t>(bytes));
  }
  /// Bits of up to 8 bytes that hold no value.
  [[nodiscard]] std::uint64_t unknown_bits(std::uint64_t at, std::uint32_t bytes) const {
    std::uint64_t bits = 0;
    for (std::uint32_t left = unknown(at, bytes); left; left &= left - 1) {
      const int k = std::countr_zero(left);
      const auto part = parts_.find(at + static_cast<std::uint64_t>(k));
      bits |= std::uint64_t{part == parts_.end() ? std::uint8_t{0xff} : part->second} << 8 * k;
    }
    return bits;
  }
  /// Whether some byte there is known in part.
  [[nodiscard]] bool in_parts(std::uint64_t at, std::uint32_t bytes) const {
    if (parts_.empty()) return false;
    std::uint32_t left = unknown(at, bytes);
    while (left && !parts_.contains(at + static_cast<std::uint64_t>(std::countr_zero(left)))) left &= left - 1;
    return left != 0;
  }
  /// Up to 8 bytes, of which `unknown` are the bits that hold no value.
  void set_bits(std::uint64_t at, std::uint32_t bytes, std::uint64_t unknown) {
    for (; bytes; ++at, --bytes, unknown >>= 8) {
      const auto part = static_cast<std::uint8_t>(unknown);
      set_one(at, part == 0);
      if (part == 0 || part == 0xff)
        parts_.erase(at);
      else
        parts_[at] = part;
    }
  }
  void set(std::uint64_t at, std::uint32_t bytes) {
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1, shift = at & 63;
    bits_[at >> 6] |= mask << shift;
    if (shift + bytes > 64) bits_[(at >> 6) + 1] |= mask >> (64 - shift);
  }
  void set_range(std::uint64_t at, std::uint64_t bytes, bool value) {
    if (!value) std::erase_if(parts_, [&](const auto& part) { return part.first - at < bytes; });
    for (; bytes && at & 63; ++at, --bytes) set_one(at, value);
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(at >> 6), bytes >> 6, value ? ~std::uint64_t{0} : 0);
    for (at += bytes & ~std::uint64_t{63}, bytes &= 63; bytes; ++at, --bytes) set_one(at, value);
  }

 private:
  [[nodiscard]] std::uint64_t window(std::uint64_t at) const {
    const std::uint64_t shift = at & 63;
    return shift ? bits_[at >> 6] >> shift | bits_[(at >> 6) + 1] << (64 - shift) : bits_[at >> 6];
  }
  void set_one(std::uint64_t at, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (at & 63);
    bits_[at >> 6] = value ? bits_[at >> 6] | bit : bits_[at >> 6] & ~bit;
  }
  std::vector<std::uint64_t> bits_;
  /// By byte: the bits that hold no value, where some do. Of a byte that holds one, what stands here counts no more.
  std::unordered_map<std::uint64_t, std::uint8_t> parts_;
};

}  // namespace gpulab::simt
