#pragma once
// Warps by when they go on: the earliest first, of those at one time the lowest. A tree of winners, as wide as there
// are warps: a warp that goes back after each instruction changes the way from its leaf to the root, without a branch
// that nobody could foretell. A node has its winner's time, too, so that what a way is compared with is loaded at once,
// and times are compared as integers, in the order of which they are: one cycle a comparison, not four behind two
// loads.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpulab::simt {

class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return queued_ == 0; }
  [[nodiscard]] std::uint32_t first() const { return static_cast<std::uint32_t>(warps_[1]); }
  [[nodiscard]] double first_time() const { return std::bit_cast<double>(times_[1]); }
  /// A warp that is not queued. Times are not negative.
  void add(std::uint32_t warp, double time) {
    if (warp >= leaves_) grow(warp);
    ++queued_;
    set(warp, bits_of(std::min(time, std::numeric_limits<double>::max())));
  }
  void remove_first() {
    --queued_;
    set(first(), kNever);
  }
  /// Gives the first one another time. As remove_first() and add(), with half of the work.
  void move_first(double time) { set(first(), bits_of(std::min(time, std::numeric_limits<double>::max()))); }
  /// When the first of the others goes on, infinity: there are none. They lie beside the way from the first one's leaf
  /// to the root.
  [[nodiscard]] double second_time() const {
    std::uint64_t earliest = kNever;
    for (std::size_t at = leaves_ + warps_[1]; at > 1; at /= 2) earliest = std::min(earliest, times_[at ^ 1]);
    return std::bit_cast<double>(earliest);
  }

 private:
  /// Of doubles that are not negative, larger ones have larger bits; and no zero is a negative one here.
  static constexpr std::uint64_t bits_of(double time) { return std::bit_cast<std::uint64_t>(time + 0.0); }
  static constexpr std::uint64_t kNever = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());

  void set(std::size_t warp, std::uint64_t time) {
    std::size_t at = leaves_ + warp;
    times_[at] = time;
    for (; at > 1; at /= 2) {
      const std::uint64_t other = times_[at ^ 1];
      // At one time the left one, which is lower, is first. No branch.
      const std::uint64_t if_other = 0 - std::uint64_t{other < time + (at & 1)};
      time ^= (time ^ other) & if_other;
      warp ^= (warp ^ warps_[at ^ 1]) & if_other;
      times_[at / 2] = time;
      warps_[at / 2] = warp;
    }
  }
  void grow(std::size_t warp) {
    const std::vector<std::uint64_t> old(times_.begin() + static_cast<std::ptrdiff_t>(leaves_), times_.end());
    leaves_ = std::bit_ceil(std::max(warp + 1, std::size_t{64}));
    times_.assign(2 * leaves_, kNever);
    warps_.resize(2 * leaves_);
    std::ranges::copy(old, times_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = 0; i < leaves_; ++i) warps_[leaves_ + i] = i;
    for (std::size_t at = leaves_ - 1; at > 0; --at) {
      const std::size_t first = 2 * at + (times_[2 * at + 1] < times_[2 * at] ? 1 : 0);
      times_[at] = times_[first];
      warps_[at] = warps_[first];
    }
  }
  std::size_t leaves_ = 0, queued_ = 0;
  std::vector<std::uint64_t>
      times_;                       ///< by node: of the first warp below it; [1]: the root; from leaves_ on: the warps
  std::vector<std::size_t> warps_;  ///< which it is
};

}  // namespace gpulab::simt
