#include "common/simt/machine/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>

#include "common/launch_error.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

namespace {

constexpr std::size_t kWarpStagger = 2;  ///< extra slots between warps, so that their registers do not share cache sets

void broadcast(Warp& w, std::uint16_t slot, bool wide, std::uint64_t bits) {
  if (wide) {
    auto* to = reinterpret_cast<std::uint64_t*>(w.regs + slot);
    std::fill_n(to, kLanes, bits);
  } else {
    auto* to = reinterpret_cast<std::uint32_t*>(w.regs + slot);
    std::fill_n(to, kLanes, static_cast<std::uint32_t>(bits));
  }
}

/// A parameter's value as a register of `slot` holds it: sign-extended where its type is signed.
std::uint64_t parameter_value(const ParameterSlot& slot, std::span<const std::byte> bytes) {
  const auto read = [&]<typename T>(T value) {
    if (slot.offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + slot.offset, sizeof(T));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  };
  switch (slot.kind) {
    case Kind::u8:
      return read(std::uint8_t{});
    case Kind::s8:
      return read(std::int8_t{});
    case Kind::u16:
    case Kind::f16:
    case Kind::bf16:
      return read(std::uint16_t{});
    case Kind::s16:
      return read(std::int16_t{});
    case Kind::s32:
      return read(std::int32_t{});
    case Kind::u64:
    case Kind::s64:
    case Kind::f64:
      return read(std::uint64_t{});
    default:
      return read(std::uint32_t{});
  }
}

}  // namespace

BlockContext::BlockContext(const LaunchState& state, Worker& owner, bool parallel) : launch(state), worker(owner) {
  const Program& program = *state.program;
  const auto threads = static_cast<std::uint32_t>(state.block.volume());
  const std::uint32_t count = (threads + kLanes - 1) / kLanes;
  const std::size_t shared_bytes = program.dynamic_shared_offset + state.dynamic_shared_bytes;
  const std::size_t slots = program.slots + kWarpStagger;
  const std::size_t register_bytes = count * slots * sizeof(Slot);
  const std::size_t bytes = (register_bytes + shared_bytes + 127) / 64 * 64;
  storage_.reset(static_cast<std::byte*>(std::aligned_alloc(64, bytes)));
  if (!storage_) throw std::bad_alloc();
  std::memset(storage_.get(), 0, bytes);
  shared_ = storage_.get() + register_bytes;
  preds_.assign(std::size_t{count} * std::max(program.preds, 1u), 0);
  local_.resize(std::size_t{threads + kLanes} * program.local_bytes);
  warps.resize(count);
  async.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Warp& w = warps[i];
    w.program = &program;
    w.worker = &worker;
    w.block = this;
    w.index = i;
    w.parallel = parallel;
    w.regs = reinterpret_cast<Slot*>(storage_.get()) + i * slots;
    w.preds = preds_.data() + std::size_t{i} * program.preds;
    w.blocks = program.blocks.data();
    w.block_counts = worker.phases.front().block_counts.data();
    w.sites = worker.phases.front().sites.data();
    w.patterns = worker.patterns.data();
    w.footprint = &worker.footprint;
    w.global = state.memory;
    w.shared = shared_;
    w.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
    w.local_stride = program.local_bytes;
    w.local = local_.data() + std::size_t{i} * kLanes * program.local_bytes;
    fill_launch_values(w);
    order_.push_back(i);
  }
}

Dim3 BlockContext::thread_of(const Warp& w, int lane) const {
  const std::uint32_t linear_thread = w.index * kLanes + static_cast<std::uint32_t>(lane);
  const Dim3& b = launch.block;
  return {linear_thread % b.x, linear_thread / b.x % b.y, linear_thread / (b.x * b.y)};
}

namespace {

std::string state_of(const Split& split) {
  if (split.state == Split::State::barrier) return fmt::format(" (barrier {})", split.barrier);
  if (split.state == Split::State::collective) return " (warp synchronisation)";
  if (split.state == Split::State::asleep) return split.may_give_up ? " (mbarrier)" : " (cluster barrier)";
  return {};
}

/// The micro-op that a split waits at, or goes on with.
const MicroOp* position(const Warp& w, const Split& split) {
  if (split.resume) return split.state == Split::State::barrier ? split.resume - 1 : split.resume;
  return split.block == kNoBlock ? nullptr : w.blocks[split.block].first;
}

}  // namespace

std::string BlockContext::place() const {
  const MicroOp* found = nullptr;
  for (const Warp& w : warps)
    for (const Split& split : w.splits) {
      const MicroOp* at = position(w, split);
      if (at && split.state == Split::State::ready) return place_of(*launch.program, at->site);
      if (!found) found = at;
    }
  return found ? place_of(*launch.program, found->site) : std::string{};
}

/// A special register's value that is the same for all blocks; zero for the others.
std::uint32_t BlockContext::launch_value(Special special, const Warp& w, int lane) const {
  const Dim3 thread = thread_of(w, lane);
  const std::uint32_t bit = 1u << lane;
  switch (special) {
    case Special::tid_x:
      return thread.x;
    case Special::tid_y:
      return thread.y;
    case Special::tid_z:
      return thread.z;
    case Special::ntid_x:
      return launch.block.x;
    case Special::ntid_y:
      return launch.block.y;
    case Special::ntid_z:
      return launch.block.z;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::laneid:
      return static_cast<std::uint32_t>(lane);
    case Special::warpid:
      return w.index;
    case Special::nwarpid:
      return static_cast<std::uint32_t>(warps.size());
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_ge:
      return ~(bit - 1);
    case Special::lanemask_gt:
      return ~(bit | (bit - 1));
    case Special::nsmid:
      return launch.sm_count;
    case Special::dynamic_smem_size:
      return launch.dynamic_shared_bytes;
    case Special::total_smem_size:
      return w.shared_bytes;
    case Special::envreg1:
      return static_cast<std::uint32_t>(launch.grid_workspace >> 32);
    case Special::envreg2:
      return static_cast<std::uint32_t>(launch.grid_workspace);
    case Special::warp_size:
      return kLanes;
    default:
      return 0;
  }
}

/// What stays the same for all blocks that this context runs.
void BlockContext::fill_launch_values(Warp& w) {
  const Program& program = *launch.program;
  for (const auto& c : program.constants) broadcast(w, c.slot, c.wide, c.bits);
  for (const auto& p : program.parameters) broadcast(w, p.slot, p.wide, parameter_value(p, launch.parameters));
  if (program.true_pred >= 0) w.preds[program.true_pred] = kFullMask;
  for (const auto& s : program.specials) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t value = launch_value(s.special, w, lane);
      if (s.wide)
        reinterpret_cast<std::uint64_t*>(w.regs + s.slot)[lane] = value;
      else
        reinterpret_cast<std::uint32_t*>(w.regs + s.slot)[lane] = value;
    }
  }
}

/// What differs from block to block.
void BlockContext::fill_specials(Warp& w) {
  for (const auto& s : launch.program->specials) {
    switch (s.special) {
      case Special::ctaid_x:
        broadcast(w, s.slot, s.wide, index.x);
        break;
      case Special::ctaid_y:
        broadcast(w, s.slot, s.wide, index.y);
        break;
      case Special::ctaid_z:
        broadcast(w, s.slot, s.wide, index.z);
        break;
      case Special::smid:
        broadcast(w, s.slot, s.wide, linear % launch.sm_count);
        break;
      default:
        break;
    }
  }
}

void BlockContext::start(std::uint64_t block) {
  linear = block;
  const Dim3& grid = launch.grid;
  index = {static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(block / grid.x % grid.y),
           static_cast<std::uint32_t>(block / grid.x / grid.y)};
  live = static_cast<std::uint32_t>(launch.block.volume());
  executed = polled = 0;
  reset_waiting();
  enter_phase(0);
  last_errors.clear();
  // Shared memory starts with the same arbitrary bytes in every block: what a kernel reads unwritten is repeatable.
  if (!warps.empty() && warps[0].shared_bytes) std::memset(shared_, 0xa5, warps[0].shared_bytes);
  std::uint32_t threads = live;
  for (Warp& w : warps) {
    const std::uint32_t lanes = std::min<std::uint32_t>(threads, kLanes);
    threads -= lanes;
    fill_specials(w);
    start_warp(w, lanes == kLanes ? kFullMask : (1u << lanes) - 1);
  }
  launch.tell([&](Observer& observer) { observer.block_started(*this); });
  if (!launch.schedule) return;
  choices = Schedule(launch.schedule, block + 1);  // stream 0: of the grid
  std::iota(order_.begin(), order_.end(), 0u);     // whatever block was here before
}

void BlockContext::reset_waiting() {
  for (; barriers_in_use_; barriers_in_use_ &= barriers_in_use_ - 1)
    barriers[static_cast<std::size_t>(std::countr_zero(barriers_in_use_))] = Barrier{};
  for (AsyncQueue& queue : async)
    if (queue.used) queue.clear();
  cluster_arrived = 0;
  cluster_parity = false;
  cluster_parities.assign(warps.size(), 0);
  idle_wakes_ = 0;
}

void BlockContext::enter_phase(std::uint32_t phase) {
  phase = std::min(phase, launch.phases - 1);
  if (phase == phase_) return;
  phase_ = phase;
  PhaseCounts& counts = worker.phases[phase];
  for (Warp& w : warps) {
    w.block_counts = counts.block_counts.data();
    w.sites = counts.sites.data();
  }
}

void BlockContext::wake_sleepers() {
  for (Warp& w : warps)
    for (Split& split : w.splits)
      if (split.state == Split::State::asleep) split.state = Split::State::ready;
}

bool BlockContext::give_up_sleeping() {
  bool any = false;
  for (Warp& w : warps)
    for (Split& split : w.splits)
      if (split.state == Split::State::asleep && split.may_give_up) {
        split.state = Split::State::ready;
        ++split.resume;
        any = true;
      }
  return any;
}

bool BlockContext::resume_someone() {
  bool released = false;
  for (Warp& w : warps) released = release_for_sleepers(w) || released;
  return released || give_up_sleeping();
}

void BlockContext::complete_cluster() {
  if (cluster_arrived == 0 || cluster_arrived < live) return;
  cluster_arrived = 0;
  cluster_parity = !cluster_parity;
  wake_sleepers();
}

/// When nobody can run, tests of mbarriers come back false. A block whose threads do nothing but repeat them, in so
/// many rounds of a few instructions, is in a deadlock.
constexpr std::uint32_t kIdleWakes = 1 << 14;
constexpr std::int64_t kIdleInstructions = 128;  ///< per warp

/// A warp's turn where --schedule decides how long it is: most barriers of a lecture's kernels are nearer.
constexpr std::int64_t kScheduledTurn = 1 << 12;

bool BlockContext::run_turn(Warp& w, std::int64_t budget) {
  slice = budget;
  if (!choices) return run_warp(w, budget);
  slice = std::min(budget, choices.turn(kScheduledTurn));
  return run_warp(w, slice, choices);
}

bool BlockContext::run(std::int64_t budget) {
  std::int64_t left = budget;
  bool progress = true;
  give_up_sleeping();
  spinning = false;
  while (live && progress && left > 0) {
    progress = false;
    std::int64_t waited = 0, ran = 0;
    if (choices) choices.shuffle(order_);
    for (const std::uint32_t i : order_) {
      Warp& w = warps[i];
      if (w.splits.empty()) continue;
      if (!run_turn(w, budget)) continue;
      progress = true;
      const std::int64_t used = slice - w.fuel;
      executed += static_cast<std::uint64_t>(used - w.poll_debt);
      polled += static_cast<std::uint64_t>(w.poll_debt);
      left -= used;
      ran += used;
      waited += w.poll_debt;
    }
    spinning = waited * 2 > ran;
    if (ran - waited > kIdleInstructions * static_cast<std::int64_t>(warps.size())) idle_wakes_ = 0;
    if (!progress && live && ++idle_wakes_ < kIdleWakes) progress = resume_someone();
  }
  if (live && !progress && !release_diverged()) report_deadlock();
  if (live == 0) launch.tell([&](Observer& observer) { observer.block_ended(*this); });
  return live == 0;
}

void BlockContext::arrive(Warp& w, const Split& split, std::uint32_t votes, std::uint32_t count) {
  Barrier& barrier = barriers[split.barrier];
  barriers_in_use_ |= 1u << split.barrier;
  std::uint32_t& come = barrier.lanes[w.index];
  barrier.arrived += active_count(split.mask & ~come);
  come |= split.mask;
  barrier.votes += votes;
  barrier.voters += active_count(split.mask);
  barrier.needed = count;
  complete(split.barrier);
}

void BlockContext::exited(std::uint32_t threads) {
  live -= threads;
  for (std::uint32_t left = barriers_in_use_; left; left &= left - 1)
    complete(static_cast<std::uint32_t>(std::countr_zero(left)));
  complete_cluster();
}

namespace {

/// bar.red: the block's verdict into the destination of the lanes that waited.
void deliver(Warp& w, const Split& split, const Barrier& barrier) {
  const MicroOp* op = split.resume - 1;
  if (op->extra == 3) {
    auto* d = reinterpret_cast<std::uint32_t*>(w.regs + op->r[0]);
    for (std::uint32_t left = split.mask; left; left &= left - 1) d[__builtin_ctz(left)] = barrier.votes;
  } else if (op->extra != 0) {
    const bool holds = op->extra == 1 ? barrier.votes == barrier.voters : barrier.votes != 0;
    w.preds[op->r[0]] = (w.preds[op->r[0]] & ~split.mask) | (holds ? split.mask : 0);
  }
}

}  // namespace

bool BlockContext::is_complete(const Barrier& barrier) const {
  if (!barrier.needed && barrier.arrived < live) return false;  // as most arrivals find it: without a look at the warps
  std::uint32_t threads = 0;
  for (const Warp& w : warps) {
    const std::uint32_t lanes = barrier.lanes[w.index];
    if (lanes && !(w.live & ~lanes))
      threads += kLanes;
    else if (w.live && !barrier.needed)
      return false;
  }
  return threads >= barrier.needed;
}

void BlockContext::complete(std::uint32_t number) {
  Barrier& barrier = barriers[number];
  if (!is_complete(barrier)) return;
  const auto has_come = [&](const Warp& w) { return !(w.live & ~barrier.lanes[w.index]); };
  const bool everyone = !barrier.needed || std::all_of(warps.begin(), warps.end(), has_come);
  launch.tell([&](Observer& observer) { observer.barrier_completed(*this, number, everyone); });
  if (everyone && barrier.voters) enter_phase(phase_ + 1);
  for (Warp& w : warps) {
    for (Split& split : w.splits)
      if (split.state == Split::State::barrier && split.barrier == number) {
        split.state = Split::State::ready;
        deliver(w, split, barrier);
      }
    if (w.splits.size() > 1) merge_splits(w);
  }
  barrier = Barrier{};
  barriers_in_use_ &= ~(1u << number);
}

void BlockContext::add_places(ThreadPlaces& places) const {
  for (const Warp& w : warps) {
    for (const Split& split : w.splits)
      if (const MicroOp* at = position(w, split)) places[{at->site, state_of(split)}] += active_count(split.mask);
    for (const Reconvergence& r : w.reconvergences)
      if (r.in_use && r.arrived && r.block != kNoBlock)
        places[{w.blocks[r.block].first->site, " (where branches meet)"}] += active_count(r.arrived);
  }
}

std::string described(const Program& program, const ThreadPlaces& places, std::string_view verb) {
  std::map<std::string, std::uint64_t> lines;
  for (const auto& [place, threads] : places) lines[place_of(program, place.first) + place.second] += threads;
  std::string text;
  for (const auto& [line, threads] : lines)
    text += text.empty() ? fmt::format("{} thread{}{} at {}", threads, threads == 1 ? "" : "s", verb, line)
                         : fmt::format(", {} at {}", threads, line);
  return text;
}

bool BlockContext::release_diverged() {
  bool any = false;
  for (Warp& w : warps) any = simt::release_diverged(w) || any;
  return any;
}

/// Lanes of one warp that wait for each other at different .sync instructions: undefined (PTX ISA: shfl.sync,
/// vote.sync …), and never what was meant.
void BlockContext::check_collectives() const {
  for (const Warp& w : warps)
    for (const Split& a : w.splits)
      for (const Split& b : w.splits) {
        if (a.state != Split::State::collective || b.state != Split::State::collective || a.resume == b.resume)
          continue;
        const auto name = [&](const Split& s) {
          return fmt::format("{} ({}, lanes {:#010x} of mask {:#010x})", place_of(*launch.program, s.resume->site),
                             launch.program->sites[s.resume->site].instruction->opcode, s.mask, s.members);
        };
        const bool same = a.members == b.members;
        throw LaunchError(
            LaunchFailure::fault,
            fmt::format("lanes of one warp wait for each other at different instructions: {} and {}, in "
                        "{}, block ({},{},{}), warp {}",
                        name(a), name(b), launch.program->name, index.x, index.y, index.z, w.index),
            place_of(*launch.program, a.resume->site),
            same ? "all lanes of the mask have to come to the same shuffle or vote: move it out of the branch"
                 : "lanes that shuffle or vote together have to pass the same mask");
      }
}

void BlockContext::report_deadlock() {
  launch.tell([&](Observer& observer) {
    observer.deadlocked(
        *this, "a barrier can never complete; every thread of the block, or of the member mask, has to come to it");
  });
  check_collectives();
  ThreadPlaces places;
  add_places(places);
  throw LaunchError(LaunchFailure::hung,
                    fmt::format("deadlock in {}, block ({},{},{}): {}", launch.program->name, index.x, index.y, index.z,
                                described(*launch.program, places, " wait")),
                    place(), "every thread of the block, or of the member mask, has to come to the same barrier");
}

}  // namespace gpulab::simt
