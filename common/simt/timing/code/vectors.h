#pragma once
// Accesses of neighbouring elements of shared memory that ptxas makes one of: LDS.32, LDS.64, LDS.128, STS …

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

struct JoinedAccess {
  std::uint32_t site = 0;
  std::uint8_t bytes = 0;  ///< of a lane
};

/// Joins loads of a basic block that lie behind one another, and stores, where their address is a multiple of what is
/// loaded or stored at once, as far as the program's text shows that. One of them does it all, the others cost nothing:
/// those that do it. As ptxas 13.0 does for sm_90: four words, halves or a pair of doubles, or two; of a load one of
/// four may be missing. Bytes and extended halves stay alone. Between loads nothing stores to shared memory or waits
/// for others, between stores nothing touches it.
std::vector<JoinedAccess> join_neighbours(const Program& program, std::vector<TimedInstruction>& code,
                                          Alignments& alignments);

}  // namespace gpulab::simt
