#pragma once
// What `--schedule SEED` decides: which block starts and which block, warp and split goes on, and how far. A seed gives
// the same choices wherever the launch runs; without one the natural order stands, and nobody asks.

#include <cstdint>
#include <utility>
#include <vector>

namespace gpulab::simt {

class Schedule {
 public:
  /// Makes no choices: the natural order.
  Schedule() = default;
  /// `stream`: of choices, independent of those of other streams of the seed. Seed 0: the natural order.
  Schedule(std::uint64_t seed, std::uint64_t stream) : state_(mixed(mixed(seed) + stream)), on_(seed != 0) {}
  explicit operator bool() const { return on_; }

  /// 0 to n - 1.
  std::uint64_t below(std::uint64_t n) {
    state_ += 0x9e3779b97f4a7c15u;  // SplitMix64 (Steele, Lea, Flood 2014)
    return mixed(state_) % n;
  }
  /// Warp instructions of a turn: a power of two up to `most`, each as likely as the others. Some defects show only in
  /// short turns, others only in long ones.
  std::int64_t turn(std::int64_t most) {
    const auto lengths = static_cast<std::uint64_t>(64 - __builtin_clzll(static_cast<std::uint64_t>(most)));
    return std::int64_t{1} << below(lengths);
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_ = 0;
  bool on_ = false;
};

/// Blocks, or clusters, that have not started. Any of the nearest million may be the next.
class Waiting {
 public:
  explicit Waiting(std::uint64_t blocks) : blocks_(blocks) { refill(); }
  [[nodiscard]] bool empty() const { return nearest_.empty(); }
  std::uint64_t take(Schedule& choices) {
    std::swap(nearest_[choices.below(nearest_.size())], nearest_.back());
    const std::uint64_t block = nearest_.back();
    nearest_.pop_back();
    refill();
    return block;
  }

 private:
  static constexpr std::size_t kNearest = 1 << 20;
  void refill() {
    while (next_ < blocks_ && nearest_.size() < kNearest) nearest_.push_back(next_++);
  }
  std::uint64_t blocks_, next_ = 0;
  std::vector<std::uint64_t> nearest_;
};

}  // namespace gpulab::simt
