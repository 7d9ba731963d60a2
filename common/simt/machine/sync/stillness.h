#pragma once
// Blocks that have polled for a while without any effect: what they wait for does not come from the launch. That is
// asked by time, for their state need not come back (repetition.h): a loop may count how often it has looked.

#include <chrono>
#include <cstdint>
#include <optional>

namespace gpulab::simt {

class GlobalMemory;

class Stillness {
 public:
  /// Asked again and again. `polls`: all blocks do nothing else at the moment; `blocks`: that have not ended. True: it
  /// has been so for 100 ms, no block has ended, and memory, the host's part too, holds what it held halfway.
  [[nodiscard]] bool found(bool polls, std::uint64_t blocks, const GlobalMemory& memory);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kHalf{50};
  static constexpr int kShare = 10;  ///< looking at memory may take a tenth of the time
  bool polled_ = false;
  std::uint64_t blocks_ = 0;
  Clock::time_point look_at_;            ///< memory, then
  std::optional<std::uint64_t> memory_;  ///< a hash of what it held at the last look
};

}  // namespace gpulab::simt
