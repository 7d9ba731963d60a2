#pragma once
// Instructions of PTX that ptxas makes one machine instruction of.

#include <cstdint>
#include <span>
#include <vector>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

/// A multiplication or a shift whose result an addition takes becomes one instruction with it (IMAD, LEA).
void join_pairs(const Program& program, std::vector<TimedInstruction>& code);
/// Bit operations that together have three operands become one (LOP3), additions of three summands (IADD3), a rotation
/// and an addition (LEA.HI). `readers`: by register, how many instructions take it.
void join_words(const Program& program, std::vector<TimedInstruction>& code, std::span<const std::uint32_t> readers);

}  // namespace gpulab::simt
