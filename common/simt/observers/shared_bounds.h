#pragma once
// Which shared variables an access may mean: those that its address was worked out from, by the code that leads to it.
// So an index that runs past the end of one array and far into another is told, though no byte there is forbidden.

#include <cstdint>
#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Bit i: Program::shared_variables[i]. 0: any, for nobody knows (the address was loaded, passed to a function, chosen
/// between a variable and something else …).
using SharedVariables = std::uint64_t;

/// By site.
[[nodiscard]] std::vector<SharedVariables> meant_variables(const Program& program);

}  // namespace gpulab::simt
