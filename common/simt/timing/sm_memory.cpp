#include "common/simt/timing/sm_memory.h"

#include <algorithm>

#include "common/simt/of_thread.h"

namespace gpulab::simt {

namespace {

constexpr std::uint32_t kWays = 8;

/// L2 has two halves, and a line lies in the nearer or in the farther one: 1 or -1. Which one is the hardware's secret;
/// a hash of the address spreads lines as evenly.
double far_side(std::uint64_t sector) { return (((sector >> 2) * 0x9e3779b97f4a7c15u) >> 63) != 0 ? 1.0 : -1.0; }

/// Which set a line lies in is the hardware's secret. Neighbours lie apart, and so do rows of any pitch.
std::uint64_t set_of(std::uint64_t tag) { return tag ^ tag >> 8 ^ tag >> 16 ^ tag >> 24; }

}  // namespace

SmMemory::SmMemory(const GpuTiming& gpu, const MemoryShare& share, SmResult& result)
    : gpu_(gpu), share_(share), result_(result), lines_(std::move(spare())) {
  const std::size_t lines = std::size_t{std::max<std::uint32_t>(share.l1_bytes / 128 / kWays, 1)} * kWays;
  lines_.all.resize(lines);
  lines_.tags.resize(lines, UINT64_MAX);
}

/// Of a small launch a few of 2000 lines are used: they are cleared, and all go to the next launch.
SmMemory::~SmMemory() {
  for (const std::uint32_t line : used_) {
    lines_.all[line] = Line{};
    lines_.tags[line] = UINT64_MAX;
  }
  spare() = std::move(lines_);
}

SmMemory::Lines& SmMemory::spare() { return OfThread<Lines>::one(); }

std::size_t SmMemory::set_for(std::uint64_t tag) const { return set_of(tag) % (lines_.all.size() / kWays) * kWays; }

/// The memory pipe takes a request for so many cycles.
double SmMemory::pass(double now, double cycles) {
  const double start = std::max(now, pipe_free_);
  pipe_free_ = start + cycles;
  if (swaps_free_ > start) swaps_free_ += cycles;
  result_.l1 += cycles;
  return start;
}

SmMemory::Line& SmMemory::line_of(std::uint64_t tag, Line* before) {
  if (before && before->tag == tag) {
    before->used = ++clock_;
    return *before;
  }
  const std::size_t first = set_for(tag);
  Line* const set = lines_.all.data() + first;
  for (std::uint32_t way = 0; way < kWays; ++way) {
    if (lines_.tags[first + way] != tag) continue;
    set[way].used = ++clock_;
    return set[way];
  }
  Line* oldest = std::min_element(set, set + kWays, [](const Line& a, const Line& b) { return a.used < b.used; });
  // Half of the time another one goes: who walks round and round through more than L1 holds finds some of it there.
  if (oldest->used != 0 && (clock_ * 0x9e3779b97f4a7c15u >> 63) != 0)
    oldest = set + (clock_ * 0x9e3779b97f4a7c15u >> 40) % kWays;
  if (oldest->used == 0) used_.push_back(static_cast<std::uint32_t>(oldest - lines_.all.data()));
  *oldest = Line{tag, ++clock_, {}, 0};
  lines_.tags[static_cast<std::size_t>(oldest - lines_.all.data())] = tag;
  return *oldest;
}

SmMemory::Line* SmMemory::find_line(std::uint64_t tag) {
  const std::size_t first = set_for(tag);
  const auto begin = lines_.tags.begin() + static_cast<std::ptrdiff_t>(first), end = begin + kWays;
  const auto found = std::find(begin, end, tag);
  return found == end ? nullptr : &lines_.all[static_cast<std::size_t>(found - lines_.tags.begin())];
}

/// A load in front of a store to any sector of its line makes the next load of the line go to L2, if the store does not
/// wait for what the load brings: 357 cycles a turn, where L1 serves it in 113. A store that does wait leaves the line
/// in L1: 172 (open_stored_sector, _line, _ahead_own; _none; _own, _pair_own).
void SmMemory::drop_line(double now, std::uint64_t tag) {
  Line* const line = find_line(tag);
  if (line && line->loaded > now) std::fill(std::begin(line->there), std::end(line->there), 0);
}

/// What an H100 gets over PCIe 5.0 ×16, of 63 GB/s in each direction: 64 MiB of mapped memory are read at 50.9 GB/s and
/// written at 52.4, and a chain of loads takes 2357 cycles each.
double SmMemory::over_link(double now, double& free) const {
  constexpr double gbs = 51, latency_us = 1.15;
  free = std::max(now, free) + 32 / (gbs / gpu_.clock_ghz * share_.part);
  return free + latency_us * 1e3 * gpu_.clock_ghz;
}

/// A sector from L2, or from DRAM where L2 does not hold it: DRAM brings two neighbours at once.
double SmMemory::fetch(double now, std::uint64_t sector, const TracedAccess& access) {
  ++result_.missed;
  if (access.of_host) return over_link(now, link_in_free_);
  const double start = std::max(now, l2_free_);
  // A sector of each of 32 lines takes L2 as long as 32 at random, 1.8 times as long as of half as many lines (an
  // H100).
  const bool apart = access.scattered || (access.lines == access.sectors && access.lines > 16);
  const double cycles = 32 / (apart ? share_.l2_scattered_bytes_per_cycle : share_.l2_bytes_per_cycle);
  l2_free_ = start + cycles;
  result_.l2 += cycles;
  const double side = far_side(sector);
  const double from_l2 = start + gpu_.l2_latency + side * gpu_.l2_spread;
  if (access.in_l2) return from_l2;
  LineOfL2& line = in_l2_[sector >> 2];
  Pair& pair = pair_of(line, sector);
  const std::uint8_t bit = static_cast<std::uint8_t>(1 << (sector & 1));
  // No other SM asks for a thread's own arrays, nor for less than lines of them where lanes lie side by side
  // (open_local_1024).
  const bool own = access.space == TracedAccess::Space::local;
  const bool left = pair.asked != 0 && left_l2(pair.taken, own);
  const double first = share_.misses * share_.fetched / 2;
  const double lost = access.random ? (1 - share_.misses) * share_.lost : 0;
  double pairs = 0;  // that DRAM brings for this one
  if (own && ((pair.asked & bit) == 0 || left))
    pairs = access.sectors >= 2 * std::uint32_t{access.lines} ? 0.5 : 1;
  else if (left)
    // It brings both again. Where one half was brought for nothing, since it has left before it was asked for, what
    // that took is not in `fetched`, which counts halves that nobody asks for at all.
    pairs = (pair.asked & bit) != 0 ? 1 : share_.misses * (2 - share_.fetched / 2);
  else if ((pair.asked & bit) == 0)
    pairs = first + lost;
  miss_debt_ += pairs;
  if (!is_in_l2(pair_of(line, sector ^ 2), own)) taken_ += 128 * pairs;
  const bool fresh = pair.asked == 0 && !own;
  pair.asked |= bit;
  pair.taken = taken_;
  if (miss_debt_ < 1) {
    // Blocks that run at once and share a sector ask for it at the same time: one has it brought, and all wait.
    if (!share_.together || !fresh) return from_l2;
    return start + gpu_.dram_latency + side * gpu_.dram_spread;
  }
  miss_debt_ -= 1;
  // Rows of DRAM that are opened for one pair of sectors each: a gather has part of the bandwidth.
  // What is dirty in L2 goes once, not for what comes again.
  const double cost = 1 + (share_.read_cost - 1) * (lost > 0 ? first / (first + lost) : 1);
  const double bytes = 64 * cost / (access.scattered ? gpu_.dram_scattered : 1);
  const double begin = std::max(start, dram_free_), busy = bytes / share_.dram_bytes_per_cycle;
  dram_free_ = begin + busy;
  result_.dram += busy;
  // The nearer DRAM is to its bandwidth, the longer requests wait for banks that others keep busy.
  const double load = std::min(1.0, result_.dram / std::max(begin + busy, 1.0));
  return begin + gpu_.dram_latency + side * gpu_.dram_spread + load * load * gpu_.dram_queue;
}

double SmMemory::load(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors, bool cached) {
  const double wide = static_cast<double>(sectors.size()) * 32 / gpu_.l1_bytes_per_cycle;
  const double start = pass(now, std::max<double>(access.passes, wide));
  // 32 lanes a line apart have their values after 113 cycles with two additions, where one lane has it in 47
  // (open_stored_none, chain_ldg_l1_chain).
  constexpr double each_pass = 1.9;
  double last = start + gpu_.l1_latency + (access.passes > 1 ? each_pass * (access.passes - 1) : 0);
  result_.sectors += sectors.size();
  Line* line = nullptr;
  std::uint64_t asked = UINT64_MAX;
  for (const std::uint64_t sector : sectors) {
    line = &line_of(sector >> 2, line);
    double& there = line->there[sector & 3];
    if (filling_.size() > 0 && filling_.contains(sector)) filling_[sector].bytes = 0;  // a load ends it
    if (!cached || there == 0) {
      // An SM asks L2 for a line a cycle: lanes in 8, 16 and 32 lines take 8.5, 16 and 32, of whichever SMs (an H100).
      if (sector >> 2 != asked) {
        l2_free_ = std::max({start, l2_free_, line_free_});
        line_free_ = l2_free_ + 1;
        asked = sector >> 2;
      }
      there = fetch(start, sector, access);
    }
    last = std::max(last, there);
    line->loaded = std::max({line->loaded, there, last});
  }
  return last;
}

/// L1 joins what a warp's instructions store to the words of a structure, if no lane has a sector of its own (of 8
/// words none is joined, of 2 to 6 nearly all) and a block has few lines on their way: warps of a block take turns,
/// blocks hardly do. A store of 4 words takes 6.5 ns of an SM by blocks of 8 warps, as much as words side by side, 18
/// by blocks of 32; of 6 words 10 and 33 (the same, not joined, 22 and 34); blocks that store one structure a thread
/// and end are between (`fields` and `short`, an H100). A load of the sector in between ends it: read, changed and
/// stored one after another, four words of a thread are not joined (`elementwise_v3`, a foreign kernel). How many lines
/// are too many is between what `fields` and `short` say, which differ.
/// Warps of a block that store down columns together, right behind a barrier, fill sectors, too, where two lanes of
/// each share one. A transpose of 4096 x 4096 floats by blocks of 16 x 16 takes 75 us through shared memory and 126
/// without, also where a barrier is between, at which no warp waits for what it has loaded; 65 with rows stored. By
/// 32 x 8, where each lane has a sector, 251 and 257. Two warps that fill a sector need no barrier (8 x 32: 69 and 68;
/// an H200).
double SmMemory::not_joined(double now, const TracedAccess& access, std::uint64_t sector, double bytes,
                            const Storer& storer) {
  constexpr double most_lines = 112, soon = 2000, together = 500, sector_bytes = 32;
  constexpr std::size_t of_two_warps = 8;  // sectors of an instruction
  Filling& filling = filling_[sector];
  const bool fits = filling.bytes > 0 && filling.bytes + bytes <= sector_bytes;
  const bool of_structure = fits && filling.site != access.site && now - filling.since < soon &&
                            access.sectors >= 3 * std::uint32_t{access.lines} && bytes < sector_bytes / 2;
  const bool of_block = fits && filling.site == access.site && now - filling.since < together &&
                        filling.storer.block == storer.block && filling.storer.warp != storer.warp &&
                        (access.sectors <= of_two_warps || (filling.storer.behind_barrier && storer.behind_barrier));
  const bool follows = of_structure || of_block;
  filling = {follows ? filling.since : now, (follows ? filling.bytes : 0) + bytes, access.site, storer};
  if (of_block) return 0;
  return of_structure ? std::min(1.0, static_cast<double>(access.lines * share_.warps) / most_lines) : 1;
}

void SmMemory::store(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors,
                     const Storer& storer) {
  const double start = pass(now, std::max<double>(1.0, access.lines));
  // A line that is not written as a whole has a mask of its bytes ahead of its sectors.
  const double port = 32 / gpu_.store_bytes_per_cycle;
  port_free_ = std::max(start, port_free_) + (access.partial ? port * access.lines : 0);
  store_free_ = std::max(start, store_free_);
  // L2 takes some time for each line and some for each sector: four of a line, or one.
  const double of_four = 4 / gpu_.l2_partial_sectors, of_one = 1 / gpu_.l2_partial_sectors_alone;
  const double of_line = access.lines > 1 ? (4 * of_one - of_four) / 3 : 0, of_sector = (of_four - of_line) / 4;
  // Where lanes lie side by side and what follows fills the rest, the more of a sector's bytes a store brings, the
  // less: 4, 8 and 16 bytes of each of a line's four, 44, 55 and at least 113 sectors a cycle of all SMs
  // (open_stores_32_4, _8_4, _8_1; the last is as fast as the port). Of lines that are stored to in one place 4 bytes
  // and 8 take as long (naive_row of `transpose`), and so do 4 and 16 of sectors that stay filled in part (tree of
  // `reduce`).
  const double bytes_of_one = access.stored_bytes / static_cast<double>(sectors.size());
  const bool dense = share_.filled && sectors.size() >= 3 * std::size_t{access.lines};
  const double less = dense ? std::clamp(1 - (bytes_of_one - 4) / 20, 0.0, 1.0) : 1;
  const double partial =
      std::max((of_line * access.lines / static_cast<double>(sectors.size()) + of_sector) / share_.part * less,
               std::min(bytes_of_one, 32.0) / share_.l2_written_bytes_per_cycle);
  if (access.of_host) {
    for (std::size_t i = 0; i < sectors.size(); ++i) (void)over_link(start, link_out_free_);
    return;
  }
  const double of_sector_alone = access.partial ? partial : 32 / share_.l2_written_bytes_per_cycle;
  const bool may_join = access.partial && bytes_of_one <= 16 && sectors.size() < 32;
  // L2 serves loads and stores by turns: 8.7 MB are read in 2.1 us, stored in 2.5 and copied in 5.1 (read_4x1,
  // write_4x1, copy_4x1 of 132 blocks, warm).
  const double brought = (access.partial ? std::min(bytes_of_one, 32.0) : 32) / share_.l2_written_bytes_per_cycle;
  const bool own = access.space == TracedAccess::Space::local;
  Line* line = nullptr;
  std::uint64_t tag = UINT64_MAX;
  for (const std::uint64_t sector : sectors) {
    // What a thread stores to its own arrays it finds in L1, as far as that has room.
    if (own) {
      line = &line_of(sector >> 2, line);
      line->there[sector & 3] = start + 1;
    } else if (sector >> 2 != tag) {
      drop_line(now, tag = sector >> 2);
    }
    LineOfL2& held = in_l2_[sector >> 2];
    Pair& pair = pair_of(held, sector);
    const std::uint8_t bit = static_cast<std::uint8_t>(1 << (sector & 1));
    double& written = pair.written[sector & 1];
    const bool first = (pair.stored & bit) == 0;
    const bool left = !first && left_l2(written, own);
    if ((first || left) && !is_in_l2(pair, own) && !is_in_l2(pair_of(held, sector ^ 2), own)) taken_ += 128;
    written = taken_;
    pair.stored |= bit;
    const double left_of_it = may_join ? not_joined(start, access, sector, bytes_of_one, storer) : 1;
    const double l2 = of_sector_alone * left_of_it;
    port_free_ += port * left_of_it;
    store_free_ = std::max(store_free_ + l2, port_free_);
    l2_free_ = std::max(start, l2_free_) + brought * left_of_it;
    result_.l2 += l2;
    result_.stored += l2;
    const bool there = pair.asked != 0 && !left;
    pair.asked = 3;
    pair.taken = taken_;
    if (!first && !left) continue;
    // What stays written in part is filled up from DRAM, which brings its neighbour, too (a word every 32 bytes takes
    // 15 us where one every 64 takes 21: stg_4_32, stg_4_64 of 132 blocks); at random addresses, and where it is the
    // only one of its line, of rows that are opened for it alone (stg_4_128: 34). What has left L2 in the meantime
    // comes again.
    const bool pushed_out = own && taken_ > share_.l2_room;  // a thread's own arrays are no part of the footprint
    const bool fills = access.partial && (left || share_.fill > 0 || pushed_out) && !there;
    double bytes =
        32 * (pushed_out ? 1 : share_.write_back * (access.partial ? share_.of_written : 1)) + (fills ? 64 : 0);
    if (fills && (access.scattered || access.lines == sectors.size())) bytes /= gpu_.dram_scattered;
    const double busy = bytes / share_.dram_bytes_per_cycle;
    dram_free_ = std::max(start, dram_free_) + busy;
    result_.dram += busy;
  }
  // Stores wait in no register, but the way to L2 is only so long.
  constexpr double queue = 2000;
  pipe_free_ = std::max({pipe_free_, store_free_ - queue, dram_free_ - queue});
}

double SmMemory::atomic(double now, const TracedAccess& access, std::span<const std::uint64_t> sectors) {
  const double start = pass(now, std::max<double>(1.0, access.lines));
  const double rounds =
      access.real ? access.conflicts : std::max<double>(access.conflicts, static_cast<double>(sectors.size()));
  const double each = std::max(gpu_.atomic_round_cycles, 1 / (share_.part * gpu_.l2_partial_sectors));
  l2_free_ = std::max(start, l2_free_) + rounds * each;
  result_.l2 += rounds * each;
  return std::max(start, l2_free_) + gpu_.atomic_latency;
}

/// 2 KB of lines of 64 bytes, behind them a larger cache that brings 256 bytes at a time, one of them at once: a line
/// of it takes 54 cycles, and a block that is nowhere yet as long as DRAM (an H100; a chain through 1 to 64 KB, each 64
/// bytes 265 cycles, each 256 bytes 762, and 101 when it goes round again). The linker lays a kernel's tables side by
/// side; here each begins 2 KB and more behind the one before, so that where 2 KB begin is spread over the cache: else
/// the first words of any two tables would push each other out.
double SmMemory::constant_line(double now, std::uint64_t line) {
  constexpr double next_cache = 54;
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio: neighbours fall far apart
  const std::uint64_t begin = line / kConstantLines * golden >> 59;
  std::uint64_t& place = constant_lines_[(line + begin) % kConstantLines];
  const auto [there, fresh] = constant_blocks_.try_emplace(line >> 2, 0);
  if (place == line + 1) return std::max(now, there);
  place = line + 1;
  const double start = std::max(now, constant_miss_free_);
  if (fresh) there = start + gpu_.dram_latency;
  return constant_miss_free_ = std::max(start, there) + next_cache;
}

/// The constant cache broadcasts one address at a time (CUDA C++ Programming Guide, "Constant Memory": a request is
/// split into as many as there are different addresses, bytes of one word too): 2 cycles of the SM for each, 5.5 of the
/// warp, which starts no other one meanwhile (open_const_…). One address alone keeps no warp from going on, but takes 2
/// cycles, too, if the index lies in a register of each lane (LDC): 64 warps that multiply by a table so take 129
/// cycles of the SM for each of its words. Where all lanes have one index, most loads are ULDC, which is as fast as it
/// issues if the table has a few lines of 64 bytes. Of a larger one each takes some 25 cycles once warps have drifted
/// apart, which this model's warps do not.
double SmMemory::constant(double now, double addresses, bool apart, std::span<const std::uint64_t> sectors) {
  constexpr double each = 2, of_warp = 5.5, first = 16;
  double start = std::max(now, constant_free_);
  for (const std::uint64_t sector : sectors) start = std::max(start, constant_line(now, sector >> 1));
  if (addresses >= 2 || apart) constant_free_ = start + addresses * each;
  if (addresses < 2) return start + gpu_.shared_latency;
  return start + first + addresses * of_warp;
}

/// A shared atomic on a floating-point number is a loop of a load and a compare-and-swap, a turn for each lane at an
/// address. Warps at one address fail each other's swaps: of two each takes nearly twice as long, of nine and more a
/// lane goes by in less than half a turn (open_reds_f32_one, open_reds_f32_own).
double SmMemory::shared_loop(double now, std::uint64_t place, double lanes) {
  const double turn = gpu_.shared_float_latency, least = gpu_.shared_float_contended_cycles;
  std::vector<double>& ends = loops_[place];
  std::erase_if(ends, [&](double end) { return end <= now; });
  constexpr double until_least = 8, of_full = 32;
  const auto others = static_cast<double>(ends.size());
  const double contended = std::min(others / until_least, 1.0);
  // What fails keeps shared memory busy, too, and each warp that waits tries again each turn: with 32 warps at one
  // address it is all that there is room for (full_reds_f32_same: of one block 42.8 cycles a lane, of two blocks at
  // addresses of their own 84.5), with eight of each of eight blocks a fourth of it (11.8 of 100 million lanes).
  const double busy = std::max(gpu_.shared_float_cycles, least / of_full * (others + 1));
  const double start = shared(now, lanes * busy) - gpu_.shared_latency - lanes * busy + 1;
  const double each = turn - (turn - least) * contended;
  double end = start + lanes * turn;
  if (!ends.empty()) end = std::max(end, ends.back() + lanes * each);
  ends.push_back(end);
  return end;
}

/// The simulator runs a warp's loop with nobody in between. On a GPU all warps that wait at the place try again each
/// turn, and one of them succeeds: of 2 to 32 warps of a block each success took about as many tries of a warp as warps
/// waited (28.9 of 32). From one success to the next 175 cycles go by with one lane of each warp, 193 with 4.5 on
/// average, 266 with 16.5; or as long as it takes the pipe to let all tries by, where that is more: 9, 14 and 39 cycles
/// for each warp, of four blocks of eight warps as of one block of 32. A warp alone goes round in 265 cycles with one
/// lane, in 300 with 32 (an H100).
double SmMemory::shared_swap(double now, std::uint64_t place, double lanes, double wavefronts) {
  constexpr double turn = 200, again = 171, of_lane = 5;
  constexpr double least = 9, first = 2, each = 2.25;
  const double one = std::max({least, first + each * lanes, wavefronts});
  std::vector<double>& ends = loops_[place];
  std::erase_if(ends, [&](double end) { return end <= now; });
  const auto others = static_cast<double>(ends.size());
  double end = shared(now, one) - gpu_.shared_latency - one + 1 + turn + of_lane * lanes;
  if (!ends.empty()) {
    // What fails in the meantime goes by turns with all else that the pipe has to do, which waits for none of it.
    swaps_free_ = std::max(now, swaps_free_) + others * one;
    result_.shared += others * one;
    end = std::max({end, ends.back() + again + of_lane * lanes, swaps_free_});
  }
  ends.push_back(end);
  return end;
}

/// `__threadfence_block()` waits for no L2: 14 cycles a turn with an FFMA for a warp alone, 3.3 for each of 32 warps
/// (`fence_cta`, an H100), where `__threadfence()` takes 340 ns.
double SmMemory::fence(double now, bool of_block) {
  constexpr double each = 3.3, latency = 10;
  return of_block ? pass(now, each) + latency : now + gpu_.fence_latency;
}

double SmMemory::shared(double now, double wavefronts) {
  const double start = pass(now, wavefronts);
  result_.l1 -= wavefronts;  // of the same pipe, but told apart
  result_.shared += wavefronts;
  return start + gpu_.shared_latency + wavefronts - 1;
}

}  // namespace gpulab::simt
