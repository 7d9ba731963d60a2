#pragma once
// The order that ptxas gives instructions: loads early, what needs them late, loops of few instructions unrolled.

#include <cstdint>
#include <vector>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

[[nodiscard]] bool is_one_of(std::uint16_t reg, const std::array<std::uint16_t, 6>& registers);

/// Within the stretches between instructions that stand still (barriers, branches, stores).
void schedule(std::vector<TimedInstruction>& code, std::uint32_t of_thread);

/// TimedCode::kTurns turns of a loop as one; empty where ptxas does not unroll it. `registers`: how many there are.
[[nodiscard]] std::vector<TimedInstruction> unroll(const std::vector<TimedInstruction>& code, std::uint32_t& registers,
                                                   std::uint32_t of_thread);

}  // namespace gpulab::simt
