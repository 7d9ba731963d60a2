#pragma once
// A program's machine code for launches of one shape, made of the same rows that the interpreter runs. Results, counts,
// faults and what is printed are the same bytes with and without it.

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "common/dim3.h"
#include "common/simt/compiled/exits.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"

namespace gpulab::simt::compiled {

class CompiledProgram {
 public:
  /// For blocks of this shape; nullptr where it cannot be, and `why` says what for. The program must outlive it.
  [[nodiscard]] static std::unique_ptr<CompiledProgram> make(const Program& program, const Dim3& block,
                                                             std::string& why);
  ~CompiledProgram();
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  /// How many this process has made so far.
  [[nodiscard]] static std::uint64_t made();
  /// The program's blocks, which begin where their code is entered (LaunchState::blocks).
  [[nodiscard]] const BasicBlock* blocks() const { return blocks_.data(); }

 private:
  struct Engine;
  CompiledProgram();
  std::vector<BasicBlock> blocks_;
  std::vector<EntryPoint> entries_;
  std::unique_ptr<Engine> engine_;
};

/// Those that launches have asked for so far.
class CompiledPrograms {
 public:
  /// LaunchState::blocks of a launch: nullptr where it cannot run compiled, because somebody watches single
  /// instructions, blocks wait for each other, or there is no code.
  [[nodiscard]] const BasicBlock* blocks_for(const LaunchState& launch);

 private:
  using Shape = std::tuple<const Program*, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Shape, std::unique_ptr<CompiledProgram>> programs_;
};

}  // namespace gpulab::simt::compiled
