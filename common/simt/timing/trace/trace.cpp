#include "common/simt/timing/trace/trace.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <string_view>

#include "common/simt/timing/code/branches.h"
#include "common/simt/timing/code/code.h"
#include "common/simt/timing/trace/lanes.h"
#include "common/simt/timing/trace/queues.h"
#include "common/simt/timing/trace/sector_set.h"

namespace gpulab::simt {

namespace {

/// Instructions that all traces of a grid hold together, and one block's at least: what is longer is cut, and counts as
/// more of the same. A stranger's kernel takes so much time and memory of the model and no more: of its instructions
/// half may be accesses, of four sectors each on average, which makes 400 MB at most.
constexpr std::uint64_t kMostInstructions = 4'000'000, kLeastInstructions = 20'000;

/// Of the places that a block's warps come back to, so many are kept.
constexpr std::size_t kMostAgain = 4096;

using Space = TracedAccess::Space;

/// Whether an atomic goes lane by lane where lanes meet. Neither ptxas nor the GPU makes one of several that swap,
/// exchange, or count up or down to a limit: 16 384 lanes that do each of these four once at a word take 53 us, seven
/// sums, minima and bit operations of the same lanes included.
bool goes_by_lane(std::string_view opcode) {
  constexpr std::string_view names[] = {".cas", ".exch", ".inc", ".dec"};
  return std::ranges::any_of(names, [&](std::string_view name) { return opcode.find(name) != std::string_view::npos; });
}

/// Whether lanes that bring 64-bit integers to one word do so one by one: 32 that add to a word take an H100 46 cycles,
/// one of them a thirtieth. Only where all add one value at one place ptxas makes one sum of them (VOTEU, POPC).
/// `uniform`: by function, made where it is asked for: once, however many such atomics a stranger's function has.
bool joins_no_lanes_of_64(const Site& site, std::map<const ptx::Function*, Uniformity>& uniform) {
  const std::string_view opcode = site.instruction->opcode;
  if (!is_loop_of_64(opcode)) return false;
  if (opcode.find(".add") == std::string_view::npos) return true;
  const ptx::Operand& value = site.instruction->operands.back();
  return value.reg >= 0 && !uniform.try_emplace(site.function, *site.function).first->second.of(value.reg);
}

/// What the runtime calls memory that lies with the host, and managed memory: by the function that made it, of either
/// API, with a number behind.
bool lies_with_host(std::string_view name) {
  constexpr std::string_view makers[] = {"cudaHost", "cudaMallocHost", "cuMemHost", "cuMemAllocHost"};
  return std::ranges::any_of(makers, [&](std::string_view maker) { return name.starts_with(maker); });
}
bool is_managed(std::string_view name) {
  return name.starts_with("cudaMallocManaged") || name.starts_with("cuMemAllocManaged");
}

/// Which allocation an access to global memory goes to, and with whom that lies.
void find_allocation(const Warp& w, std::uint64_t address, BlockTrace& trace, TracedAccess& access) {
  const Allocation* const a = w.global->find(address);
  if (!a) return;
  access.allocation = a->index;
  if (trace.last_allocation != a->index) {
    trace.last_allocation = a->index;
    trace.last_of_host = lies_with_host(a->name);
    trace.managed |= is_managed(a->name);
  }
  access.of_host = trace.last_of_host;
}

/// Whether a compare-and-swap brings some lane's word a new value. One that does not, as of a maximum that is already
/// there, fails nobody, however many do it at once.
bool changes_any(const Warp& w, const MicroOp* op, const MemoryUse& use) {
  const auto* expected = reinterpret_cast<const std::byte*>(w.regs + op->r[use.value]);
  const auto* fresh = reinterpret_cast<const std::byte*>(w.regs + op->r[use.value + 1]);
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::size_t at = static_cast<std::size_t>(std::countr_zero(left)) * use.element;
    if (std::memcmp(expected + at, fresh + at, use.element) != 0) return true;
  }
  return false;
}

void add(const Warp& w, const TracedAccess& access, BlockTrace& trace) {
  trace.warps[w.index].push_back({TraceEvent::kAccess | static_cast<std::uint32_t>(trace.accesses.size())});
  trace.accesses.push_back(access);
  ++trace.accessed;
}

}  // namespace

void Tracer::grid_started(const LaunchState& launch) {
  blocks_ = launch.grid.volume();
  running_.clear();
  tracing_ = 0;
  grid_ = {};
  sums_.executed = sums_.most_executed = sums_.most_of_warp = 0;
  static std::atomic<std::uint64_t> grids{0};
  grid_number_ = ++grids;
  choose_corner(launch.grid);
  const std::uint64_t of_corner = corner_.size() <= kCornerOfGrid ? corner_.size() : 0;
  most_instructions_ =
      std::max(kMostInstructions / std::max<std::uint64_t>(wanted_ + of_corner, 1), kLeastInstructions);
  if (program_ == launch.program) return;  // programs live as long as the device
  program_ = launch.program;
  uses_.clear();
  polls_ = false;
  barriers_.assign(program_->blocks.size(), false);
  clock_ = waits_for_clock(*program_);
  queue_ = takes_numbers(*program_);
  std::map<const ptx::Function*, Uniformity> uniform;
  for (const Site& site : program_->sites) {
    SiteUse& known = uses_.emplace_back();
    if (!site.instruction || !site.row) continue;
    if ((site.row->meaning.traits & kBarrier) && site.block < barriers_.size()) barriers_[site.block] = true;
    known.use = memory_use_of(site);
    if (site.facts & kQuotient) known.quotient = quotient_of(site.instruction->opcode);
    known.naps = (site.facts & kNap) != 0;
    const std::string_view opcode = site.instruction->opcode;
    // A table in __constant__ memory: the tools do not follow its loads, but lanes that index it apart take time.
    if (site.row->unit == Unit::constant && (site.row->meaning.traits & kLoad)) {
      known.constant = true;
      std::uint8_t entry = 0;
      for (const OperandType& operand : site.row->meaning.operands) {
        if (operand.role == Role::address) known.use.address = entry;
        entry = static_cast<std::uint8_t>(entry + operand.vector);
      }
    }
    known.looks = known.use.atomic && is_look(*site.function, *site.instruction);
    known.swaps = known.use.atomic && !known.looks && opcode.find(".cas") != std::string_view::npos;
    known.of_found = known.swaps && expects_what_was_found(*site.function, *site.instruction);
    const bool wide = known.use.atomic && joins_no_lanes_of_64(site, uniform);
    known.of_half = known.use.atomic && is_of_half(opcode);
    known.by_lane = known.use.atomic && (goes_by_lane(opcode) || wide || known.of_half);
    known.joins =
        known.use.atomic && (is_loop_of_64(opcode) ||
                             is_at_one_place(site, uniform.try_emplace(site.function, *site.function).first->second));
    known.polls = known.use.may_order() && (known.use.load || known.use.atomic) && is_poll(site);
    polls_ |= known.polls;
    const auto has = [&](std::string_view word) { return opcode.find(word) != std::string_view::npos; };
    known.real = known.use.atomic && (has(".f") || has(".bf") || (wide && has(".shared")));
  }
}

/// Groups lie evenly over the grid.
bool Tracer::is_wanted(std::uint64_t block) const {
  if (wanted_ >= blocks_) return true;
  const std::uint64_t groups = std::max<std::uint64_t>(1, wanted_ / group_);
  const std::uint64_t apart = std::max<std::uint64_t>(1, blocks_ / groups);
  const std::uint64_t in_group = block % apart;
  return block / apart < groups && in_group % stride_ == 0 && in_group / stride_ < group_;
}

void Tracer::block_started(const BlockContext& block) {
  const bool wanted = is_wanted(block.linear) || is_witness(block.linear);
  if (!wanted && !is_of_corner(block.linear)) return;
  {
    const std::lock_guard lock(mutex_);
    BlockTrace& trace = running_[block.linear];
    ++tracing_;
    trace.linear = block.linear;
    trace.global_alone = !wanted;
    trace.warps.resize(block.warps.size());
    trace.warp_instructions.resize(block.warps.size());
    trace.polls.resize(block.warps.size());
  }
  for (const Warp& w : block.warps) w.traced = true;
}

/// A CPU thread mostly stays with a block: the one that it asked for last needs no lock. Traces of a map stay where
/// they are, and a block's ends with it, so that nobody asks for one that is gone.
BlockTrace* Tracer::trace_of(const BlockContext& block) {
  struct Last {
    std::uint64_t grid = 0, block = 0;
    BlockTrace* trace = nullptr;
  };
  thread_local Last last;
  if (last.grid == grid_number_ && last.block == block.linear) [[likely]]
    return last.trace;
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(block.linear);
  last = {grid_number_, block.linear, found == running_.end() ? nullptr : &found->second};
  return last.trace;
}

namespace {
void raise(std::atomic<std::uint64_t>& most, std::uint64_t x) {
  std::uint64_t before = most.load(std::memory_order_relaxed);
  while (before < x && !most.compare_exchange_weak(before, x, std::memory_order_relaxed)) {
  }
}
bool has_called(const Warp& w) { return (w.library.prints | w.library.mallocs | w.library.frees) != 0; }
}  // namespace

void Tracer::block_ended(const BlockContext& block) {
  sums_.executed.fetch_add(block.executed, std::memory_order_relaxed);
  raise(sums_.most_executed, block.executed);
  std::uint64_t most_of_warp = 0;
  for (const Warp& w : block.warps) most_of_warp = std::max(most_of_warp, w.executed);
  raise(sums_.most_of_warp, most_of_warp);
  if (tracing_.load(std::memory_order_relaxed) == 0 && std::ranges::none_of(block.warps, has_called)) return;
  const std::lock_guard lock(mutex_);
  for (const Warp& w : block.warps) grid_.library.add(w.library);
  const auto found = running_.find(block.linear);
  if (found == running_.end()) return;
  --tracing_;
  found->second.executed = block.executed;
  if (is_witness(block.linear)) grid_.witnesses.push_back(found->second);
  if (is_of_corner(block.linear)) {
    if (is_wanted(block.linear))
      grid_.corner.push_back(found->second);
    else
      grid_.corner.push_back(std::move(found->second));
  }
  if (!is_wanted(block.linear)) {
    running_.erase(found);
    return;
  }
  grid_.polls |= found->second.looked_again;
  grid_.managed |= found->second.managed;
  const auto place = std::lower_bound(grid_.blocks.begin(), grid_.blocks.end(), block.linear,
                                      [](const BlockTrace& t, std::uint64_t linear) { return t.linear < linear; });
  grid_.blocks.insert(place, std::move(found->second));
  running_.erase(found);
}

void Tracer::entered(Warp& w, std::uint32_t block) {
  BlockTrace* trace = trace_of(*w.block);
  const std::uint32_t count = w.program->blocks[block].instructions;
  if (trace->most_of_warp == UINT64_MAX && is_too_long(*trace)) cut(*trace, w.block->warps);
  if (trace->warp_instructions[w.index] + count > trace->most_of_warp || is_too_long(*trace)) {
    w.traced = false;
    return;
  }
  trace->instructions += count;
  trace->warp_instructions[w.index] += count;
  trace->warps[w.index].push_back({block});
}

/// Leaves each warp an equal part of what a trace may hold. The simulator runs a warp up to its next barrier, and where
/// there is none the first warps of a block would fill the trace: an SM that runs these alone has few warps that wait
/// for memory side by side (s8n's blocks had 2.6 of 16, and took 2.7 times as long as on the GPU).
void Tracer::cut(BlockTrace& trace, std::span<const Warp> warps) const {
  constexpr std::uint64_t spare = 16;  // a part that stays free for warps that access more than the first ones
  trace.most_of_warp = (trace.instructions - trace.instructions / spare) / warps.size();
  const std::vector<TracedAccess> accesses = std::exchange(trace.accesses, {});
  const std::vector<std::uint64_t> sectors = std::exchange(trace.sectors, {});
  std::vector<std::uint32_t> kept_as(accesses.size(), UINT32_MAX);
  trace.instructions = trace.accessed = 0;
  trace.shared_of.clear();
  for (const Warp& w : warps) {
    auto& events = trace.warps[w.index];
    std::uint64_t& kept = trace.warp_instructions[w.index];
    const bool whole = kept <= trace.most_of_warp;
    kept = 0;
    auto event = events.begin();
    for (; event != events.end(); ++event) {
      if (event->what & TraceEvent::kAccess) {
        const std::uint32_t before = event->what & ~TraceEvent::kAccess;
        std::uint32_t& now = kept_as[before];
        ++trace.accessed;
        if (now != UINT32_MAX) {
          ++trace.accesses[now].times;
          event->what = TraceEvent::kAccess | now;
          continue;
        }
        now = static_cast<std::uint32_t>(trace.accesses.size());
        event->what = TraceEvent::kAccess | now;
        TracedAccess access = accesses[before];
        const auto first = sectors.begin() + access.first_sector;
        access.times = 1;
        access.first_sector = static_cast<std::uint32_t>(trace.sectors.size());
        trace.sectors.insert(trace.sectors.end(), first, first + access.sectors);
        trace.accesses.push_back(access);
        continue;
      }
      const std::uint32_t count = w.program->blocks[event->what].instructions;
      if (kept + count > trace.most_of_warp) break;
      kept += count;
    }
    events.erase(event, events.end());
    trace.instructions += kept;
    if (!whole) w.traced = false;
  }
}

/// Notes that a warp looks at what others may change. Whether it has done so before, at the same place and with nothing
/// stored since: how often depends on the simulator's turns, and its trace goes on from there.
bool Tracer::note_look(Warp& w, const TracedAccess& access, std::uint64_t address, BlockTrace& trace) const {
  const SiteUse& site = uses_[access.site];
  auto& looks = trace.polls[w.index];
  auto& events = trace.warps[w.index];
  if (site.swaps) {  // a lock: the same warp swaps again at the same place, with nothing but loads between
    trace.looked_again |= !looks.empty() && looks.back().site == access.site && looks.back().sector == address;
    looks.assign(1, {access.site, address, events.size() + 1});
    return false;
  }
  const bool changes = site.use.store || (site.use.atomic && !site.looks);
  if (changes) looks.clear();
  if (changes || !(site.use.load || site.looks) || !site.use.may_order()) return false;
  const std::uint64_t sector = address >> 5;
  const auto before =
      std::ranges::find_if(looks, [&](const Poll& look) { return look.site == access.site && look.sector == sector; });
  if (before == looks.end()) {
    if (looks.size() == Poll::kMost) looks.erase(looks.begin());
    looks.push_back({access.site, sector, events.size() + 1});
    return false;
  }
  const auto since = events.begin() + static_cast<std::ptrdiff_t>(before->event);
  trace.looked_again |=
      std::none_of(since, events.end(), [](const TraceEvent& e) { return (e.what & TraceEvent::kAccess) != 0; });
  if (trace.looked_again_at.size() < kMostAgain) trace.looked_again_at.push_back(sector);
  if (std::any_of(since, events.end(), [&](const TraceEvent& e) { return has_barrier(e); })) {
    looks.clear();  // others have come by, too
    return false;
  }
  events.erase(since, events.end());
  looks.erase(before + 1, looks.end());
  return true;
}

/// A place that a warp came back to is one that it waits for if anybody stores there.
GridTrace Tracer::take() {
  SectorSet places;
  for (const BlockTrace& block : grid_.blocks)
    for (const std::uint64_t sector : block.looked_again_at) places.insert(sector);
  for (const BlockTrace& block : grid_.blocks) {
    if (grid_.polls || places.size() == 0) break;
    for (const TracedAccess& a : block.accesses)
      for (std::uint32_t i = 0; a.space == Space::global && (a.atomic || a.stored_bytes) && i < a.sectors; ++i)
        grid_.polls |= places.contains(block.sectors[a.first_sector + i]);
  }
  grid_.executed = sums_.executed.exchange(0);
  grid_.most_executed = sums_.most_executed.exchange(0);
  grid_.most_of_warp = sums_.most_of_warp.exchange(0);
  grid_.clock = clock_;
  grid_.queue = queue_;
  grid_.chain = chained(grid_.blocks);
  grid_.of_witnesses = grid_.chain.part == 0;
  std::ranges::sort(grid_.witnesses, {}, &BlockTrace::linear);
  if (grid_.of_witnesses) grid_.chain = chained(grid_.witnesses);
  grid_.polls |= grid_.chain.part > 0;
  mark_handed(grid_.chain, grid_.of_witnesses ? grid_.witnesses : grid_.blocks);
  return std::exchange(grid_, {});
}

void Tracer::traced_request(Warp& w, const MicroOp* op, const MatrixRequest& request) {
  BlockTrace* trace = trace_of(*w.block);
  auto& events = trace->warps[w.index];
  const bool further = request.number > 0 && !events.empty() && (events.back().what & TraceEvent::kAccess) != 0;
  const MemoryUse use{
      .load = !request.store, .store = request.store, .bytes = static_cast<std::uint8_t>(request.bytes)};
  const LaneAddresses addresses(w, request.places);
  TracedAccess access;
  access.site = op->site;
  access.space = request.shared ? Space::shared : Space::global;
  if (request.shared) {
    const Pattern& pattern = pattern_of(w, op->site, addresses, use);
    access.wavefronts = pattern.wavefronts;
    access.ideal_wavefronts = pattern.ideal_wavefronts;
  } else {
    find_allocation(w, addresses.packed()[0], *trace, access);
    find_sectors(w, use, addresses, *trace, access);
    if (use.load && access.lines > 1)
      access.passes = std::max(access.passes, pattern_of(w, op->site, addresses, use).wavefronts);
  }
  if (further) {
    join(trace->accesses.back(), access, *trace);
    return;
  }
  add(w, access, *trace);
}

/// Of a division, or of a nap; not of one between two looks at what others store, which lasts as long as they take.
void Tracer::traced_value(const Warp& w, const MicroOp* op) {
  const SiteUse& site = uses_[op->site];
  if (site.naps && polls_) return;
  TracedAccess access;
  access.slow = site.naps ? nap_ns(w, op) : slow_instructions(w, op, site.quotient);
  if (access.slow == 0) return;
  access.site = op->site;
  access.space = Space::none;
  keep_alike(w, access, *trace_of(*w.block));  // a stranger's loop of naps has millions
}

/// An access to shared memory, a division or a nap, which mostly is as the last one of its instruction was.
void Tracer::keep_alike(const Warp& w, const TracedAccess& access, BlockTrace& trace) {
  if (trace.shared_of.empty()) trace.shared_of.resize(w.program->sites.size());
  std::uint32_t& last = trace.shared_of[access.site];
  if (last != 0) {
    TracedAccess& known = trace.accesses[last - 1];
    if (known.wavefronts == access.wavefronts && known.ideal_wavefronts == access.ideal_wavefronts &&
        known.slow == access.slow) {
      ++known.times;
      ++trace.accessed;
      trace.warps[w.index].push_back({TraceEvent::kAccess | (last - 1)});
      return;
    }
  }
  add(w, access, trace);
  last = static_cast<std::uint32_t>(trace.accesses.size());
}

void Tracer::traced_access(Warp& w, const MicroOp* op) {
  const MemoryUse& use = uses_[op->site].use;
  if (uses_[op->site].quotient != Quotient::none || uses_[op->site].naps) return traced_value(w, op);
  const bool constant = uses_[op->site].constant;
  if (use.space == MemoryUse::Space::none && !constant) return;
  BlockTrace* trace = trace_of(*w.block);
  TracedAccess access;
  access.site = op->site;
  access.space =
      constant ? Space::constant : space_at(address_of(w, op, op->r[use.address], std::countr_zero(w.mask)), use);
  if (trace->global_alone && access.space != Space::global) {
    ++trace->accessed;
    return;
  }
  const LaneAddresses addresses(w, op, op->r[use.address]);
  if (access.space == Space::shared) {
    MemoryUse whole = use;  // what ptxas has made of it and its neighbours: where the first one lies is no matter
    if (op->site < joined_.size() && joined_[op->site] != 0) whole.bytes = joined_[op->site];
    const Pattern& pattern = pattern_of(w, op->site, addresses, whole);
    access.wavefronts = pattern.wavefronts;
    access.ideal_wavefronts = pattern.ideal_wavefronts;
    if (!use.atomic) return keep_alike(w, access, *trace);
  }
  const auto& packed = addresses.packed();
  const int count = addresses.count;
  access.atomic = use.atomic;
  if (access.space == Space::global) find_allocation(w, packed[0], *trace, access);
  if (use.atomic) {
    auto places = packed;
    const bool of_half = uses_[op->site].of_half && access.space == Space::global;
    for (std::uint64_t& place : places) place &= ~std::uint64_t{of_half ? 3u : 0u};
    const auto [address, lanes] = hottest(places, count);
    access.same_address = static_cast<std::uint8_t>(lanes);
    access.hot_sector = access.space == Space::shared ? address : address >> 5;
    access.real = uses_[op->site].real && !of_half;
    access.swaps = uses_[op->site].swaps;
    access.retried = access.swaps && uses_[op->site].polls && changes_any(w, op, use);
    if (access.space == Space::shared) access.retried &= uses_[op->site].of_found;
    access.by_lane = uses_[op->site].by_lane;
    access.together = !access.real && !access.by_lane && lanes == count && (count == 1 || uses_[op->site].joins);
    access.conflicts = access.together ? 1 : rounds_of(places, count);
  }
  if (access.space == Space::constant) {
    auto sorted = packed;
    std::sort(sorted.begin(), sorted.begin() + count);
    access.wavefronts = static_cast<std::uint8_t>(std::unique(sorted.begin(), sorted.begin() + count) - sorted.begin());
    access.first_sector = static_cast<std::uint32_t>(trace->sectors.size());
    for (std::size_t i = 0; i < access.wavefronts; ++i)
      if (i == 0 || sorted[i] >> 5 != sorted[i - 1] >> 5) trace->sectors.push_back(sorted[i] >> 5);
    access.sectors = static_cast<std::uint32_t>(trace->sectors.size()) - access.first_sector;
  } else if (access.space != Space::shared) {
    find_sectors(w, use, addresses, *trace, access);
    // Its data lie in the banks of shared memory: lanes 8 bytes apart take 2 cycles, 128 bytes apart 32 (l1_4_8 …).
    if (use.load && !use.atomic && access.space == Space::global && access.lines > 1)
      access.passes = std::max(access.passes, pattern_of(w, op->site, addresses, use).wavefronts);
  }
  if (access.space == Space::global && note_look(w, access, packed[0], *trace)) return;
  if (access.space == Space::global && count == 1 && trace->meetings.size() < Meeting::kMost &&
      (use.may_order() || use.store)) {
    trace->meetings.push_back(
        {packed[0], op->site, uses_[op->site].polls, use.store || (use.atomic && !uses_[op->site].looks)});
    access.meeting = static_cast<std::uint8_t>(trace->meetings.size());
  }
  add(w, access, *trace);
}

}  // namespace gpulab::simt
