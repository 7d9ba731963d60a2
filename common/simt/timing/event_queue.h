#pragma once
// Warps by when they go on: the earliest first, of those at one time the lowest. A tree of winners, as wide as there
// are warps: a warp that goes back after each instruction changes the way from its leaf to the root, without a branch
// that nobody could foretell.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpulab::simt {

class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return queued_ == 0; }
  [[nodiscard]] std::uint32_t first() const { return winners_[1]; }
  [[nodiscard]] double first_time() const { return times_[winners_[1]]; }
  /// A warp that is not queued.
  void add(std::uint32_t warp, double time) {
    if (warp >= leaves_) grow(warp);
    ++queued_;
    set(warp, std::min(time, std::numeric_limits<double>::max()));
  }
  void remove_first() {
    --queued_;
    set(first(), kNever);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  void set(std::uint32_t warp, double time) {
    times_[warp] = time;
    for (std::uint32_t at = (leaves_ + warp) / 2; at > 0; at /= 2) decide(at);
  }
  void decide(std::uint32_t at) {
    const std::uint32_t left = winners_[2 * at], right = winners_[2 * at + 1];
    const auto is_right = static_cast<std::uint32_t>(times_[right] < times_[left]);
    winners_[at] = left ^ ((left ^ right) & (0 - is_right));  // no branch
  }
  void grow(std::uint32_t warp) {
    leaves_ = std::bit_ceil(std::max(warp + 1, 64U));
    times_.resize(leaves_, kNever);
    winners_.resize(std::size_t{2} * leaves_);
    for (std::uint32_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = i;
    for (std::uint32_t at = leaves_ - 1; at > 0; --at) decide(at);
  }
  std::uint32_t leaves_ = 0, queued_ = 0;
  std::vector<double> times_;           ///< by warp
  std::vector<std::uint32_t> winners_;  ///< of each node's two below it; [1]: the root; the leaves are warps
};

}  // namespace gpulab::simt
