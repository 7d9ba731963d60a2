#pragma once
// Kernels that launch kernels (CUDA C++ Programming Guide, CUDA Dynamic Parallelism, version 2): a child may run as
// soon as it is launched, beside the grid that launched it, which cannot wait for it. What a thread does behind its
// launch, and what its block does behind a barrier after that, is in no order with what the child does.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "common/simt/machine/block.h"
#include "common/simt/observers/accusations.h"
#include "common/simt/observers/locator.h"

namespace gpulab::simt {

/// Of the grid that the host launches, and its children; not of theirs. Children run when it has ended.
class ChildOrder {
 public:
  ChildOrder(Locator& locator, Accusations& accusations) : locator_(locator), accusations_(accusations) {}

  void grid_started(const LaunchState& launch);
  void launched(const Warp& warp, int lane);
  void barrier_completed(const BlockContext& block);
  /// Whether anything follows from an access: most programs launch nothing.
  [[nodiscard]] bool looks_at_accesses() const { return level_ == 1 ? !launches_.empty() : !beside_.empty(); }
  void access(const Warp& warp, const MicroOp* op);
  void forget();

 private:
  struct Launch {
    std::uint32_t block = 0, thread = 0;
  };
  /// Bytes that the parent has touched behind some launch.
  struct Access {
    std::uint64_t first = 0, end = 0;
    std::uint32_t block = 0, thread = 0, site = 0;
    std::size_t launched = 0;    ///< how many launches of the grid came before it,
    std::size_t at_barrier = 0;  ///< and before the last barrier of its block
    bool writes = false;
  };
  static constexpr std::size_t kMostAccesses = 4096;  ///< what comes behind is missed

  void keep(const Warp& warp, const MicroOp* op, int lane);
  void judge(const Warp& warp, const MicroOp* op, int lane);

  Locator& locator_;
  Accusations& accusations_;
  int level_ = 0;                                  ///< of the grid that runs: 1 is the host's
  const Program* parent_ = nullptr;                ///< that the host launched
  std::vector<Launch> launches_;                   ///< in their order, in which children run
  std::size_t child_ = 0;                          ///< behind the one that runs
  std::set<std::uint32_t> blocks_;                 ///< that have launched
  std::map<std::uint32_t, std::size_t> barriers_;  ///< by block: how many launches came before its last one
  std::vector<Access> accesses_;
  std::vector<const Access*> beside_;  ///< those that the child which runs is in no order with
};

}  // namespace gpulab::simt
