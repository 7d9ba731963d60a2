#pragma once
// Which sums ptxas makes one instruction with the product that they add: `mul.f32 t, a, b; add.f32 d, t, c;`, neither
// of which names a rounding, becomes FFMA d, a, b, c, which rounds once. Found by a survey of ptxas 13.0's machine code
// (sm_75 to sm_90, 9600 kernels of chance: tests/exec/SURVEY.md; contraction.cpp has the rule). Where this file cannot
// know what ptxas does, because a value comes from another basic block or is written twice, each of the two rounds, as
// the PTX says.

#include <cstdint>
#include <vector>

#include "common/ptx/module.h"

namespace gpulab::simt {

/// One sum, as a * b + c with signs.
struct Contraction {
  std::uint32_t sum = 0, product = 0;  ///< indices of the two instructions
  std::uint8_t addend = 2;             ///< which operand of the sum is c: 1 or 2
  bool minus_product = false, minus_addend = false;
};

/// `writes_first`: by instruction, whether its first operand is what it writes.
[[nodiscard]] std::vector<Contraction> contractions(const ptx::Function& function,
                                                    const std::vector<bool>& writes_first);

}  // namespace gpulab::simt
