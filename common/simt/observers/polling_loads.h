#pragma once

#include "common/ptx/module.h"

namespace gpulab::simt {

/// Does the load wait for its word? It stands in a loop of a single basic block, asks for the same address each time,
/// and what it has read decides whether the loop goes on: `while (*flag == 0) {}`.
[[nodiscard]] bool is_polling(const ptx::Function& function, const ptx::Instruction& load);

}  // namespace gpulab::simt
