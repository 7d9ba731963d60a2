#pragma once

#include "common/ptx/module.h"

namespace gpulab::simt {

/// Does the load wait for its word? It stands in a loop (of up to 96 instructions), asks for the same address each
/// time, and what it has read decides about every way out: `while (*flag == 0) {}`, also by a vote, or with a pause
/// that grows.
[[nodiscard]] bool is_polling(const ptx::Function& function, const ptx::Instruction& load);

}  // namespace gpulab::simt
