#pragma once
// Which way the threads of a block have taken where one leads to a barrier of the whole block and another around it
// (Program::detours).

#include <cstdint>
#include <optional>
#include <vector>

#include "common/simt/machine/block.h"
#include "common/simt/observers/accusations.h"

namespace gpulab::simt {

class WaysAround {
 public:
  explicit WaysAround(const BlockContext& block) { restart(block); }
  void restart(const BlockContext& block);
  void passed(const Warp& warp, std::uint32_t site, WayPoint point, std::uint32_t way);
  /// A thread that has left the kernel, but before that came by a branch the same time as `waiter`, who went to the
  /// barrier; met where the ways meet again; and worked there. What it did is its site.
  [[nodiscard]] std::optional<Suspect> who_went_round(const BlockContext& block, const Suspect& waiter) const;

 private:
  /// A thread at one branch.
  struct AtBranch {
    std::uint32_t times = 0;   ///< that it has come to the branch
    std::uint32_t met = 0;     ///< of these, the last after which it came to the meeting
    std::uint32_t met_at = 0;  ///< when, by `now`
  };
  struct Worked {
    std::uint32_t at = 0, site = kNoSite;
  };
  [[nodiscard]] const AtBranch& at(std::uint32_t way, std::uint32_t thread) const {
    return branches_[std::size_t{way} * worked_.size() + thread];
  }
  std::uint32_t now_ = 0;
  std::vector<AtBranch> branches_;  ///< by way and thread
  std::vector<Worked> worked_;      ///< by thread: last
};

}  // namespace gpulab::simt
