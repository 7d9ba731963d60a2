#pragma once
// How long instructions take on Hopper, by PTX opcode.

#include <string_view>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

[[nodiscard]] InstructionCost cost_of(std::string_view opcode, Unit unit);

}  // namespace gpulab::simt
