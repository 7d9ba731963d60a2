#include "common/simt/observers/trace/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "common/demangle.h"
#include "common/simt/counting/line_counts.h"
#include "common/text.h"

namespace gpulab::simt {

namespace {

/// Warps that a page shows well, where nobody names blocks.
constexpr std::uint64_t kWarpsAtFirst = 32;
/// Of the lanes' values, at most: what is beyond is not kept, and the page says so.
constexpr std::size_t kMostValueBytes = std::size_t{24} << 20;

std::string variable_name(std::string_view mangled) {
  const std::string name = demangle(mangled);
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

StepAccess::Space space_of(std::uint64_t address, MemoryUse::Space space) {
  using Space = MemoryUse::Space;
  if (space == Space::shared || space == Space::cluster) return StepAccess::Space::shared;
  if (space == Space::local) return StepAccess::Space::local;
  if (space == Space::generic && address - kSharedWindow < kWindowBytes) return StepAccess::Space::shared;
  if (space == Space::generic && address - kLocalWindow < kWindowBytes) return StepAccess::Space::local;
  return StepAccess::Space::global;
}

std::uint64_t value_at(const Warp& w, const ReadableRegister& reg, std::size_t lane) {
  if (reg.predicate) return w.preds[reg.at] >> lane & 1;
  return reg.wide ? reinterpret_cast<const std::uint64_t*>(w.regs + reg.at)[lane]
                  : reinterpret_cast<const std::uint32_t*>(w.regs + reg.at)[lane];
}

LaneValues values_of(const Warp& w, const ReadableRegister& reg) {
  LaneValues values{};
  for (std::size_t lane = 0; lane < values.size(); ++lane) values[lane] = value_at(w, reg, lane);
  return values;
}

Dim3 index_of(std::uint64_t linear, const Dim3& grid) {
  const auto x = static_cast<std::uint32_t>(linear % grid.x);
  const auto y = static_cast<std::uint32_t>(linear / grid.x % grid.y);
  return {x, y, static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}

}  // namespace

Recorder::Recorder(TraceWindow window)
    : Observer(kWatchInstructions | kWatchAccesses | kWatchRegisters | kWatchCompleted), window_(std::move(window)) {}

std::shared_ptr<StepTrace> Recorder::take() {
  if (trace_) trace_->launches = launches_;
  return std::exchange(trace_, nullptr);
}

void Recorder::grid_started(const LaunchState& launch) {
  on_ = launches_++ == window_.launch && keeps_;
  if (!on_) return;
  program_ = launch.program;
  trace_ = std::make_shared<StepTrace>();
  StepTrace& trace = *trace_;
  trace.kernel = program_->name;
  trace.launch = window_.launch;
  trace.grid = launch.grid;
  trace.block = launch.block;
  trace.shared_bytes = program_->dynamic_shared_offset + launch.dynamic_shared_bytes;
  trace.debug = program_->module->debug;
  trace.from = window_.from;
  const SourceOfSites source = source_of_sites(*program_, true);
  trace.file = source.file;
  facts_ = facts_of_sites(*program_, source.ptx ? std::vector<std::uint32_t>() : source.lines);
  for (const SiteFacts& facts : facts_) trace.sites.push_back(facts.shown);
  texts_.clear();
  accesses_.clear();
  late_.clear();
  open_.reset();

  const std::uint64_t threads = launch.block.volume();
  warps_per_block_ = static_cast<std::uint32_t>((threads + kLanes - 1) / kLanes);
  trace.all_warps = launch.grid.volume() * warps_per_block_;
  blocks_.clear();
  for (const std::uint64_t block : window_.blocks)
    if (block < launch.grid.volume()) blocks_.push_back(block);
  if (window_.blocks.empty())
    for (std::uint64_t b = 0; b < launch.grid.volume() && (b == 0 || (b + 1) * warps_per_block_ <= kWarpsAtFirst); ++b)
      blocks_.push_back(b);
  std::sort(blocks_.begin(), blocks_.end());
  blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
  numbers_.assign(blocks_.size() * warps_per_block_, no_step_part);
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (std::uint32_t w = 0; w < warps_per_block_; ++w) {
      if (!window_.warps.empty() && std::ranges::find(window_.warps, w) == window_.warps.end()) continue;
      numbers_[b * warps_per_block_ + w] = static_cast<std::uint32_t>(trace.warps.size());
      const std::uint64_t lanes = std::min<std::uint64_t>(threads - std::uint64_t{w} * kLanes, kLanes);
      trace.warps.push_back({blocks_[b], index_of(blocks_[b], launch.grid), w,
                             static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1)});
    }
  states_.assign(trace.warps.size(), {});
  add_arrays(launch);
}

void Recorder::add_arrays(const LaunchState& launch) {
  for (const auto& allocation : launch.memory->allocations())
    if (allocation->host)
      trace_->arrays.push_back({variable_name(allocation->name), false, allocation->address, allocation->bytes});
  const std::uint64_t end = trace_->shared_bytes;
  for (const SharedVariable& v : program_->shared_variables)
    trace_->arrays.push_back(
        {variable_name(v.name), true, v.offset, v.dynamic ? end - std::min(end, v.offset) : v.bytes});
}

void Recorder::grid_ended(const LaunchState&) {
  if (!on_) return;
  finish();
  on_ = false;
}

void Recorder::block_started(const BlockContext&) { finish(); }
void Recorder::block_ended(const BlockContext&) { finish(); }

std::uint32_t Recorder::number_of(const Warp& w) {
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), w.block->linear);
  if (found == blocks_.end() || *found != w.block->linear) return no_step_part;
  return numbers_[static_cast<std::size_t>(found - blocks_.begin()) * warps_per_block_ + w.index];
}

void Recorder::instruction(Warp& w, const MicroOp* op, std::uint32_t lanes) {
  if (!on_) return;
  finish();
  const std::uint32_t number = number_of(w);
  if (number == no_step_part) return;
  settle_late(w);
  const std::uint64_t step = trace_->seen++;
  ++states_[number].executed[op->site];
  if (step < window_.from) ++states_[number].passed_over[op->site];
  OpenStep& open = open_.emplace();
  open.warp = &w;
  open.number = number;
  open.site = op->site;
  open.active = w.mask;
  open.lanes = lanes;
  open.live = w.live;
  open.waiting = waiting_lanes(w) & ~w.mask;
  open.kept = step >= window_.from && step - window_.from < window_.events;
  const SiteFacts& facts = facts_[op->site];
  if (facts.use.space == MemoryUse::Space::none || facts.leader != op->site) return;
  open.statistics = &w.sites[op->site];
  open.before = *open.statistics;
}

void Recorder::access(Warp& w, const MicroOp* op) {
  if (!on_ || !open_ || open_->warp != &w || open_->site != op->site) return;
  const SiteFacts& facts = facts_[op->site];
  if (facts.use.space == MemoryUse::Space::none || w.mask == 0) return;
  StepAccess& access = open_->access;
  open_->accesses = true;
  access.load = facts.use.load;
  access.store = facts.use.store;
  access.atomic = facts.use.atomic;
  access.width = facts.use.bytes;
  access.mask = w.mask;
  const std::uint16_t slot = op->r[facts.use.address];
  open_->address = address_of(w, op, slot, std::countr_zero(w.mask));
  access.space = space_of(open_->address, facts.use.space);
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    access.relative[static_cast<std::size_t>(lane)] =
        static_cast<std::int64_t>(address_of(w, op, slot, lane) - open_->address);
  }
  if (access.space != StepAccess::Space::global && facts.use.space == MemoryUse::Space::generic)
    open_->address &= kWindowBytes - 1;
  for (std::size_t e = 0; e < facts.stored_wide.size(); ++e) {
    const LaneValues values = values_of(w, {op->r[facts.use.value + e], facts.stored_wide[e], false});
    pack_values(open_->stored, &values, w.mask);
  }
}

/// Lanes that have not exited and do not run: at a barrier, a collective, asleep, or where branches meet.
std::uint32_t Recorder::waiting_lanes(const Warp& w) const {
  std::uint32_t ready = 0;
  for (const Split& split : w.splits)
    if (split.state == Split::State::ready) ready |= split.mask;
  return w.live & ~ready;
}

BarrierState Recorder::barrier_of(const Warp& w) const {
  BarrierState state;
  for (const Split& split : w.splits)
    if (split.state == Split::State::barrier && (split.mask & open_->active)) {
      state.waits = true;
      state.number = split.barrier;
    }
  for (const Warp& other : w.block->warps) {
    state.all += other.live != 0;
    state.come += other.live != 0 && w.block->barriers[state.number].lanes[other.index] != 0;
  }
  return state;
}

/// The instruction has run: what has become of it?
void Recorder::finish() {
  if (!open_) return;
  OpenStep& open = *open_;
  const Warp& w = *open.warp;
  const Site& site = program_->sites[open.site];
  RecordedWarp& state = states_[open.number];
  StepFacts facts;
  facts.program = program_;
  facts.site = open.site;
  facts.sites = &facts_;
  facts.active = open.active;
  facts.lanes = open.lanes;
  facts.joined = open.active & ~state.last_active & state.last_live;
  if (state.last_active == 0 || (open.active & state.last_active) == 0) facts.joined = 0;
  facts.live = w.live;
  facts.waiting = waiting_lanes(w);
  state.last_active = open.active;
  state.last_live = w.live;
  if (open.accesses) finish_access(facts);
  if (site.row->meaning.traits & kBarrier) facts.barrier = open.completed ? *open.completed : barrier_of(w);
  if (open.kept) {
    TraceStep step;
    step.site = open.site;
    step.warp = open.number;
    step.active = open.active;
    step.off = facts_[open.site].taken == kNoSite ? open.active & ~open.lanes : 0;
    step.live = open.live;
    step.waiting = open.waiting;
    step.then_live = facts.live;
    step.then_waiting = facts.waiting;
    if (facts.access != nullptr) {
      step.access = access_number(open.access);
      step.address = open.address;
    }
    add_step(step, sentence_of(facts));
    const std::size_t last = trace_->steps.size() - 1;
    if (open.active & facts.waiting)
      late_.push_back({last, open.warp, open.site, open.lanes, std::move(open.stored)});
    else
      keep_values(last, w, open.site, open.lanes, open.stored);
  }
  open_.reset();
}

void Recorder::finish_access(StepFacts& facts) {
  OpenStep& open = *open_;
  RecordedWarp& state = states_[open.number];
  StepAccess& access = open.access;
  if (open.statistics != nullptr) {
    const SiteStatistics &now = *open.statistics, &before = open.before;
    access.sectors =
        static_cast<std::uint32_t>(now.sectors + now.local_sectors - before.sectors - before.local_sectors);
    access.distinct_bytes = static_cast<std::uint32_t>(now.distinct_bytes - before.distinct_bytes);
    access.wavefronts = static_cast<std::uint32_t>(now.wavefronts - before.wavefronts);
    access.ideal_wavefronts = static_cast<std::uint32_t>(now.ideal_wavefronts - before.ideal_wavefronts);
    state.counted[open.site] = access;
  } else if (const auto led = state.counted.find(facts_[open.site].leader); led != state.counted.end()) {
    access.sectors = led->second.sectors;
    access.distinct_bytes = led->second.distinct_bytes;
    access.wavefronts = led->second.wavefronts;
    access.ideal_wavefronts = led->second.ideal_wavefronts;
  }
  facts.access = &access;
  facts.address = open.address;
  facts.array = array_of(access, open.address);
}

const StepArray* Recorder::array_of(const StepAccess& access, std::uint64_t address) const {
  if (access.space == StepAccess::Space::local) return nullptr;
  const bool shared = access.space == StepAccess::Space::shared;
  for (const StepArray& array : trace_->arrays) {
    if (array.shared != shared || address - array.address >= array.bytes) continue;
    const auto offset = static_cast<std::int64_t>(address - array.address);
    for (std::uint32_t left = access.mask; left; left &= left - 1) {
      const std::int64_t at = offset + access.relative[static_cast<std::size_t>(std::countr_zero(left))];
      if (at < 0 || at + access.width > static_cast<std::int64_t>(array.bytes)) return nullptr;
    }
    return &array;
  }
  return nullptr;
}

void Recorder::add_step(TraceStep step, const Sentence& sentence) {
  step.text = text_of(sentence.text);
  step.first_arg = static_cast<std::uint32_t>(trace_->args.size());
  trace_->args.insert(trace_->args.end(), sentence.args.begin(), sentence.args.end());
  trace_->steps.push_back(step);
}

void Recorder::keep_values(std::size_t step, const Warp& w, std::uint32_t site, std::uint32_t lanes,
                           const std::string& stored) {
  const SiteFacts& facts = facts_[site];
  std::string& packed = trace_->values;
  if ((facts.results.empty() && stored.empty()) || lanes == 0 || packed.size() > kMostValueBytes) return;
  trace_->steps[step].values = static_cast<std::uint32_t>(packed.size());
  for (const ReadableRegister& reg : facts.results) {
    if (reg.at == kNoOperand) {
      pack_values(packed, nullptr, lanes);
      continue;
    }
    const LaneValues values = values_of(w, reg);
    pack_values(packed, &values, lanes);
  }
  packed += stored;
}

/// Lanes of steps that had to wait go on: their results are there.
void Recorder::settle_late(const Warp& w) {
  for (std::size_t i = 0; i < late_.size();) {
    if (late_[i].warp != &w || !(late_[i].lanes & w.mask)) {
      ++i;
      continue;
    }
    const LateStep late = std::move(late_[i]);
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    keep_values(late.step, w, late.site, late.lanes, late.stored);
  }
}

std::uint32_t Recorder::text_of(const std::string& text) {
  const auto [known, fresh] = texts_.emplace(text, static_cast<std::uint32_t>(trace_->texts.size()));
  if (fresh) trace_->texts.push_back(text);
  return known->second;
}

std::uint32_t Recorder::access_number(const StepAccess& access) {
  std::string bytes;
  const auto add = [&](std::int64_t number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  add(static_cast<int>(access.space) | access.load << 2 | access.store << 3 | access.atomic << 4);
  for (const std::uint32_t number :
       {access.width, access.mask, access.sectors, access.distinct_bytes, access.wavefronts, access.ideal_wavefronts})
    add(number);
  for (const std::int64_t at : access.relative) add(at);
  const auto [known, fresh] = accesses_.emplace(std::move(bytes), static_cast<std::uint32_t>(trace_->accesses.size()));
  if (fresh) trace_->accesses.push_back(access);
  return known->second;
}

void Recorder::barrier_completed(const BlockContext& block, std::uint32_t number, bool) {
  if (!on_) return;
  BarrierState state;
  state.number = number;
  state.waits = true;
  for (const Warp& w : block.warps) {
    state.all += w.live != 0;
    state.come += w.live != 0 && block.barriers[number].lanes[w.index] != 0;
  }
  if (state.come == 0) return;
  if (open_ && open_->warp->block == &block) open_->completed = state;
  finish();
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), block.linear);
  if (found == blocks_.end() || *found != block.linear) return;
  const std::size_t first = static_cast<std::size_t>(found - blocks_.begin()) * warps_per_block_;
  const auto warp = std::find_if(numbers_.begin() + static_cast<std::ptrdiff_t>(first), numbers_.end(),
                                 [](std::uint32_t n) { return n != no_step_part; });
  const std::uint64_t seen = trace_->seen;
  if (warp == numbers_.end() || seen <= window_.from || seen - window_.from > window_.events) return;
  TraceStep step;
  step.warp = *warp;
  Sentence sentence;
  sentence.text = fmt::format("barrier {} is complete: {} on", number,
                              state.come == 1 ? "1 warp goes" : fmt::format("{} warps go", state.come));
  add_step(step, sentence);
}

void Recorder::faulted(Warp&, const MicroOp*, int lane, std::uint64_t, const std::string& what) {
  if (!on_) return;
  finish();
  trace_->ended = fmt::format("lane {}: {}", lane, what);
}

void Recorder::deadlocked(const BlockContext&, const std::string& what) {
  if (!on_) return;
  finish();
  trace_->ended = what;
}

}  // namespace gpulab::simt
