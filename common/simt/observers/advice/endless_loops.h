#pragma once
// Loops that wait for memory which the compiler has read once, before them: `while (*flag == 0) {}` of a flag that is
// not volatile becomes one load and a branch to itself, for nothing in the loop can change what was read.

#include <cstdint>
#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Their sites: branches to themselves that are taken as a plain load decided.
[[nodiscard]] std::vector<std::uint32_t> endless_loops(const Program& program);

}  // namespace gpulab::simt
