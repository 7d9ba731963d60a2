#include "common/simt/compiled/hot_blocks.h"

#include <algorithm>
#include <numeric>

namespace gpulab::simt::compiled {

namespace {

/// Of a thousand warp instructions, what all blocks may execute that are left to the interpreter for that alone.
constexpr std::uint64_t kLeft = 2;

/// How many loops are around each block: those whose blocks all lead to each other, then the same without the block
/// that such a loop begins with.
class Loops {
 public:
  explicit Loops(const Operations& all) : all_(all), depth_(all.blocks.size()) {
    std::vector<std::uint32_t> blocks(all.blocks.size());
    std::iota(blocks.begin(), blocks.end(), 0U);
    look_into(std::move(blocks));
  }
  [[nodiscard]] const std::vector<std::uint32_t>& depth() const { return depth_; }

 private:
  static constexpr std::uint32_t kDeepest = 8;

  void look_into(std::vector<std::uint32_t> blocks) {
    std::vector<std::vector<std::uint32_t>> work{std::move(blocks)};
    while (!work.empty()) {
      const std::vector<std::uint32_t> some = std::move(work.back());
      work.pop_back();
      for (std::vector<std::uint32_t>& loop : loops_of(some)) {
        for (const std::uint32_t block : loop) ++depth_[block];
        if (depth_[loop.front()] == kDeepest) continue;
        loop.erase(std::ranges::min_element(loop));  // where it begins, as compilers order blocks
        work.push_back(std::move(loop));
      }
    }
  }
  /// Tarjan's components of what leads to itself, without recursion.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> loops_of(const std::vector<std::uint32_t>& blocks) const {
    struct Node {
      std::uint32_t number = 0, low = 0;
      bool here = false, on_stack = false, to_itself = false;
    };
    std::vector<Node> nodes(all_.blocks.size());
    for (const std::uint32_t block : blocks) nodes[block].here = true;
    std::vector<std::vector<std::uint32_t>> loops;
    std::vector<std::uint32_t> stack;
    struct Visit {
      std::uint32_t block;
      std::vector<std::uint32_t> next;
    };
    std::vector<Visit> visits;
    std::uint32_t count = 0;
    const auto visit = [&](std::uint32_t block) {
      nodes[block].number = nodes[block].low = ++count;
      nodes[block].on_stack = true;
      stack.push_back(block);
      visits.push_back({block, all_.successors(block)});
    };
    for (const std::uint32_t start : blocks) {
      if (nodes[start].number) continue;
      visit(start);
      while (!visits.empty()) {
        const std::uint32_t block = visits.back().block;
        if (!visits.back().next.empty()) {
          const std::uint32_t next = visits.back().next.back();
          visits.back().next.pop_back();
          if (!nodes[next].here) continue;
          nodes[block].to_itself = nodes[block].to_itself || next == block;
          if (!nodes[next].number)
            visit(next);
          else if (nodes[next].on_stack)
            nodes[block].low = std::min(nodes[block].low, nodes[next].number);
          continue;
        }
        visits.pop_back();
        if (!visits.empty()) {
          Node& caller = nodes[visits.back().block];
          caller.low = std::min(caller.low, nodes[block].low);
        }
        if (nodes[block].low != nodes[block].number) continue;
        auto& loop = loops.emplace_back();
        do {
          loop.push_back(stack.back());
          nodes[stack.back()].on_stack = false;
          stack.pop_back();
        } while (loop.back() != block);
        if (loop.size() == 1 && !nodes[block].to_itself) loops.pop_back();
      }
    }
    return loops;
  }

  const Operations& all_;
  std::vector<std::uint32_t> depth_;
};

}  // namespace

std::vector<bool> hot_blocks(const Operations& operations, std::span<const std::uint64_t> executed,
                             std::size_t most_ops) {
  const auto& blocks = operations.blocks;
  std::vector<std::uint64_t> weights(executed.begin(), executed.end());
  const std::vector<std::size_t> ops = [&] {
    std::vector<std::size_t> sizes;
    for (const auto& list : blocks) {
      std::size_t size = 0;
      for (const Operation& o : list) size += o.count;
      sizes.push_back(size);
    }
    return sizes;
  }();
  const bool known = std::ranges::any_of(weights, [](std::uint64_t x) { return x > 0; });
  if (!known) {
    if (std::accumulate(ops.begin(), ops.end(), std::size_t{0}) <= most_ops)
      return std::vector<bool>(blocks.size(), true);
    weights.clear();
    const Loops loops(operations);
    for (std::size_t i = 0; i < blocks.size(); ++i) weights.push_back(ops[i] << 3 * loops.depth()[i]);
  }
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto entered = [&](std::size_t i) { return static_cast<double>(weights[i]) / static_cast<double>(ops[i]); };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return entered(a) > entered(b); });
  std::uint64_t left = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  const std::uint64_t whole = left, enough = known ? left / 1000 * kLeft : 0;
  std::vector<bool> hot(blocks.size());
  std::size_t taken = 0;
  for (const std::size_t i : order) {
    if (left <= enough) break;
    if (taken + ops[i] > most_ops) continue;
    hot[i] = true;
    taken += ops[i];
    left -= weights[i];
  }
  if (left > whole / 4 * 3) hot.assign(hot.size(), false);  // not worth it
  return hot;
}

}  // namespace gpulab::simt::compiled
