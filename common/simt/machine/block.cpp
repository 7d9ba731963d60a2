#include "common/simt/machine/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/machine/stack_limit.h"
#include "common/simt/machine/warp_scheduler.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

namespace {

constexpr std::size_t kWarpStagger = 2;  ///< extra slots between warps, so that their registers do not share cache sets

std::uint64_t warps_of(const LaunchState& launch) { return (launch.block.volume() + kLanes - 1) / kLanes; }
std::uint32_t lane_local_bytes(const LaunchState& launch) {
  const Program& program = *launch.program;
  return program.local_bytes + (launch.stack && program.recursive ? launch.stack->recursive_bytes : 0);
}
/// Lanes that the last warp lacks have some, too.
std::uint64_t local_bytes(const LaunchState& launch) { return warps_of(launch) * kLanes * lane_local_bytes(launch); }
/// Registers of all warps, then shared memory.
std::uint64_t storage_bytes(const LaunchState& launch) {
  const Program& program = *launch.program;
  return warps_of(launch) * (program.slots + kWarpStagger) * sizeof(Slot) + program.dynamic_shared_offset +
         launch.dynamic_shared_bytes;
}

}  // namespace

std::uint64_t context_bytes(const LaunchState& launch) { return storage_bytes(launch) + local_bytes(launch); }

BlockContext::BlockContext(const LaunchState& state, Worker& owner, bool parallel) : launch(state), worker(owner) {
  const Program& program = *state.program;
  const auto threads = static_cast<std::uint32_t>(state.block.volume());
  const std::uint32_t count = (threads + kLanes - 1) / kLanes;
  const std::size_t shared_bytes = program.dynamic_shared_offset + state.dynamic_shared_bytes;
  const std::size_t slots = program.slots + kWarpStagger;
  const std::size_t register_bytes = count * slots * sizeof(Slot);
  const std::size_t bytes = (storage_bytes(state) + 127) / 64 * 64;
  storage_.reset(static_cast<std::byte*>(std::aligned_alloc(64, bytes)));
  if (!storage_) throw std::bad_alloc();
  std::memset(storage_.get(), 0, bytes);
  shared_ = storage_.get() + register_bytes;
  preds_.assign(std::size_t{count} * std::max(program.preds, 1u), 0);
  const std::uint32_t lane_bytes = lane_local_bytes(state);
  if (lane_bytes) local_ = std::make_unique<ZeroPages>(local_bytes(state));
  warps.resize(count);
  async.resize(count);
  if (threads % kLanes == 0) launch_threads_ = threads;
  for (std::uint32_t i = 0; i < count; ++i) {
    Warp& w = warps[i];
    w.program = &program;
    w.worker = &worker;
    w.block = this;
    w.index = i;
    w.parallel = parallel;
    w.regs = reinterpret_cast<Slot*>(storage_.get()) + i * slots;
    w.preds = preds_.data() + std::size_t{i} * program.preds;
    w.blocks = state.blocks ? state.blocks : program.blocks.data();
    w.block_counts = worker.phases.front().block_counts.data();
    w.sites = worker.phases.front().sites.data();
    w.patterns = worker.patterns.data();
    w.footprint = &worker.footprint;
    w.keeps_patterns = state.keeps_patterns;
    w.global = state.memory;
    w.shared = shared_;
    w.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
    w.local_bytes = lane_bytes;
    w.local = local_ ? local_->data() + std::size_t{i} * kLanes * lane_bytes : nullptr;
    fill_launch_values(w);
    order_.push_back(i);
  }
}

Dim3 BlockContext::thread_of(const Warp& w, int lane) const {
  const std::uint32_t linear_thread = w.index * kLanes + static_cast<std::uint32_t>(lane);
  const Dim3& b = launch.block;
  return {linear_thread % b.x, linear_thread / b.x % b.y, linear_thread / (b.x * b.y)};
}

void BlockContext::start(std::uint64_t block) {
  alone_.blocks.assign(1, this);
  alone_.arrived = 0;
  start(block, alone_, 0);
}

void BlockContext::start(std::uint64_t block, Cluster& in, std::uint32_t as_rank) {
  linear = block;
  cluster = &in;
  rank = as_rank;
  const Dim3& grid = launch.grid;
  in_turn = false;
  index = {static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(block / grid.x % grid.y),
           static_cast<std::uint32_t>(block / grid.x / grid.y)};
  live = static_cast<std::uint32_t>(launch.block.volume());
  if (launch.hot)
    if (const BasicBlock* code = launch.hot->at_start(executed, worker); code && code != warps.front().blocks)
      for (Warp& w : warps) w.blocks = code;
  executed = polled = charged = acts = 0;
  reset_waiting();
  enter_phase(0);
  last_errors.clear();
  // Shared memory starts with the same arbitrary bytes in every block: what a kernel reads unwritten is repeatable.
  if (!warps.empty() && warps[0].shared_bytes) std::memset(shared_, 0xa5, warps[0].shared_bytes);
  std::uint32_t threads = live;
  fill_block_values();
  for (Warp& w : warps) {
    const std::uint32_t lanes = std::min<std::uint32_t>(threads, kLanes);
    threads -= lanes;
    w.values_watched = w.traced = false;
    w.executed = 0;
    w.library = {};
    w.own_window = launch.cluster.volume() > 1 ? rank_window(rank) : 0;
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
    if (queue.used) queue.clear(worker.queued_bytes);
  cluster_came.assign(warps.size(), 0);
  idle_wakes_ = 0;
}

void BlockContext::change_phase(std::uint32_t phase) {
  phase = std::min(phase, launch.phases - 1);
  if (phase == phase_) return;
  phase_ = phase;
  PhaseCounts& counts = worker.phases[phase];
  for (Warp& w : warps) {
    w.block_counts = counts.block_counts.data();
    w.sites = counts.sites.data();
  }
}

/// When nobody in the block can run, tests of mbarriers that sleep come back false and their threads go on. Where that
/// happens this often in a row, and each time no warp executes more than a few instructions before all sleep again, the
/// threads do nothing but repeat their tests: the block is in a deadlock.
constexpr std::uint32_t kIdleWakes = 1 << 14;
constexpr std::int64_t kIdleInstructions = 128;  ///< per warp: a few

/// A warp's turn where --schedule decides how long it is: most barriers of a lecture's kernels are nearer.
constexpr std::int64_t kScheduledTurn = 1 << 12;

bool BlockContext::run_turn(Warp& w, std::int64_t budget) {
  slice = budget;
  if (!choices) return run_warp(w, budget);
  slice = std::min(budget, choices.turn(kScheduledTurn));
  return run_warp(w, slice, choices);
}

void BlockContext::begin_round() {
  turns_.progress = false;
  turns_.waited = turns_.ran = 0;
  turns_.next = 0;
  turns_.count = warps.size();
  if (choices) choices.shuffle(order_);
}

void BlockContext::end_round() {
  turns_.left -= turns_.ran;
  spinning = turns_.waited * 2 > turns_.ran;
  if (turns_.ran - turns_.waited > kIdleInstructions * static_cast<std::int64_t>(warps.size()))
    idle_wakes_ = 0, turns_.worked = true;
  if (!turns_.progress && live && cluster->blocks.size() == 1 && ++idle_wakes_ < kIdleWakes)
    turns_.progress = resume_someone();
}

/// False: the slice is over.
bool BlockContext::next_round() {
  if (turns_.over) return false;
  end_round();
  turns_.over = !live || !turns_.progress || turns_.left <= 0;
  if (!turns_.over) begin_round();
  return !turns_.over;
}

bool BlockContext::run(std::int64_t budget) {
  turns_ = {.budget = budget, .left = budget, .progress = true, .over = !live || budget <= 0};
  hop = {};
  hops = !choices && cluster->blocks.size() == 1 && !launch.is_watched(kWatchBarriers | kWatchCompleted);
  const bool has_siblings = cluster->blocks.size() > 1;
  give_up_sleeping();
  spinning = false;
  if (!turns_.over) begin_round();
  for (;;) {
    Warp* w = turns_.put_back ? std::exchange(turns_.put_back, nullptr) : next_of_round();
    if (!w) break;
    bool ran = run_turn(*w, budget);
    while (std::exchange(hop.hopped, false)) {
      w = hop.warp;
      ran = w && resume_warp(*w, hop);
    }
    if (ran) end_turn(*w);
  }
  if (has_siblings) {
    if (cluster->is_stuck_after(*this, turns_.worked, live != 0 && !turns_.progress)) report_deadlock();
  } else if (live && !turns_.progress && !release_diverged()) {
    report_deadlock();
  }
  if (live == 0) launch.tell([&](Observer& observer) { observer.block_ended(*this); });
  return live == 0;
}

// ---- what handlers ask of a warp's surroundings (warp.h) ----

void defer_atomic(Warp& w, std::byte* host, std::uint64_t value, void (*apply)(std::byte*, std::uint64_t)) {
  constexpr std::size_t many = 1 << 20;
  Worker& worker = *w.worker;
  if (worker.log.atomics.size() >= many && worker.commit_so_far) worker.commit_so_far();
  worker.log.atomics.push_back({host, value, apply});
}

void mark_far(Warp& w, const std::uint64_t* addresses, bool store) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::uint64_t address = addresses[__builtin_ctz(left)];
    const Allocation* a = w.global->find(address);
    if (!a || !a->host) continue;
    const std::uint64_t sector = (address >> 5) - (a->address >> 5);
    std::uint64_t* bits = store ? w.footprint->stored(a->index) : w.footprint->loaded(a->index);
    bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
  }
}

void charge_work(Warp& w, std::uint64_t units) {
  ++w.block->acts;
  constexpr std::uint64_t turn = 1 << 12;  // more than this at once takes from the warp's turn, and shows in its clock
  if (units >= turn)
    w.fuel -= static_cast<std::int64_t>(std::min<std::uint64_t>(units, 1u << 30));
  else
    w.block->charged += units;
}

std::uint64_t simulated_clock(const Warp& w) {
  return w.block->executed + w.block->polled + static_cast<std::uint64_t>(w.block->slice - w.fuel);
}

}  // namespace gpulab::simt
