#pragma once
// A program's machine code for launches of one shape, made of the same rows that the interpreter runs. Results, counts,
// faults and what is printed are the same bytes with and without it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/dim3.h"
#include "common/simt/compiled/exits.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt::compiled {

struct LLVMModule;
struct Points;
class RowNames;

/// What a program's code is made for.
struct CodeRequest {
  Dim3 block;                             ///< the launch's shape
  bool masked = true;                     ///< also for some lanes of a warp, which takes twice as long to make
  bool thorough = false;                  ///< the quickest code, however large it is and long LLVM takes
  std::vector<std::uint64_t> executed{};  ///< warp instructions by basic block so far; empty: nobody knows
  /// Asked, where somebody asks, whether code is worth so many warp instructions that run meanwhile.
  std::function<bool(std::uint64_t work)> is_worth{};
  /// Counts, about, the warp instructions of basic blocks that parts of warps run interpreted, for want of such code.
  std::atomic<std::uint64_t>* refused = nullptr;
};

class CompiledProgram {
 public:
  /// nullptr where it cannot be, and `why` says what for. The program must outlive it.
  [[nodiscard]] static std::unique_ptr<CompiledProgram> make(const Program& program, const CodeRequest& request,
                                                             std::string& why);
  /// The same of code that came with gpulab (ahead/), for whole warps and parts of them: found within 1 to 3 ms.
  /// nullptr: it has none for this program and this CPU.
  [[nodiscard]] static std::unique_ptr<CompiledProgram> ready(const Program& program, const CodeRequest& request);
  ~CompiledProgram();
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  /// Beyond so many micro-ops LLVM takes longer than most launches do: of a longer program those of its basic blocks
  /// become code that execute the most, or that seem to. Of those that are known to execute the most it may be more.
  static constexpr std::size_t kMostOps = 600, kMostHotOps = 1200;
  /// It is large, and was made in less time than the quickest code takes; what that is in warp instructions that run
  /// meanwhile. 0: it is the quickest.
  [[nodiscard]] std::uint64_t cost_of_thorough() const { return cost_of_thorough_; }
  /// How many this process has made so far.
  [[nodiscard]] static std::uint64_t made();
  /// The program's blocks, which begin where their code is entered (LaunchState::blocks).
  [[nodiscard]] const BasicBlock* blocks() const { return blocks_.data(); }

 private:
  struct Engine;
  CompiledProgram();
  void enter_at(const Program& program, const CodeRequest& request, const std::vector<bool>& hot);
  static void keep(const Program& program, const CodeRequest& request, const Engine& engine, LLVMModule* module,
                   const RowNames& rows);
  std::vector<BasicBlock> blocks_;
  std::vector<EntryPoint> entries_;
  std::uint64_t cost_of_thorough_ = 0;
  std::unique_ptr<Points> points_;  ///< of the code
  std::unique_ptr<Engine> engine_;  ///< nullptr: the code came with gpulab
};

}  // namespace gpulab::simt::compiled
