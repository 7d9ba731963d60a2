#pragma once
// How evenly the blocks of a grid share its work: what the busiest executed, and what all did together.

#include <atomic>
#include <cstdint>

#include "common/counters.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

/// Each block tells once, when it ends; sums and the largest do not depend on who ends first.
class BlockBalance final : public Observer {
 public:
  BlockBalance() : Observer(kWatchInParallel) {}
  void grid_started(const LaunchState&) override { executed_ = busiest_ = 0; }
  void block_ended(const BlockContext& block) override {
    executed_.fetch_add(block.executed, std::memory_order_relaxed);
    std::uint64_t busiest = busiest_.load(std::memory_order_relaxed);
    while (busiest < block.executed &&
           !busiest_.compare_exchange_weak(busiest, block.executed, std::memory_order_relaxed)) {
    }
  }
  /// For a grid of so many blocks that has ended.
  void add_to(Counters& counters, std::uint64_t blocks) const {
    counters["block_instructions"] += executed_;
    counters["busiest_block_instructions"] += busiest_ * blocks;
  }

 private:
  std::atomic<std::uint64_t> executed_{0}, busiest_{0};
};

}  // namespace gpulab::simt
