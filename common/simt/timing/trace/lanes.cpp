#include "common/simt/timing/trace/lanes.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "common/simt/of_thread.h"

namespace gpulab::simt {

namespace {

using Space = TracedAccess::Space;

/// Whether the distances from lane to lane are of more than three kinds: a block's rows have two or three.
bool is_scattered(const std::array<std::uint64_t, kLanes>& addresses, int count) {
  std::array<std::uint64_t, 3> kinds{};
  std::size_t known = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) {
    const std::uint64_t apart = addresses[i] - addresses[i - 1];
    if (std::find(kinds.begin(), kinds.begin() + known, apart) != kinds.begin() + known) continue;
    if (known == kinds.size()) return true;
    kinds[known++] = apart;
  }
  return false;
}

/// Whether lanes that store `bytes` each leave bytes of their sectors as they were; several may store the same ones.
bool leaves_bytes(const LaneAddresses& addresses, std::uint32_t bytes, std::uint32_t sectors) {
  const auto count = static_cast<std::uint32_t>(addresses.count);
  if (count * bytes < sectors * 32) return true;
  if (addresses.on_a_line && addresses.apart != 0) return false;  // no two the same
  auto sorted = addresses.packed();
  std::sort(sorted.begin(), sorted.begin() + count);
  const auto distinct = std::unique(sorted.begin(), sorted.begin() + count) - sorted.begin();
  return static_cast<std::uint32_t>(distinct) * bytes < sectors * 32;
}

/// Of local memory, in order: word w of lane l lies at 128 w + 4 l behind a place of the warp's own, so that eight
/// lanes' words are a sector. Lanes are at few places, aligned ones.
void find_local_sectors(const Warp& w, std::uint32_t words, const LaneAddresses& addresses, BlockTrace& trace) {
  struct At {
    std::uint64_t word;
    std::uint32_t eights;  ///< of lanes: a bit for each that has one there
  };
  std::array<At, kLanes> places;  // NOLINT(*-member-init): as far as `known`
  std::size_t known = 0;
  std::uint32_t lanes = w.mask;
  for (std::size_t i = 0; lanes != 0; ++i, lanes &= lanes - 1) {
    const std::uint64_t word = (addresses.packed()[i] & 0xffff) / 4;
    std::size_t k = 0;
    while (k < known && places[k].word != word) ++k;
    if (k == known) places[known++] = {word, 0};
    places[k].eights |= 1u << std::countr_zero(lanes) / 8;
  }
  std::sort(places.begin(), places.begin() + known, [](const At& a, const At& b) { return a.word < b.word; });
  const std::uint64_t own = ((std::uint64_t{1} << 62) + (trace.linear << 32) + (std::uint64_t{w.index} << 24)) >> 5;
  for (std::size_t k = 0; k < known; ++k)
    for (std::uint32_t word = 0; word < words; ++word)
      for (std::uint32_t left = places[k].eights; left; left &= left - 1)
        trace.sectors.push_back(own + (places[k].word + word) * 4 + static_cast<std::uint32_t>(std::countr_zero(left)));
}

/// The same of global memory; false: they are not in order yet.
bool find_global_sectors(const LaneAddresses& addresses, std::uint32_t bytes, std::size_t first,
                         std::vector<std::uint64_t>& sectors) {
  bool in_order = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(addresses.count); ++i) {
    const std::uint64_t at = addresses.packed()[i];
    for (std::uint64_t sector = at >> 5; sector <= (at + bytes - 1) >> 5; ++sector)
      if (sectors.size() == first || sectors.back() != sector) {
        in_order = in_order && (sectors.size() == first || sectors.back() < sector);
        sectors.push_back(sector);
      }
  }
  return in_order;
}

/// L1 looks up a line of each of four kinds in a cycle: 6.5 cycles for 20 lines at random, 10 for 31
/// (open_gather_l1_…).
void look_up(std::span<const std::uint64_t> sectors, TracedAccess& access) {
  std::array<std::uint8_t, 4> lines{};
  std::uint64_t line = UINT64_MAX;
  for (const std::uint64_t sector : sectors)
    if (sector >> 2 != line) {
      line = sector >> 2;
      ++access.lines;
      access.passes = std::max(access.passes, ++lines[line % lines.size()]);
    }
}

}  // namespace

// NOLINTNEXTLINE(*-member-init): what is read is written here; zeros first would take as long as the rest
LaneAddresses::LaneAddresses(const Warp& w, const MicroOp* op, std::uint16_t slot) {
  for (int lane = 0; lane < kLanes; ++lane) by_lane[static_cast<std::size_t>(lane)] = address_of(w, op, slot, lane);
  pack(w);
}

// NOLINTNEXTLINE(*-member-init)
LaneAddresses::LaneAddresses(const Warp& w, std::span<const std::uint64_t, kLanes> places) {
  std::ranges::copy(places, by_lane.begin());
  pack(w);
}

void LaneAddresses::pack(const Warp& w) {
  if (w.mask == kFullMask) {
    count = kLanes;
  } else {
    for (std::uint32_t left = w.mask; left; left &= left - 1)
      active_[static_cast<std::size_t>(count++)] = by_lane[static_cast<std::size_t>(std::countr_zero(left))];
  }
  const auto& at = packed();
  apart = count > 1 ? at[1] - at[0] : 0;
  std::uint64_t other = apart >> 32;
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) other |= (at[i] - at[i - 1]) ^ apart;
  on_a_line = other == 0;
}

Space space_at(std::uint64_t address, const MemoryUse& use) {
  if (use.space == MemoryUse::Space::shared || use.space == MemoryUse::Space::cluster) return Space::shared;
  if (use.space == MemoryUse::Space::local) return Space::local;
  if (use.space == MemoryUse::Space::generic && address - kSharedWindow < kWindowBytes) return Space::shared;
  if (use.space == MemoryUse::Space::generic && address - kLocalWindow < kWindowBytes) return Space::local;
  return Space::global;
}

std::pair<std::uint64_t, int> hottest(std::array<std::uint64_t, kLanes> addresses, int count) {
  std::sort(addresses.begin(), addresses.begin() + count);
  std::pair<std::uint64_t, int> most{addresses[0], 1};
  int run = 1;
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) {
    run = addresses[i] == addresses[i - 1] ? run + 1 : 1;
    if (run > most.second) most = {addresses[i], run};
  }
  return most;
}

std::uint8_t rounds_of(std::array<std::uint64_t, kLanes> addresses, int count) {
  std::sort(addresses.begin(), addresses.begin() + count);
  int rounds = 0, most = 0, run = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const bool same_sector = i > 0 && addresses[i] >> 5 == addresses[i - 1] >> 5;
    if (!same_sector) {
      rounds += most;
      most = 0;
    }
    run = i > 0 && addresses[i] == addresses[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return static_cast<std::uint8_t>(rounds + most);
}

/// Most accesses repeat what their instruction has done last: lanes that are as far apart, or at the same distances.
const Pattern& pattern_of(const Warp& w, std::uint32_t site, const LaneAddresses& addresses, const MemoryUse& use) {
  struct Known {
    Pattern pattern{};
    std::uint32_t bytes = 0;
    bool store = false;
    bool on_a_line = false;   ///< LaneAddresses'
    std::uint64_t apart = 0;  ///< the same
  };
  using AllKnown = std::array<Known, 256>;  // as many places as an unrolled loop has accesses
  AllKnown& known_ones = OfThread<AllKnown>::one();
  const std::uint64_t base = addresses.packed()[0];
  // Whole words further every word lies in another bank, and as many share one.
  const std::uint32_t phase = (static_cast<std::uint32_t>(base) & 3) | kSharedPhase;
  Known& known = known_ones[site % known_ones.size()];
  const bool alike = known.bytes == use.bytes && known.store == use.store && known.pattern.mask == w.mask &&
                     known.pattern.phase == phase;
  if (alike && addresses.on_a_line && known.on_a_line && known.apart == addresses.apart) return known.pattern;
  std::int32_t relative[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    relative[lane] = (w.mask >> lane & 1) != 0 ? static_cast<std::int32_t>(addresses.by_lane[lane] - base) : 0;
  if (alike && std::ranges::equal(known.pattern.relative, relative)) return known.pattern;
  known.bytes = use.bytes;
  known.store = use.store;
  known.on_a_line = addresses.on_a_line;
  known.apart = addresses.apart;
  set_shape(known.pattern, relative, w.mask, phase, use.bytes);
  count_pattern(known.pattern, use.bytes, use.store, false);
  return known.pattern;
}

void find_sectors(const Warp& w, const MemoryUse& use, const LaneAddresses& addresses, BlockTrace& trace,
                  TracedAccess& access) {
  auto& sectors = trace.sectors;
  const int count = addresses.count;
  access.first_sector = static_cast<std::uint32_t>(sectors.size());
  bool in_order = true;
  if (access.space == Space::local)
    find_local_sectors(w, (use.bytes + 3u) / 4, addresses, trace);
  else
    in_order = find_global_sectors(addresses, use.bytes, access.first_sector, sectors);
  const auto begin = sectors.begin() + access.first_sector;
  if (!in_order) {
    std::sort(begin, sectors.end());
    sectors.erase(std::unique(begin, sectors.end()), sectors.end());
  }
  access.sectors = static_cast<std::uint32_t>(sectors.size()) - access.first_sector;
  access.lane_bytes = static_cast<std::uint16_t>(static_cast<std::uint32_t>(count) * use.bytes);
  access.stored_bytes = static_cast<std::uint16_t>(use.store ? static_cast<std::uint32_t>(count) * use.bytes : 0);
  access.partial = use.store && leaves_bytes(addresses, use.bytes, access.sectors);
  access.scattered = !addresses.on_a_line && is_scattered(addresses.packed(), count);
  access.random = access.scattered && !in_order;
  look_up(std::span(sectors).subspan(access.first_sector), access);
}

/// Counts of eight bits that add up to more stay at the most: 16 requests of 32 wavefronts each.
void join(TracedAccess& whole, const TracedAccess& further, BlockTrace& trace) {
  const auto sum = [](std::uint8_t one, std::uint8_t other) {
    return static_cast<std::uint8_t>(std::min(one + other, 255));
  };
  whole.wavefronts = sum(whole.wavefronts, further.wavefronts);
  whole.ideal_wavefronts = sum(whole.ideal_wavefronts, further.ideal_wavefronts);
  if (whole.space == Space::shared) return;
  const std::uint8_t passes = sum(whole.passes, further.passes);
  const auto begin = trace.sectors.begin() + whole.first_sector;
  std::sort(begin, trace.sectors.end());
  trace.sectors.erase(std::unique(begin, trace.sectors.end()), trace.sectors.end());
  whole.sectors = static_cast<std::uint32_t>(trace.sectors.size()) - whole.first_sector;
  whole.lines = 0;
  look_up(std::span(trace.sectors).subspan(whole.first_sector), whole);
  whole.passes = passes;
  whole.lane_bytes = static_cast<std::uint16_t>(whole.lane_bytes + further.lane_bytes);
  whole.stored_bytes = static_cast<std::uint16_t>(whole.stored_bytes + further.stored_bytes);
  whole.partial = whole.stored_bytes != 0 && whole.stored_bytes < whole.sectors * 32;
}

}  // namespace gpulab::simt
