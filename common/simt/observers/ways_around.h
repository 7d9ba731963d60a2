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
  /// barrier; met where the ways meet again; and worked there (what it did is its site), or came to the next branch of
  /// the kind (the one that it went round by is its site).
  struct Round {
    Suspect thread;
    bool worked = false;
  };
  [[nodiscard]] std::optional<Round> who_went_round(const BlockContext& block, const Suspect& waiter) const;

 private:
  /// A thread at one branch: how often it has come there, and when last there and where the ways meet, by `now_`. What
  /// whole warps do is kept once for the warp; a thread's own counts come to it.
  struct AtBranch {
    std::uint32_t times = 0, branch_at = 0, met_at = 0;
  };
  struct Last {
    std::uint32_t at = 0, site = kNoSite;
  };
  /// What each warp and each thread did last of one kind.
  struct Lasts {
    std::vector<Last> warps, threads;
    [[nodiscard]] const Last& of(std::size_t thread) const;
  };
  [[nodiscard]] AtBranch at(std::uint32_t way, std::size_t thread) const;

  std::uint32_t now_ = 0;
  std::size_t warps_ = 0;
  std::vector<AtBranch> of_warps_, of_threads_;  ///< by way, then by warp or thread
  std::vector<std::uint32_t> branch_sites_;      ///< by way
  Lasts worked_, branched_;
};

}  // namespace gpulab::simt
