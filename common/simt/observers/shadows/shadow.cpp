#include "common/simt/observers/shadows/shadow.h"

#include <iterator>
#include <new>
#include <utility>

namespace gpulab::simt {

void RaceShadow::clear() {
  readers_.clear();
  writers_.clear();
  for (std::uint64_t cell = 0; cell < used_; cell += kPageCells)
    if (const auto& page = pages_[cell / kPageCells])
      std::fill_n(page->rows, std::size(page->rows), ShadowRow{});  // what cells hold counts no more
  used_ = 0;
  silent_stores_ = false;
}

std::uint64_t RaceShadow::memory() const {
  std::uint64_t bytes = pages_.capacity() * sizeof pages_[0];
  for (const auto& page : pages_)
    if (page) bytes += sizeof *page + (page->cells ? sizeof *page->cells : 0);
  return bytes;
}

RaceShadow::Page& RaceShadow::add_page(std::uint64_t cell) {
  auto& there = pages_[cell / kPageCells];
  there.reset(new (allocate_shadow(sizeof(Page))) Page);
  return *there;
}

void RaceShadow::spread_row_out(Page& page, std::uint64_t begin) {
  if (!page.cells) page.cells.reset(static_cast<PageCells*>(allocate_shadow(sizeof(PageCells))));
  const std::uint64_t at = begin % kPageCells;
  ShadowRow& row = page.rows[at / kLanes];
  row.spread_out = true;
  touch(begin + kLanes);
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const auto reader = [&](const ShadowRow::Reader& r) {
      return r.clock ? GroupCell{r.warp, 1u << i, r.clock, r.site} : GroupCell{};
    };
    page.cells->written[at + i] = row.clock ? WriteCell{row.thread + i, row.clock, row.site} : WriteCell{};
    page.cells->first[at + i] = reader(row.readers[0]);
    page.cells->last[at + i] = reader(row.readers[1]);
  }
}

void RaceShadow::halve() {
  const std::uint64_t used = std::min(used_, count());
  for (std::uint64_t cell = 0; cell < used; cell += kLanes)
    if (pages_[cell / kPageCells]) (void)cells(cell);
  granule_ /= 2;
  const auto before = std::exchange(pages_, Pages(pages_for(count())));
  used_ = 0;
  for (std::uint64_t i = 0; i < used; ++i) {
    const auto& page = before[i / kPageCells];
    if (!page) {
      i += kPageCells - 1;  // pages begin at multiples of it
      continue;
    }
    const std::uint64_t from = i % kPageCells;
    const WriteCell& writer = page->cells->written[from];
    const GroupCell& reader = page->cells->last[from];
    for (std::uint64_t k = 2 * i; k < 2 * i + 2; ++k) {
      const Cells to = cells(k);
      *to.written = writer;
      if (k % 2 && is_list(writer)) to.written->site = writers_.add(Writers(writers_[writer.site]));
      *to.first = page->cells->first[from];
      *to.last = reader;
      if (k % 2 && is_list(reader)) to.last->site = readers_.add(std::vector(readers_[reader.site]));
    }
  }
}

}  // namespace gpulab::simt
