#pragma once
// What a function's code tells without running it, for advice: which instructions may follow which with no barrier
// between them, and which only a part of the block may come to.

#include <cstdint>
#include <functional>
#include <vector>

#include "common/ptx/flow/cfg.h"
#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// All numbers are of instructions of the function.
class CodePaths {
 public:
  CodePaths(const Program& program, const ptx::Function& function);

  /// False: too long, or it calls functions, which may wait, or has barriers of a part of the block. Ask nothing then.
  [[nodiscard]] bool is_known() const { return known_; }
  /// Whether a thread may come from behind `from` to `to` and execute none of these: barriers of the block (`of_warp`:
  /// or of a warp).
  [[nodiscard]] bool lead_past_barriers(std::size_t from, std::size_t to, bool of_warp) const;
  /// Whether a thread may come from behind `from` to `to`.
  [[nodiscard]] bool lead(std::size_t from, std::size_t to) const;
  /// A branch decides whether a thread comes to it, and the threads of a block may decide differently.
  [[nodiscard]] bool is_in_a_branch(std::size_t at) const { return in_branch_[at]; }

 private:
  void make_graph();
  void follow_differences();
  [[nodiscard]] bool differs(std::size_t at) const;
  [[nodiscard]] bool mark_branch(std::size_t at);
  [[nodiscard]] bool search(std::size_t from, std::size_t to, const std::function<bool(std::size_t)>& stops) const;

  const ptx::Function& function_;
  std::vector<const Site*> sites_;  ///< by instruction
  ptx::ControlFlowGraph graph_;
  std::vector<bool> differ_;     ///< registers that may differ between threads of a block
  std::vector<bool> in_branch_;  ///< instructions
  bool known_ = false;
};

}  // namespace gpulab::simt
