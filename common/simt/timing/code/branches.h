#pragma once
// Which branches of PTX may part the lanes of a warp: for these ptxas makes BSSY and BSYNC around the branch, so that
// the lanes meet again.

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Which registers of a function hold the same in all lanes of a warp, as far as its text says.
class Uniformity {
 public:
  explicit Uniformity(const ptx::Function& function);
  [[nodiscard]] bool of(std::int32_t reg, int depth = 0);
  /// Where a branch leads: an instruction's number; 0 where it is none.
  [[nodiscard]] std::uint32_t target_of(const ptx::Instruction& branch) const;
  /// The number behind the last instruction of the innermost loop that an instruction is in; UINT32_MAX: it is in none.
  [[nodiscard]] std::uint32_t loop_end(std::uint32_t instruction) const { return loop_ends_[instruction]; }

 private:
  bool of_operand(const ptx::Operand& operand, int depth);
  bool of_result(const ptx::Instruction& instruction, int depth);
  void find_loops(const ptx::Function& function);

  [[nodiscard]] std::span<const ptx::Instruction* const> writers_of(std::int32_t reg) const;

  std::vector<const ptx::Instruction*> writers_;  ///< of all registers, in their order; of one as they are in the text
  std::vector<std::uint32_t> first_;              ///< by register: which of these is its first; one more: the end
  std::vector<std::int8_t> known_;                ///< by register: 0 or 1; -1: nobody has asked
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::vector<std::uint32_t> loop_ends_;  ///< by instruction
};

/// Whether a site is a branch forwards, not out of its loop, whose condition may differ from lane to lane. Lanes that
/// leave a loop wait behind it, once.
[[nodiscard]] bool may_part(const Site& site, Uniformity& uniformity);

/// Whether ptxas can see that all lanes of a warp do an atomic at one address, and writes one for all of them (REDUX,
/// or VOTE and POPC, and one lane's RED). Where it cannot, lanes go one after another though they meet: 23.4 ns for a
/// warp, where one lane takes 0.74 (`red1` and `redlane` of 132 blocks at one word, an H100).
[[nodiscard]] bool is_at_one_place(const Site& site, Uniformity& uniformity);

}  // namespace gpulab::simt
