#pragma once
// What racecheck remembers of memory: per granule who accessed it last. It takes memory of its own where a kernel
// accesses some, a page at a time (init_shadow.h: what initcheck remembers).

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/simt/observers/history.h"
#include "common/simt/observers/shadows/shadow_memory.h"

namespace gpulab::simt {

/// The last write of a granule. A zero clock: none.
struct WriteCell {
  std::uint32_t thread = 0;  ///< of the grid
  Clock clock = 0;
  std::uint32_t site = 0;
};

/// In the site of one of those that stand as readers: it stored the value that was there already. Such a store races
/// with reads, and with stores of other values, but with none of its kind.
constexpr std::uint32_t kSilentStore = std::uint32_t{1} << 31;

/// Accesses by lanes of one warp, at one instruction and with one clock. A zero clock: none.
struct GroupCell {
  std::uint32_t warp = 0;  ///< of the grid
  std::uint32_t lanes = 0;
  Clock clock = 0;
  std::uint32_t site = 0;  ///< of a reader, maybe with kSilentStore
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
    std::uint32_t site = 0;  ///< maybe with kSilentStore
  };
  std::uint32_t thread = 0;  ///< that wrote the first granule; the others are the next ones'
  Clock clock = 0;           ///< 0: nobody has written
  std::uint32_t site = 0;
  Reader readers[2]{};
  bool spread_out = false;  ///< the cells hold, nothing else here
};

/// Of one stretch of memory: a granule is as wide as the narrowest access so far (1, 2 or 4 bytes), so that neighbours
/// in one word are told apart. One writer and two readers lie beside the granule; where no order separates more, a list
/// stands in the place of the writer, or of the last reader. Pages of 2048 granules that nobody touches take a pointer.
/// Whatever may touch one throws std::bad_alloc where there is no memory for it.
class RaceShadow {
 public:
  static constexpr std::uint64_t kPageCells = 2048;

  explicit RaceShadow(std::uint64_t bytes) : bytes_(bytes), pages_(pages_for(count())) {}

  /// The row that begins with this cell, a multiple of 32. Whoever sets `spread_out` back has replaced all cells, and
  /// none of them was a list.
  [[nodiscard]] ShadowRow& row(std::uint64_t cell) { return page(cell).rows[cell % kPageCells / kLanes]; }

  /// Makes granules no wider than `bytes`.
  void refine(std::uint32_t bytes) {
    while (granule_ > bytes) halve();
  }
  [[nodiscard]] std::uint32_t granule() const { return granule_; }
  /// Where the granule's writer and readers lie, and behind them those of the next ones of its page: a row that whole
  /// warps have accessed is spread out.
  struct Cells {
    WriteCell* written;
    GroupCell *first, *last;  ///< readers
  };
  [[gnu::always_inline, nodiscard]] Cells cells(std::uint64_t cell) {
    Page& own = page(cell);
    const std::uint64_t at = cell % kPageCells;
    if (!own.rows[at / kLanes].spread_out) [[unlikely]]
      spread_row_out(own, cell / kLanes * kLanes);
    return {own.cells->written + at, own.cells->first + at, own.cells->last + at};
  }
  [[nodiscard]] WriteCell& written(std::uint64_t cell) { return *cells(cell).written; }
  [[nodiscard]] GroupCell& first_reader(std::uint64_t cell) { return *cells(cell).first; }
  [[nodiscard]] GroupCell& last_reader(std::uint64_t cell) { return *cells(cell).last; }
  /// Whether stores of what was there are among the readers somewhere.
  [[nodiscard]] bool has_silent_stores() const { return silent_stores_; }
  void note_silent_store() { silent_stores_ = true; }
  /// f(const GroupCell&) of all readers of a granule.
  template <typename F>
  void for_each_reader(std::uint64_t cell, F f) {
    const Cells at = cells(cell);
    if (at.first->clock) f(*at.first);
    if (is_list(*at.last))
      for (const GroupCell& reader : readers_[at.last->site]) f(reader);
    else if (at.last->clock)
      f(*at.last);
  }
  /// Adds one to the readers of a granule.
  void add_reader(std::uint64_t cell, const GroupCell& now) {
    const Cells at = cells(cell);
    GroupCell &first = *at.first, &last = *at.last;
    if (first.clock == 0) {
      first = now;
    } else if (last.clock == 0) {
      last = now;
    } else if (is_list(last)) {
      readers_[last.site].push_back(now);
      last.lanes = std::max(last.lanes, now.clock);
    } else {
      last = {kMany, std::max(last.clock, now.clock), kMany, readers_.add({last, now})};
    }
  }
  /// Of a list of readers: no clock there is newer.
  [[nodiscard]] static Clock newest_of(const GroupCell& list) { return list.lanes; }
  void drop_list(GroupCell& list) {
    readers_.remove(list.site);
    list = {};
  }
  /// Forgets the readers of a granule for which `f(GroupCell&)` holds.
  template <typename F>
  void erase_readers_if(std::uint64_t cell, const F& f) {
    const Cells at = cells(cell);
    GroupCell &first = *at.first, &last = *at.last;
    if (first.clock && f(first)) first = {};
    if (is_list(last)) {
      std::erase_if(readers_[last.site], std::cref(f));
      if (readers_[last.site].empty()) drop_list(last);
    } else if (last.clock && f(last)) {
      last = {};
    }
  }
  /// The writers of a granule where there are several, else nullptr: then `written` is the one.
  [[nodiscard]] Writers* writers(std::uint64_t cell) { return writers(written(cell)); }
  /// The same of a cell that `cells` has found.
  [[nodiscard]] Writers* writers(const WriteCell& written) {
    return is_list(written) ? &writers_[written.site] : nullptr;
  }
  void make_list(std::uint64_t cell, Writers writers) {
    written(cell) = {kMany, kMany, writers_.add(std::move(writers))};
  }
  /// Makes `now` the only writer of a granule.
  void write(std::uint64_t cell, const WriteCell& now) {
    if (is_list(written(cell))) writers_.remove(written(cell).site);
    written(cell) = now;
  }
  void clear();
  /// Bytes that its pages take.
  [[nodiscard]] std::uint64_t memory() const;
  /// Cells below this one may have been touched.
  [[nodiscard]] std::uint64_t used() const { return used_; }
  void touch(std::uint64_t end) { used_ = std::max(used_, end); }

  /// Whether a list stands in the place of this cell.
  template <typename Cell>
  [[nodiscard]] static bool is_list(const Cell& cell) {
    return cell.clock == kMany;
  }

 private:
  /// Arrays that are filled row by row, when rows are spread out.
  struct PageCells {
    WriteCell written[kPageCells];
    GroupCell first[kPageCells], last[kPageCells];
  };
  struct Page {
    ShadowRow rows[kPageCells / kLanes];
    std::unique_ptr<PageCells, FreeShadowMemory> cells;  ///< none: whole warps alone have been here
  };

  struct FreePage {
    void operator()(Page* page) const {
      page->~Page();
      std::free(page);
    }
  };
  using Pages = std::vector<std::unique_ptr<Page, FreePage>>;

  /// A list is of no thread and no warp, and newer than every barrier: nobody who looks at the cell alone takes it for
  /// an access that is over.
  static constexpr std::uint32_t kMany = UINT32_MAX;
  [[nodiscard]] std::uint64_t count() const { return (bytes_ + granule_ - 1) / granule_; }
  /// Of the last row there are all cells, and of narrower granules there may be one too many.
  static constexpr std::uint64_t pages_for(std::uint64_t cells) { return (cells + kLanes) / kPageCells + 1; }
  [[nodiscard]] Page& page(std::uint64_t cell) {
    const auto& there = pages_[cell / kPageCells];
    return there ? *there : add_page(cell);
  }
  Page& add_page(std::uint64_t cell);
  void spread_row_out(Page& page, std::uint64_t begin);
  void halve();

  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
  std::uint32_t granule_ = 4;
  bool silent_stores_ = false;
  Pages pages_;  ///< nullptr: nobody has been there
  Lists<std::vector<GroupCell>> readers_;
  Lists<Writers> writers_;
};

}  // namespace gpulab::simt
