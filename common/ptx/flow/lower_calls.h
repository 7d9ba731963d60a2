#pragma once
// Calls as the PTX manual allows them, rewritten into the one form that the simulator executes and nvcc emits.

#include "common/ptx/module.h"

namespace gpulab::ptx {

/// Aliases (.alias) become the functions that they stand for. Parameters, arguments and results in registers (PTX ISA:
/// Function Declarations and Definitions, without an ABI) go through .param variables: stored before the call and
/// loaded after it, loaded where the function begins and stored before it returns. Throws Error for predicates.
void lower_calls(Module& module);

}  // namespace gpulab::ptx
