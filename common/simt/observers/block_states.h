#pragma once
// What a tool remembers of each block that runs.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/machine/block.h"

namespace gpulab::simt {

/// One State per resident block: State(const BlockContext&), and `restart(const BlockContext&)` makes one that has
/// served a block that ended as good as new. `end()`, where it has one, gives back what the next block has no use for.
template <typename State>
class BlockStates {
 public:
  /// Of a new grid, whose blocks have another shape.
  void clear() {
    resident_.clear();
    idle_.clear();
    last_ = nullptr;
  }
  void start(const BlockContext& block) {
    last_ = nullptr;
    auto& state = resident_[block.linear];
    if (idle_.empty()) {
      state = std::make_unique<State>(block);
      return;
    }
    state = std::move(idle_.back());
    idle_.pop_back();
    state->restart(block);
  }
  void end(const BlockContext& block) {
    last_ = nullptr;
    const auto found = resident_.find(block.linear);
    if (found == resident_.end()) return;
    if constexpr (requires { found->second->end(); }) found->second->end();
    idle_.push_back(std::move(found->second));
    resident_.erase(found);
  }
  [[nodiscard]] State& of(const BlockContext& block) {
    if (!last_ || last_linear_ != block.linear) {
      last_linear_ = block.linear;
      last_ = resident_.at(block.linear).get();
    }
    return *last_;
  }

 private:
  std::unordered_map<std::uint64_t, std::unique_ptr<State>> resident_;
  std::vector<std::unique_ptr<State>> idle_;
  State* last_ = nullptr;  ///< of the block that ran last
  std::uint64_t last_linear_ = 0;
};

}  // namespace gpulab::simt
