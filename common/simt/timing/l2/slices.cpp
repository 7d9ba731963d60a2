#include "common/simt/timing/l2/slices.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "common/simt/timing/trace/sector_set.h"

namespace gpulab::simt {

namespace {

bool is_global_atomic(const TracedAccess& access) {
  return access.atomic && access.space == TracedAccess::Space::global;
}

}  // namespace

PlacesOnGpu::PlacesOnGpu(const GlobalMemory* memory) {
  constexpr std::uint64_t small = 1 << 20, step = 512, sector = 32;
  if (memory == nullptr) return;
  std::uint64_t next = 0;
  for (const auto& a : memory->allocations()) {
    if (!a->host || a->of_heap || a->foreign || is_of_host(*a) || a->bytes >= small) continue;
    small_.push_back({a->address / sector, (a->address + a->bytes + sector - 1) / sector, next / sector});
    next += (std::max<std::uint64_t>(a->bytes, 1) + step - 1) / step * step;
  }
}

std::uint64_t PlacesOnGpu::operator()(std::uint64_t sector) const {
  const auto above = std::ranges::upper_bound(small_, sector, {}, &Small::first);
  if (above == small_.begin()) return sector;
  const Small& below = *std::prev(above);
  return sector < below.behind ? below.there + (sector - below.first) : sector;
}

SlicesOfL2::SlicesOfL2(const GridTrace& trace, const GlobalMemory* memory, const GpuTiming& gpu, const Grid& grid)
    : trace_(trace), placed_(memory), gpu_(gpu), grid_(grid) {}

/// Rounds at the slices of L2 that some blocks go to, by slice.
struct SlicesOfL2::Slices {
  struct Slice {
    double cycles = 0;
    std::uint64_t block = 0;
    bool shared = false;  ///< more than one of the traced blocks go there
  };
  std::unordered_map<std::uint64_t, Slice> by_key;

  /// Two neighbouring lines share a slice, and of 1 KB the lines 0, 1, 4, 5 and 2, 3, 6, 7: atomics of all SMs at lines
  /// 0 and 1 take as long as at one of them (60 us, 54), at 0 and 2 half (28), at 0 and 4 the whole (51), at all eight
  /// half (30), at 0 and 8 half (29; an H100).
  static std::uint64_t of_atomic(std::uint64_t sector) { return sector >> 5 << 1 | (sector >> 3 & 1); }
  static std::uint64_t of_store(std::uint64_t sector) { return sector >> 3; }

  void add(std::uint64_t key, double cycles, std::uint64_t block) {
    auto& slice = by_key.try_emplace(key, Slice{0, block, false}).first->second;
    slice.cycles += cycles;
    slice.shared |= slice.block != block;
  }
  /// Of the fullest. `scale`: blocks for each traced one; `of_own`: the same of what one of the traced blocks alone
  /// goes to.
  [[nodiscard]] double most(double scale, double of_own) const {
    double most = 0;
    for (const auto& [key, slice] : by_key) most = std::max(most, slice.cycles * (slice.shared ? scale : of_own));
    return most;
  }
};

/// Whether a traced block that has no other beside it has sectors of its own for its atomics, or for what it stores in
/// parts: then the grid stores to about as many sectors as its blocks together, not to these of the block once. A block
/// of a launch that is no more than one for each SM stands alone.
bool SlicesOfL2::is_own(const BlockTrace& block, bool atomics) const {
  constexpr double alike = 1.5;  // more work in other blocks than in this one, and they may store to more
  const bool cut = block.most_of_warp != UINT64_MAX;
  if (grid_.written == 0 || grid_.work > alike || cut) return false;
  SectorSet all, shared;
  for (const TracedAccess& a : block.accesses) {
    if (a.space != TracedAccess::Space::global || !(a.atomic || a.stored_bytes)) continue;
    for (std::uint32_t i = 0; i < a.sectors; ++i) {
      all.insert(block.sectors[a.first_sector + i]);
      if (atomics ? a.atomic : a.partial && !a.atomic) shared.insert(block.sectors[a.first_sector + i]);
    }
  }
  const double others = grid_.blocks - 1;
  return grid_.written >=
         grid_.blocks * static_cast<double>(all.size()) - others * static_cast<double>(shared.size()) / 2;
}

/// Of an atomic's rounds, those at the fullest sector are known, the others are spread over the other sectors.
void SlicesOfL2::add_atomic(const BlockTrace& block, const TracedAccess& a, Slices& slices) const {
  const double hot = a.together  ? gpu_.same_address_cycles
                     : a.by_lane ? a.same_address * gpu_.same_address_cycles  // lane by lane (full_atomg_cas)
                     : a.real    ? std::max(a.same_address * gpu_.same_address_float_cycles, gpu_.slice_round_cycles)
                                 : a.same_address * gpu_.slice_round_cycles;
  slices.add(Slices::of_atomic(placed_(a.hot_sector)), hot, block.linear);
  if (a.sectors < 2) return;
  const double other = gpu_.slice_round_cycles * std::max(0, a.conflicts - a.same_address) / (a.sectors - 1);
  for (std::uint32_t i = 0; i < a.sectors; ++i)
    if (const std::uint64_t sector = block.sectors[a.first_sector + i]; sector != a.hot_sector)
      slices.add(Slices::of_atomic(placed_(sector)), other, block.linear);
}

double SlicesOfL2::hottest(bool stores) const {
  double all = 0;
  const Swaps missed = missed_swaps(trace_, grid_.per_sm);
  for (std::size_t first = 0; first < trace_.blocks.size(); first += grid_.per_sm) {
    const std::size_t end = std::min<std::size_t>(first + grid_.per_sm, trace_.blocks.size());
    Slices slices, stored;
    if (first == 0 && missed.lanes > 0) {  // once on each SM, and not again for each `scale` of the traced blocks
      const double all = grid_.scale * static_cast<double>(trace_.blocks.size());
      const double used = std::min(all, static_cast<double>(grid_.sms));
      const std::uint64_t key = Slices::of_atomic(placed_(missed.sector));
      slices.add(key, missed.lanes * gpu_.same_address_cycles * used / grid_.scale, trace_.blocks.front().linear);
      slices.add(key, 0, trace_.blocks.back().linear + 1);
    }
    for (std::size_t b = first; b < end; ++b)
      for (const TracedAccess& a : trace_.blocks[b].accesses) {
        if (a.space != TracedAccess::Space::global) continue;
        if (a.atomic) add_atomic(trace_.blocks[b], a, slices);
        // Of words side by side those between the first sector and the last fill theirs.
        const bool ends = a.sectors > 2 && a.stored_bytes > 32 * (a.sectors - 2);
        const std::uint32_t step = ends ? a.sectors - 1 : 1;
        const bool counts = a.partial || (a.stored_bytes && a.sectors == 1);
        for (std::uint32_t i = 0; stores && counts && !a.atomic && i < a.sectors; i += step) {
          const std::uint64_t sector = trace_.blocks[b].sectors[a.first_sector + i];
          stored.add(Slices::of_store(placed_(sector)), gpu_.slice_round_cycles, trace_.blocks[b].linear);
        }
      }
    // What one of several traced blocks alone goes to is its own, as a copy of a histogram is, and others have theirs.
    // Where one block alone is traced, is_own() says so. 132 counters of blocks' own fall on fewer slices, and take 1.9
    // (floats) to 2.1 times (integers) as long as a single one does: some slice has two (4 KB apart, an H100).
    const double meeting = 1 + std::min(1.0, grid_.blocks / static_cast<double>(grid_.sms));
    const auto of_own = [&](bool atomics) {
      if (end - first > 1) return 1.0;
      return is_own(trace_.blocks[first], atomics) ? meeting : grid_.scale;
    };
    all += std::max(slices.most(grid_.scale, of_own(true)), stores ? stored.most(grid_.scale, of_own(false)) : 0);
  }
  return all;
}

double SlicesOfL2::stored_again() const {
  constexpr std::uint32_t often = 4;  // less is no coming back again and again
  constexpr double of_key = 8;        // sectors of Slices::of_store()
  const auto is_whole = [](const TracedAccess& a) {
    return a.space == TracedAccess::Space::global && a.stored_bytes && !a.partial && !a.atomic && a.sectors > 1;
  };
  double each = 0, keys = 0;
  for (const BlockTrace& block : trace_.blocks) {
    if (std::ranges::none_of(block.accesses, is_whole)) continue;
    SectorMap<std::uint32_t> times;
    SectorSet of_block;  // keys
    for (const auto& warp : block.warps) {
      bool loaded = true;
      for (const TraceEvent& event : warp) {
        if (!(event.what & TraceEvent::kAccess)) continue;
        const TracedAccess& a = block.accesses[event.what & ~TraceEvent::kAccess];
        if (a.space != TracedAccess::Space::global) continue;
        if (!a.stored_bytes) loaded = true;
        if (!is_whole(a) || !std::exchange(loaded, false)) continue;
        for (std::uint32_t i = 0; i < a.sectors; ++i) ++times[block.sectors[a.first_sector + i]];
      }
    }
    Slices slices;
    SectorSet added;
    for (const std::uint64_t sector : block.sectors) {
      if (!times.contains(sector) || !added.insert(sector)) continue;
      of_block.insert(Slices::of_store(sector));
      if (times[sector] >= often)
        slices.add(Slices::of_store(placed_(sector)), times[sector] * gpu_.slice_round_cycles, block.linear);
    }
    keys += static_cast<double>(of_block.size());
    each += slices.most(1, 1) / static_cast<double>(trace_.blocks.size());
  }
  if (grid_.written == 0) return each * grid_.work;
  const double of_grid = grid_.blocks / static_cast<double>(trace_.blocks.size()) * keys;
  return each * grid_.work * std::max(1.0, of_grid * of_key / grid_.written);
}

double SlicesOfL2::turns(const BlockTrace& block) const {
  // Of a warp: what it has on its way while others catch up.
  constexpr std::size_t at_once = 8;
  struct Turn {
    std::size_t event = 0;
    const std::vector<TraceEvent>* events = nullptr;
  };
  std::vector<Turn> warps;
  for (const auto& events : block.warps) warps.push_back({0, &events});
  double all = 0;
  for (bool more = true; more;) {
    more = false;
    Slices slices;
    for (Turn& warp : warps)
      for (std::size_t taken = 0; taken < at_once && warp.event < warp.events->size(); ++warp.event) {
        const std::uint32_t what = (*warp.events)[warp.event].what;
        if (!(what & TraceEvent::kAccess)) continue;
        const TracedAccess& a = block.accesses[what & ~TraceEvent::kAccess];
        if (!is_global_atomic(a)) continue;
        add_atomic(block, a, slices);
        ++taken;
        more = true;
      }
    all += slices.most(1, 1);
  }
  return all;
}

double SlicesOfL2::one_after_another() const {
  double longest = 0;
  for (const BlockTrace& block : trace_.blocks)
    if (std::ranges::any_of(block.accesses, is_global_atomic)) longest = std::max(longest, turns(block));
  return longest * grid_.work *
         std::ceil(grid_.blocks / (static_cast<double>(grid_.per_sm) * static_cast<double>(grid_.sms)));
}

}  // namespace gpulab::simt
