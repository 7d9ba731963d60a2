#pragma once
// Loads of neighbouring words of shared memory that ptxas makes one of: LDS.64, LDS.128.

#include <map>
#include <unordered_map>
#include <vector>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

/// By how much every value of a register can be divided, a power of two up to 16, as far as its function's text says.
class Alignment {
 public:
  explicit Alignment(const ptx::Function& function);
  [[nodiscard]] std::uint64_t of(std::int32_t reg, int depth = 0);

 private:
  std::uint64_t of_operand(const ptx::Operand& operand, int depth);
  std::uint64_t of_result(const ptx::Instruction& instruction, int depth);

  std::unordered_map<std::int32_t, std::vector<const ptx::Instruction*>> writers_;
  std::unordered_map<std::int32_t, std::uint64_t> known_;
};
using Alignments = std::map<const ptx::Function*, Alignment>;

/// Joins loads of a basic block that lie behind one another, where their address is a multiple of what is loaded at
/// once, as far as the program's text shows that: what follows the first costs nothing.
void join_neighbours(const Program& program, std::vector<TimedInstruction>& code, Alignments& alignments);

}  // namespace gpulab::simt
