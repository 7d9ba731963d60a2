#include "common/simt/machine/sync/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/ptx/extent.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/faults.h"
#include "common/simt/machine/memory/windows.h"
#include "common/text.h"

namespace gpulab::simt {

namespace {

/// As kIdleWakes of a block (block.cpp).
constexpr std::uint32_t kMostIdleRounds = 1 << 12;

bool has_split(const BlockContext& block, bool (*is)(const Split&)) {
  return std::ranges::any_of(block.warps, [&](const Warp& w) { return std::ranges::any_of(w.splits, is); });
}
bool is_ready(const Split& split) { return split.state == Split::State::ready; }
bool may_give_up(const Split& split) { return split.state == Split::State::asleep && split.may_give_up; }

}  // namespace

Cluster::Cluster() = default;
Cluster::~Cluster() = default;

std::uint32_t Cluster::live() const {
  std::uint32_t threads = 0;
  for (const BlockContext* block : blocks) threads += block->live;
  return threads;
}

void Cluster::complete() {
  if (arrived == 0 || arrived < live()) return;
  arrived = 0;
  waits_ = 0;
  blocks.front()->launch.tell([&](Observer& observer) { observer.cluster_completed(*this); }, kWatchCompleted);
  for (BlockContext* block : blocks) {
    block->cluster_came.assign(block->warps.size(), 0);
    block->wake_sleepers();
  }
}

bool Cluster::is_stuck_after(BlockContext& block, bool worked, bool waits) {
  if (worked) idle_rounds_ = 0;
  waits_ = waits ? waits_ | 1u << block.rank : 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i]->live != 0 && ((waits_ >> i & 1) == 0 || has_split(*blocks[i], is_ready))) return false;
  waits_ = 0;
  bool can_go_on = live() == 0;
  for (BlockContext* one : blocks) can_go_on = one->let_someone_on() || has_split(*one, may_give_up) || can_go_on;
  return !can_go_on || ++idle_rounds_ >= kMostIdleRounds;
}

void arrive_at_cluster(Warp& w, const MicroOp* op) {
  BlockContext& block = *w.block;
  Cluster& cluster = *block.cluster;
  block.launch.tell([&](Observer& observer) { observer.cluster_reached(w, op); }, kWatchCompleted);
  std::uint32_t& came = block.cluster_came[w.index];
  cluster.arrived += active_count(w.mask & ~came);  // who arrives twice in one phase counts once
  came |= w.mask;
  cluster.complete();
}

bool cluster_has_arrived(const Warp& w, const MicroOp* op) {
  const BlockContext& block = *w.block;
  if ((block.cluster_came[w.index] & w.mask) != 0) return false;
  block.launch.tell([&](Observer& observer) { observer.cluster_passed(w, op); }, kWatchCompleted);
  return true;
}

BlockContext* block_at(const Warp& w, std::uint64_t address) {
  const std::uint64_t number = (address & (kWindowBytes - 1)) / kRankBytes;
  const auto& blocks = w.block->cluster->blocks;
  if (number == 0) return w.block;
  return w.own_window != 0 && number <= blocks.size() ? blocks[number - 1] : nullptr;
}

std::uint32_t mapped(std::uint32_t address, std::uint32_t rank) {
  constexpr std::uint32_t farthest = kWindowBytes / kRankBytes - 2;  // no cluster has such a rank
  return rank_window(std::min(rank, farthest)) + address % kRankBytes;
}

std::byte* sibling_memory(Warp& w, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t bytes,
                          const char* access) {
  BlockContext* const block = block_at(w, address);
  const std::uint32_t at = address % kRankBytes;
  if (block == nullptr || block->live == 0 || !within(at, bytes, w.shared_bytes) || (at & (bytes - 1)) != 0)
    fault_access(w, op, kSharedWindow + address, lane, bytes, access);
  return block->warps.front().shared + at;
}

}  // namespace gpulab::simt
