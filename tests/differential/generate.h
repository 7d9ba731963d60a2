#pragma once
#include <cstdint>

#include "tests/differential/program.h"

namespace gpulab::differential {

/// The program of a seed: the same everywhere, as long as the pool is the same.
[[nodiscard]] Program generate(std::uint64_t seed, const InstructionPool& pool);

/// Every instruction of the pool once with registers, and once with literals where it may have them.
[[nodiscard]] Program every_instruction(const InstructionPool& pool);

}  // namespace gpulab::differential
