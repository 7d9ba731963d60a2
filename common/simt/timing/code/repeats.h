#pragma once
// Instructions whose result is already there.

#include <cstdint>
#include <span>
#include <vector>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

/// What computes again what an earlier instruction of its basic block has, from operands that have not changed since,
/// costs nothing: ptxas keeps the first result. NVVM does the same, but for inline assembly, of which the conversions
/// and the arithmetic of `cuda_fp16.h` and `cuda_bf16.h` are made: of a product of two tiles by 8 x 8 halves PTX has
/// 128 conversions, machine code (sm_90) 16. `readers`: by register, how many instructions take it; those that took the
/// repeated result take the first one.
void leave_out_repeats(const Program& program, std::vector<TimedInstruction>& code, std::span<std::uint32_t> readers);

}  // namespace gpulab::simt
