#include "common/ptx/flow/allocation.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace gpulab::ptx {
namespace {

using Index = std::uint32_t;

/// Slots of one class: the lowest free one first, a new one only where all are taken.
class SlotPool {
 public:
  Index take(Index last_point) {
    Index slot = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      slot = free_.top();
      free_.pop();
    }
    busy_.emplace(last_point, slot);
    return slot;
  }
  Index take_forever() { return count_++; }
  /// Frees the slots of intervals that ended before `point`.
  void release_before(Index point) {
    while (!busy_.empty() && busy_.top().first < point) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
  }
  [[nodiscard]] Index count() const { return count_; }

 private:
  template <typename T>
  using Smallest = std::priority_queue<T, std::vector<T>, std::greater<>>;
  Smallest<Index> free_;
  Smallest<std::pair<Index, Index>> busy_;  ///< last point, slot
  Index count_ = 0;
};

/// Lives from the entry, and not because the first instruction writes it early.
bool enters(Index r, const LiveInterval& interval, std::span<const RegisterAccess> instructions) {
  if (interval.first != 0) return false;
  const RegisterAccess& access = instructions.front();
  const bool reads = std::ranges::find(access.reads, r) != access.reads.end();
  return reads || access.partial || std::ranges::find(access.writes, r) == access.writes.end();
}

}  // namespace

Allocation allocate_registers(std::span<const VirtualRegister> registers, const ControlFlowGraph& graph,
                              std::span<const RegisterAccess> instructions) {
  const auto count = static_cast<Index>(registers.size());
  const std::vector<LiveInterval> intervals = live_intervals(graph, instructions, count);
  std::vector<Index> order;
  std::vector<SlotPool> pools;
  Allocation result{std::vector<Index>(count, Allocation::none), {}, {}};
  for (Index r = 0; r < count; ++r) {
    if (pools.size() <= registers[r].slot_class) pools.resize(registers[r].slot_class + 1u);
    if (intervals[r].empty()) continue;
    if (enters(r, intervals[r], instructions)) result.entering.push_back(r);
    if (registers[r].pinned) {
      result.slots[r] = pools[registers[r].slot_class].take_forever();
    } else {
      order.push_back(r);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return intervals[a].first < intervals[b].first; });
  for (const Index r : order) {
    SlotPool& pool = pools[registers[r].slot_class];
    pool.release_before(intervals[r].first);
    result.slots[r] = pool.take(intervals[r].last);
  }
  for (const SlotPool& pool : pools) result.slot_count.push_back(pool.count());
  return result;
}

}  // namespace gpulab::ptx
