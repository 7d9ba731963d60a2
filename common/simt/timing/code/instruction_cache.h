#pragma once
// When the code that a warp comes to is there.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

/// The instruction caches of an SM, lines of eight instructions. What comes by once is fetched ahead of the warps as
/// far as 64 KB (code_4096); what lies behind, and what 128 KB no longer hold, takes 50 cycles a line (open_code_8192
/// and _16384: 6.25 cycles an instruction, whether one warp runs it or eight). The first launch of a kernel finds them
/// `cold`: each line takes 25 cycles more (an estimate: 30 foreign kernels of 24 to 512 instructions, which Nsight
/// Compute measured once with flushed caches, take so much longer than as many warm ones of ours).
class InstructionCache {
 public:
  InstructionCache(const TimedCode& code, bool cold)
      : code_(code),
        first_(cold ? kCold : 0),
        lines_(cold || code.instructions() > kAhead * kOfLine ? code.instructions() / kOfLine + 1 : 0) {}
  double there(const TimedInstruction& t, double now) {
    if (lines_.empty()) return now;
    Line& line = lines_[std::min<std::size_t>(code_.place(t.site) / kOfLine, lines_.size() - 1)];
    if (line.fetched != 0 && fetched_ - line.fetched < kHeld) return line.there;
    const double first = line.fetched == 0 ? first_ : 0;
    line.fetched = ++fetched_;
    free_ = std::max(free_, now) + first + (fetched_ > kAhead ? kCycles : 0);
    return line.there = free_;
  }

 private:
  static constexpr std::uint64_t kOfLine = 8, kAhead = 512, kHeld = 1100;
  static constexpr double kCycles = 50, kCold = 25;
  struct Line {
    std::uint64_t fetched = 0;  ///< 0: it has not been
    double there = 0;
  };
  const TimedCode& code_;
  const double first_;  ///< cycles that a line takes beside that when it comes for the first time
  std::vector<Line> lines_;
  std::uint64_t fetched_ = 0;
  double free_ = 0;
};

}  // namespace gpulab::simt
