#include "common/simt/timing/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/simt/device_runtime/builtins.h"
#include "common/simt/timing/l2/popularity.h"
#include "common/simt/timing/l2/slices.h"
#include "common/simt/timing/trace/queues.h"
#include "common/simt/timing/trace/sector_set.h"

namespace gpulab::simt {

namespace {

/// Of one SM's blocks, as many waves are simulated.
constexpr std::uint64_t kWaves = 3;
constexpr std::uint64_t kMostBlocks = 96;

std::uint64_t sms(const GpuProfile& profile) { return static_cast<std::uint64_t>(std::max(profile.sm_count, 1)); }

/// Cycles of what an SM has one of, or four, and that is busy for the longest.
double busiest(const SmResult& sm) {
  return std::max({sm.issue, sm.fma, sm.alu, sm.fp64, sm.special, sm.tensor, sm.shared + sm.l1, sm.dram, sm.stored});
}

/// Whether one of the traced blocks does more than twice as much as another: executes so many instructions, or more
/// instructions and asks for so many sectors (who has nothing to do ends behind a comparison, as long as what it
/// skips).
bool are_uneven(std::span<const BlockTrace* const> blocks) {
  const auto [least, most] = std::minmax_element(blocks.begin(), blocks.end(),
                                                 [](auto* a, auto* b) { return a->instructions < b->instructions; });
  if ((*most)->instructions > 2 * (*least)->instructions) return true;
  return (*most)->instructions > (*least)->instructions && (*most)->sectors.size() > 2 * (*least)->sectors.size();
}

/// Whether they are uneven, and not because of few blocks alone that do the least, as the first one does where each
/// adds what those before it have summed up.
bool is_uneven(const GridTrace& trace, double blocks) {
  constexpr double few = 0.05;
  std::vector<const BlockTrace*> all, others;
  for (const BlockTrace& block : trace.blocks) all.push_back(&block);
  if (!are_uneven(all)) return false;
  const auto least = *std::ranges::min_element(all, {}, [](auto* block) { return block->instructions; });
  double of_others = 0;
  for (const BlockTrace* block : all)
    if (block->instructions > least->instructions) {
      others.push_back(block);
      of_others += static_cast<double>(block->executed);
    }
  if (others.empty() || are_uneven(others)) return true;
  const double mean = of_others / static_cast<double>(others.size()), lowest = static_cast<double>(least->executed);
  return mean <= lowest || (mean - static_cast<double>(trace.executed) / blocks) / (mean - lowest) > few;
}

bool uses_heap(const Program& program) {
  constexpr std::string_view names[] = {"malloc", "free", "__cudaCDP2Malloc", "__cudaCDP2Free"};
  return std::ranges::any_of(program.calls, [&](const CallInfo& call) {
    return call.builtin && std::ranges::find(names, std::string_view(call.builtin->name)) != std::end(names);
  });
}

bool copies_tensors(const Program& program) {
  return std::ranges::any_of(program.sites, [](const Site& site) {
    return site.block != kNoBlock && site.instruction->opcode.find(".tensor.") != std::string_view::npos;
  });
}

/// Whether a traced warp has come back from printf.
bool prints(const Program& program, const GridTrace& trace) {
  std::vector<std::uint32_t> behind;  // basic blocks
  for (const CallInfo& call : program.calls)
    if (call.builtin && call.builtin->name == std::string_view("vprintf")) behind.push_back(call.return_block);
  const auto among = [&](const TraceEvent& event) { return std::ranges::find(behind, event.what) != behind.end(); };
  return !behind.empty() && std::ranges::any_of(trace.blocks, [&](const BlockTrace& block) {
    return std::ranges::any_of(block.warps, [&](const auto& warp) { return std::ranges::any_of(warp, among); });
  });
}

LaunchKinds kinds_of(const Program& program, const GridTrace& trace, bool spills, std::uint32_t per_sm) {
  LaunchKinds kinds = kinds_of(trace, spills);
  kinds.swaps = missed_swaps(trace, per_sm).lanes > 0;
  kinds.heap = uses_heap(program);
  kinds.tensors = copies_tensors(program);
  kinds.prints = prints(program, trace);
  return kinds;
}

}  // namespace

double traced_instructions(const GridTrace& trace) {
  double sum = 0;
  for (const BlockTrace& block : trace.blocks) sum += static_cast<double>(block.instructions);
  return sum;
}

void TimingModel::start_run(bool empty_l2) {
  issued_.clear();
  grids_.clear();
  touched_.clear();
  brought_bytes_ = 0;
  dirty_left_ = empty_l2 ? 0 : gpu_.dirty_l2_bytes;
  of_program_ = empty_l2;
  unavailable_.clear();
}

void TimingModel::prepare(const LaunchState& launch, std::uint32_t per_sm, ThreadRegisters of_thread) {
  of_thread_ = of_thread;
  const std::uint64_t blocks = launch.grid.volume(), used = std::min(blocks, sms(profile_));
  const std::uint64_t of_one = used ? (blocks + used - 1) / used : 0;
  const std::uint64_t most = std::min<std::uint64_t>(std::max<std::uint64_t>(kWaves * per_sm, 4), kMostBlocks);
  // Blocks an even number apart may all do the same part of their work, where rows have a power of two of them.
  const auto joined = code_of(*launch.program).joined();
  if (of_one <= most)
    tracer_.prepare(of_one, of_one, std::max<std::uint64_t>(used, 1), joined);
  else
    tracer_.prepare(most / per_sm * per_sm, per_sm, (used - 1) | 1, joined);
}

const TimedCode& TimingModel::code_of(const Program& program) {
  auto& code = codes_[&program];
  if (!code) code = std::make_unique<TimedCode>(program, of_thread_, gpu_.special_slower);
  return *code;
}

/// Bytes that are left to L1. What an SM's blocks need of shared memory the driver takes from it in so many steps: an
/// array of 128 words of each thread lies in L1 or not by how many blocks may be resident (open_local_128, _1024).
std::uint32_t TimingModel::l1_bytes(const LaunchState& launch, std::uint32_t per_sm) const {
  constexpr std::uint64_t kib = 1024, of_system = 1, least_l1 = 28;
  constexpr std::uint64_t steps[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  const std::uint64_t of_block = launch.program->static_shared_bytes + launch.dynamic_shared_bytes;
  const auto most = static_cast<std::uint64_t>(profile_.shared_bytes_per_sm);
  const std::uint64_t of_all = of_block ? (of_block + of_system * kib) * per_sm : 0;
  const std::uint64_t preferred = static_cast<std::uint64_t>(std::max(launch.carveout, 0)) * most / 100;
  const std::uint64_t needed = std::max(of_all, preferred);
  const auto* step =
      std::find_if(std::begin(steps), std::end(steps), [&](std::uint64_t s) { return s * kib >= needed; });
  const std::uint64_t shared = step == std::end(steps) ? most : std::min(*step * kib, most);
  return static_cast<std::uint32_t>(most + least_l1 * kib - shared);
}

/// What blocks share that run far from each other L2 no longer holds when the later one comes: of a grid of rows and
/// planes, a block's pairs of sectors that one a row or a plane before it has asked for, and none nearer by; of a long
/// row, that one 2, 4, 8 … blocks before it has.
void TimingModel::bring_again(const GridTrace& trace, MemoryShare& share) const {
  if (trace.corner.size() < 2) return;
  const auto for_each_sector = [](const BlockTrace& block, auto&& use) {
    for (const TracedAccess& a : block.accesses)
      for (std::uint32_t i = 0; a.space == TracedAccess::Space::global && i < a.sectors; ++i)
        use(a, block.sectors[a.first_sector + i]);
  };
  std::vector<const BlockTrace*> blocks;
  for (const BlockTrace& block : trace.corner) blocks.push_back(&block);
  std::ranges::sort(blocks, {}, [](const BlockTrace* block) { return block->linear; });
  const BlockTrace& own = *blocks.back();
  SectorSet all, loaded, stored, seen;  // sectors, but for pairs of what is loaded
  for_each_sector(own, [&](const TracedAccess& a, std::uint64_t sector) {
    all.insert(sector);
    if (a.stored_bytes) stored.insert(sector);
    if (!a.stored_bytes && !a.atomic) loaded.insert(sector >> 1);
  });
  // Blocks read the same chunks round and round: of 28 MB seven of a hundred come from DRAM again, of 32 MB 18, of 40
  // MB 48, of 64 MB all; with as much stored beside, of 16 MB none, of 32 MB 42 (an H100 with 50 MB).
  constexpr double held = 1.1, gone = 2.5, of_stored = 0.3;  // of l2_bytes: what both halves ask for lies in both
  const double of_stores = 32 * of_stored * static_cast<double>(stored.size());
  const double of_grid =
      32 * (static_cast<double>(all.size() - stored.size()) * std::min(1.0, share.misses * share.fetched)) + of_stores;
  // In a row the launch's footprint says nothing of how much lies between two that share: what those nearer by have
  // loaded together does, in lines of L2 (SmMemory::taken_).
  const bool row = blocks.size() > kCornerOfGrid;
  SectorSet lines;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> spans;  // of allocations: the first line, the last
  const auto load = [&](const TracedAccess& a, std::uint64_t sector) {
    const std::uint64_t line = sector >> 2;
    if (a.stored_bytes || a.atomic || !lines.insert(line)) return;
    auto& [first, last] = spans.try_emplace(a.allocation, line, line).first->second;
    first = std::min(first, line), last = std::max(last, line);
  };
  for_each_sector(own, load);
  double again = 0;
  for (std::size_t i = blocks.size() - 1, nearer = 1; i-- > 0; ++nearer) {
    const double apart = static_cast<double>(own.linear - blocks[i]->linear);
    double all_lines = 0;  // no more than where they read: of a gather each block has its part of the same lines
    for (const auto& [allocation, span] : spans) all_lines += static_cast<double>(span.second - span.first + 1);
    const double of_row =
        128 * std::min(apart * static_cast<double>(lines.size()) / static_cast<double>(nearer), all_lines);
    const double between = (row ? of_row + apart * of_stores : apart * of_grid) / gpu_.l2_bytes;
    const double part = std::clamp((between - held) / (gone - held), 0.0, 1.0);
    for_each_sector(*blocks[i], [&](const TracedAccess&, std::uint64_t sector) {
      if (loaded.contains(sector >> 1) && seen.insert(sector >> 1)) again += part;
    });
    for_each_sector(*blocks[i], load);
  }
  if (again == 0) return;
  const double total = share.misses * share.fetched + 2 * again / static_cast<double>(all.size());
  share.misses = std::min(1.0, total / share.fetched);
  share.fetched = std::min(2.0, total / share.misses);
}

/// The part of a sector that a block stores of those that it does not fill itself, if blocks near by store to half of
/// them and more, before L2 has to write them back: eight rows of threads that each store down a column of words fill
/// its sectors together. 1: they do not. Asked of each block of the corner, since one alone may begin its sectors.
double TimingModel::filled_near_by(const GridTrace& trace) const {
  constexpr double sector_bytes = 32;
  constexpr std::size_t most = 32;  // blocks: bits
  const auto stored_in = [](const BlockTrace& block, auto&& use) {
    for (const TracedAccess& a : block.accesses)
      for (std::uint32_t i = 0; a.partial && a.space == TracedAccess::Space::global && i < a.sectors; ++i)
        use(a, block.sectors[a.first_sector + i]);
  };
  const std::size_t blocks = std::min(trace.corner.size(), most);
  SectorMap<std::uint32_t> who;
  for (std::size_t b = 0; b < blocks; ++b)
    stored_in(trace.corner[b], [&](const TracedAccess&, std::uint64_t sector) { who[sector] |= 1u << b; });
  double part = 1;
  for (std::size_t b = 0; b < blocks; ++b) {
    const BlockTrace& block = trace.corner[b];
    SectorSet all, parts, shared;
    double bytes = 0;
    for (const std::uint64_t sector : block.sectors) all.insert(sector);
    stored_in(block, [&](const TracedAccess& a, std::uint64_t sector) {
      parts.insert(sector);
      bytes += static_cast<double>(a.stored_bytes) / a.sectors;
    });
    if (parts.size() == 0) continue;
    const double of_one = bytes / static_cast<double>(parts.size());
    std::uint32_t near = 0;  // by bits: those so near that what is stored until the sectors are full has room in L2
    for (std::size_t o = 0; o < blocks; ++o) {
      const double apart = std::abs(static_cast<double>(trace.corner[o].linear) - static_cast<double>(block.linear));
      const double until_full = apart * sector_bytes / of_one * sector_bytes * static_cast<double>(all.size());
      if (o != b && until_full <= gpu_.l2_bytes / 2) near |= 1u << o;
    }
    stored_in(block, [&](const TracedAccess&, std::uint64_t sector) {
      if (who[sector] & near) shared.insert(sector);
    });
    if (shared.size() * 2 >= parts.size()) part = std::min(part, of_one / sector_bytes);
  }
  return part;
}

MemoryShare TimingModel::share_of(const LaunchState& launch, const Counters& counters, GridTrace& trace, double part,
                                  std::uint32_t per_sm) const {
  MemoryShare share;
  share.part = part;
  share.cold_code = of_program_ && !launched_.contains(launch.program);
  const double dram = gpu_.dram_gbs / gpu_.clock_ghz;
  share.l2_bytes_per_cycle = std::min(gpu_.l2_bytes_per_cycle, gpu_.l2_total_bytes_per_cycle * part);
  share.l2_scattered_bytes_per_cycle =
      std::min(gpu_.l2_bytes_per_cycle, gpu_.l2_scattered * gpu_.l2_total_bytes_per_cycle * part);
  share.dram_bytes_per_cycle = dram * part;
  share.l2_written_bytes_per_cycle = std::min(gpu_.l2_bytes_per_cycle, gpu_.l2_written_bytes_per_cycle * part);
  const auto read = static_cast<double>(counters["global_read_footprint_bytes"]);
  if (read > 0) share.read_cost = 1 + std::min(dirty_left_, read) / read;
  // L2 holds as many dirty lines at the end as at the start; of these the kernel's own as many as it writes among all.
  const auto written = static_cast<double>(counters["global_write_footprint_bytes"]);
  if (written > 0) share.write_back = std::max(0.0, 1 - gpu_.dirty_l2_bytes / (read + written));
  if (const double both = read + written * share.write_back; both > 0)
    share.dram_bytes_per_cycle *= 1 - (1 - gpu_.dram_mixed) * 4 * read * written * share.write_back / (both * both);
  share.l1_bytes = l1_bytes(launch, per_sm);
  share.warps = (launch.block.volume() + 31) / 32;
  // What this SM asks for first another one may have brought: by the whole launch's footprint beside what all SMs ask
  // for, if each asks for as much anew as the traced blocks do.
  const AskedSectors of(trace);
  // What a block leaves of a sector others store to before it leaves L2: two floats of each row, four blocks a sector.
  const double by_all = of.site_bytes * static_cast<double>(launch.grid.volume()) /
                        static_cast<double>(std::max<std::size_t>(trace.blocks.size(), 1));
  const bool joined = by_all >= written * kWholeSector / 32 && read + written <= gpu_.l2_bytes;
  const double all_of_them = kWholeSector * static_cast<double>(of.partial.size());
  share.of_written = filled_near_by(trace);
  if (of.partial_bytes < all_of_them && !joined && share.of_written == 1) share.fill = 1;
  share.filled = of.site_bytes >= all_of_them;
  const double sectors = static_cast<double>(counters["global_load_sectors"] + counters["global_store_sectors"]);
  const double footprint =
      static_cast<double>(counters["global_read_footprint_bytes"] + counters["global_write_footprint_bytes"]) / 32;
  share.l2_room = gpu_.l2_bytes * part;
  if (gpu_.l2_bytes == 0) return share;  // where there is none, nothing is there that others have brought
  const auto unique = static_cast<double>(of.unique.size());
  if (of.asked > 0 && sectors > 0) share.misses = std::min(1.0, footprint / std::max(1.0, sectors * unique / of.asked));
  // Of what is read at random L2 holds any part, whoever has brought it (l_random: 64 MB, 36 % of what was there
  // before), and more of it where some sectors are asked for again and again.
  if (read > gpu_.l2_bytes)
    share.lost =
        (1 - gpu_.l2_bytes / read) *
        misses_beside_uniform({of.at_random, static_cast<double>(of.random.size()), read / 32, gpu_.l2_bytes / 32});
  // Neighbours that the traced blocks do not ask for others may: the rims of tiles are what tiles share.
  const double all = std::max(unique, 1.0);
  const double halves = 2 * static_cast<double>(of.pairs.size()) - all;
  share.fetched = 1 + std::max(0.0, halves - 2 * (1 - share.misses) * all) / all;
  bring_again(trace, share);
  return share;
}

bool TimingModel::is_touched(const BlockTrace& block, const TracedAccess& access) const {
  const auto found = touched_.find(access.allocation);
  if (found == touched_.end() || access.sectors == 0) return false;
  const auto& [first, last] = found->second;
  return block.sectors[access.first_sector] >= first && block.sectors[access.first_sector + access.sectors - 1] <= last;
}

/// `whole`: blocks that are not traced have been elsewhere in the allocation.
void TimingModel::touch(const BlockTrace& block, const TracedAccess& access, bool whole) {
  if (access.sectors == 0) return;
  auto& [first, last] = touched_.try_emplace(access.allocation, UINT64_MAX, 0).first->second;
  first = whole ? 0 : std::min(first, block.sectors[access.first_sector]);
  last = whole ? UINT64_MAX : std::max(last, block.sectors[access.first_sector + access.sectors - 1]);
}

void TimingModel::add(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm) {
  GridTrace trace = tracer_.take();
  if (keeps_issues_) issued_.emplace_back();
  if (trace.blocks.empty()) return;
  grids_.push_back(grid_of(launch, counters, per_sm, trace, launch.program->sites.size()));
  grids_.back().sm.sites.clear();
  if (keeps_issues_) issued_.back() = std::move(grids_.back().sm.issued);
  remember(launch, counters, trace);
}

TimingModel::Grid TimingModel::grid_of(const LaunchState& launch, const Counters& counters, std::uint32_t per_sm,
                                       GridTrace& as_traced, std::size_t sites) {
  const std::uint64_t of_grid = launch.grid.volume(), running = std::min(of_grid, sms(profile_));
  std::optional<GridTrace> shared =
      shared_out(as_traced, {of_grid, running, per_sm, (launch.block.volume() + 31) / 32}, *launch.program);
  GridTrace& trace = shared ? *shared : as_traced;
  const auto used = static_cast<double>(running);
  const double blocks = shared ? used * static_cast<double>(shared->blocks.size()) : static_cast<double>(of_grid);
  const double of_one = std::ceil(blocks / used);
  const auto traced = static_cast<double>(trace.blocks.size());
  const TimedCode& code = code_of(*launch.program);
  for (BlockTrace& block : trace.witnesses)
    for (TracedAccess& a : block.accesses) a.in_l2 = a.handed;
  for (BlockTrace& block : trace.blocks)
    for (TracedAccess& a : block.accesses)
      a.in_l2 = a.handed || (brought_bytes_ < 1.4 * gpu_.l2_bytes && is_touched(block, a));
  MemoryShare share = share_of(launch, counters, trace, traced < of_one ? 1 / used : of_one / blocks, per_sm);
  share.together = blocks <= used * per_sm;
  Grid grid;
  grid.sms_used = static_cast<int>(used);
  grid.kinds = kinds_of(*launch.program, trace, of_thread_.spilled > 0, per_sm);
  grid.kinds.queue = shared.has_value();
  grid.waves = blocks / (static_cast<double>(per_sm) * static_cast<double>(sms(profile_)));
  grid.tail = std::ceil(grid.waves) - grid.waves;
  grid.sm = run_sm(gpu_, code, trace.blocks, per_sm, gpu_.block_cycles * used, share, sites, keeps_issues_);
  grid.sm_cycles = grid.sm.cycles;
  const double traced_work = std::max(1.0, traced_instructions(trace));
  const double work =
      static_cast<double>(trace.executed) / blocks / (traced_work / traced);  // of a block beside a traced one
  if (traced >= of_one) {
    grid.cycles = grid.sm.cycles * std::max(1.0, work);
  } else if (is_uneven(trace, blocks)) {
    grid.cycles = uneven_cycles(trace, code, grid.sm.cycles, {share, per_sm, blocks, used});
  } else {
    const auto wave = static_cast<std::size_t>(std::min<double>(per_sm, traced));
    const double filled = grid.sm.block_ends[wave - 1];
    // From block's end to block's end: what the last ones have stored is on its way as that of the first ones is.
    double each = traced > static_cast<double>(wave)
                      ? (grid.sm.block_ends.back() - filled) / (traced - static_cast<double>(wave))
                      : grid.sm.cycles / traced;
    // Where blocks do not end side by side, those behind the first wave had done a part of their work in its time. But
    // none takes less than what it keeps busy.
    each = std::max(each, busiest(grid.sm) / traced);
    grid.cycles = grid.sm.cycles * work + (blocks / used - traced) * each * work;
    constexpr double many = 1.5;
    if (const double places = places_of(launch, grid.sm, per_sm); places >= many * per_sm) {
      const double life = grid.sm.block_cycles / traced;
      grid.cycles =
          std::min(grid.cycles, (blocks / used * std::max(life / places, busiest(grid.sm) / traced) + life) * work);
    }
  }
  if (grid.sm.most_executed > 0 && !trace.polls)
    grid.cycles = std::max(grid.cycles, grid.sm.busiest_block * static_cast<double>(trace.most_executed) /
                                            static_cast<double>(grid.sm.most_executed));
  // The busiest warp of all may be none that was traced: what it does more it does while others have ended.
  const double more = static_cast<double>(trace.most_of_warp) - static_cast<double>(grid.sm.busiest_executed);
  if (more > 0 && grid.sm.busiest_executed > 0 && !trace.polls)
    grid.cycles = std::max(grid.cycles, grid.sm.busiest_warp + grid.sm.fastest_instruction * more);
  const double scale = blocks / traced * (shared ? work : 1);
  const double written = static_cast<double>(counters["global_write_footprint_bytes"]) / 32;
  const SlicesOfL2 slices(trace, launch.memory, gpu_,
                          {scale, blocks, std::max(1.0, work), shared ? 0 : written, per_sm, sms(profile_)});
  grid.atomics = std::max(slices.hottest(false), slices.one_after_another());
  grid.unqueued = grid.cycles;
  grid.slice = std::max(slices.hottest(true), slices.stored_again());
  const double lanes = std::min(blocks, per_sm * used) * static_cast<double>(launch.block.volume());
  grid.atomics = std::max(grid.atomics, retried_swaps(trace, scale, lanes, gpu_));
  grid.cycles = std::max({grid.cycles, grid.atomics, grid.slice});
  if (trace.chain.part > 0)
    grid.cycles = std::max(grid.cycles, chain_cycles(trace, code, grid.sm.met, {share, per_sm, blocks, used}));
  if (shared) grid.cycles += (static_cast<double>(of_grid) - blocks) * gpu_.block_cycles;  // too late for any work
  grid.library = trace.library.us() * 1e3 * gpu_.clock_ghz;
  grid.cycles += grid.library;
  for (const SiteTime& site : grid.sm.sites) grid.warps.add(site, 1);
  // Atomics that queue elsewhere keep warps waiting that one SM alone would not.
  if (grid.atomics > grid.sm_cycles && grid.atomics >= grid.cycles - grid.library)
    grid.warps.memory += grid.warps.total() * (grid.atomics / grid.sm_cycles - 1);
  grid.queued_by_host = !in_graph_;
  grid.before_us = in_graph_ ? gpu_.next_in_graph_us : gpu_.next_launch_us;
  return grid;
}

void TimingModel::remember(const LaunchState& launch, const Counters& counters, const GridTrace& trace) {
  if (of_program_) launched_.insert(launch.program);
  const double read = static_cast<double>(counters["global_read_footprint_bytes"]),
               written = static_cast<double>(counters["global_write_footprint_bytes"]);
  dirty_left_ = std::max(0.0, dirty_left_ - read);
  brought_bytes_ += read + written;
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses)
      if (a.space == TracedAccess::Space::global) touch(block, a, trace.blocks.size() < launch.grid.volume());
}

std::optional<ModelledTime> TimingModel::take() {
  if (grids_.empty() || !unavailable_.empty()) return std::nullopt;
  ModelledTime time;
  time.gpu = gpu_.gpu;
  time.validated = gpu_.validated;
  double cycles = 0;
  const Grid* longest = &grids_.front();
  double issue = 0, fp32 = 0, shared = 0, l1 = 0, l2 = 0, dram = 0, atomics = 0, warps = 0;
  SiteTime spent;
  for (const Grid& grid : grids_) {
    cycles += grid.cycles;
    if (grid.cycles > longest->cycles) longest = &grid;
    const double scale = grid.sm_cycles > 0 ? (grid.cycles - grid.library) / grid.sm_cycles : 0;
    issue += grid.sm.issue * scale;
    fp32 += grid.sm.fma * scale;
    shared += grid.sm.shared * scale;
    l1 += grid.sm.l1 * scale;
    l2 += std::max(grid.sm.l2 * scale, grid.slice > grid.atomics ? grid.slice : 0);
    dram += grid.sm.dram * scale;
    atomics += grid.atomics;
    warps += grid.sm.warp_cycles * scale;
    if (const double all = grid.warps.total(); all > 0) spent.add(grid.warps, grid.cycles / all);
  }
  double us = gpu_.launch_us;
  for (std::size_t i = 0; i < grids_.size(); ++i) {
    const double taken = grids_[i].cycles / gpu_.clock_ghz / 1e3;
    const double next = grids_[i].before_us + taken;
    us += i == 0 ? taken : grids_[i].queued_by_host ? std::max(next, gpu_.host_launch_us) : next;
  }
  time.ms = us / 1e3;
  time.kernel_ms = cycles / gpu_.clock_ghz / 1e6;
  const auto part = [&](double busy) { return cycles > 0 ? std::min(1.0, busy / cycles) : 0; };
  time.issue = part(issue);
  time.fp32 = part(fp32);
  time.shared = part(shared);
  time.l1 = part(l1);
  time.l2 = part(l2);
  time.dram = part(dram);
  time.atomics = part(atomics);
  const std::array<std::pair<const char*, double>, 7> shares = {{{"issue", time.issue},
                                                                 {"fp32", time.fp32},
                                                                 {"shared_bandwidth", time.shared},
                                                                 {"l1_bandwidth", time.l1},
                                                                 {"atomics", time.atomics},
                                                                 {"l2_bandwidth", time.l2},
                                                                 {"dram_bandwidth", time.dram}}};
  const auto most =
      std::max_element(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const double kernels_us = cycles / gpu_.clock_ghz / 1e3;
  time.bound = kernels_us < us / 2 ? "launch" : most->second > 0.5 ? most->first : "latency";
  time.sms_used = longest->sms_used;
  time.waves = longest->waves;
  time.tail = longest->tail;
  time.sm_efficiency = static_cast<double>(longest->sms_used) / static_cast<double>(sms(profile_));
  time.achieved_occupancy = cycles > 0 ? std::min(1.0, warps / cycles * 32 / profile_.max_threads_per_sm) : 0;
  if (const double all = spent.total(); all > 0)
    time.warps = {spent.issue / all, spent.memory / all, spent.shared / all, spent.barrier / all, spent.result / all};
  LaunchKinds kinds;
  for (const Grid& grid : grids_) {
    kinds.polls |= grid.kinds.polls;
    kinds.swaps |= grid.kinds.swaps;
    kinds.heap |= grid.kinds.heap;
    kinds.tensors |= grid.kinds.tensors;
    kinds.prints |= grid.kinds.prints;
    kinds.queue |= grid.kinds.queue;
    kinds.clock |= grid.kinds.clock;
    kinds.managed |= grid.kinds.managed;
    kinds.of_host |= grid.kinds.of_host;
  }
  kinds.local = longest->kinds.local;
  kinds.loops = longest->kinds.loops;
  kinds.gathers = longest->kinds.gathers;
  const Spread spread = spread_of(kinds, time.bound, gpu_);
  time.low_ms = time.ms / spread.down;
  time.high_ms = time.ms * spread.up;
  time.no_ground = spread.no_ground;
  return time;
}

}  // namespace gpulab::simt
