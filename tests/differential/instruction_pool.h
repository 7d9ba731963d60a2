#pragma once
// The instructions that random kernels are made of: rows of the simulator's own table, so that a new row is covered by
// itself. Left out is what hardware or manual do not define to the last bit: approximations, carries between
// instructions, addresses' values, and NaNs where PTX leaves their bits open.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/simt/isa/op.h"

namespace gpulab::differential {

struct PooledInstruction {
  std::string opcode;
  std::string family;  ///< up to the first dot
  const simt::Row* row = nullptr;
  std::uint16_t mods = 0;
  bool combines = false;       ///< setp.and …: takes the optional predicate
  bool canonical_nan = false;  ///< NaNs it gives are made canonical, for PTX leaves their bits open
  // What the compiler of PTX gets wrong is written otherwise, or left out (instruction_pool.cpp):
  bool may_be_guarded = true;
  bool hides_operands = false;  ///< operands are no constants to the compiler
  bool miscompiled = false;     ///< not for a GPU: left out of differential_opcodes.txt
};

class InstructionPool {
 public:
  /// All suitable instructions of the table, or of `opcodes` those that are there.
  explicit InstructionPool(std::span<const std::string> opcodes = {});

  [[nodiscard]] const std::vector<PooledInstruction>& all() const { return all_; }
  [[nodiscard]] const PooledInstruction& at(int index) const { return all_[static_cast<std::size_t>(index)]; }
  /// Indices by family: setp has hundreds of spellings and popc two.
  [[nodiscard]] const std::vector<std::vector<int>>& families() const { return families_; }

 private:
  std::vector<PooledInstruction> all_;
  std::vector<std::vector<int>> families_;
};

}  // namespace gpulab::differential
