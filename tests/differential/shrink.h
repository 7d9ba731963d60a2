#pragma once
#include <functional>

#include "tests/differential/program.h"

namespace gpulab::differential {

/// Takes statements, guards, blocks and threads out of the program, as many as possible while `differs` stays true.
[[nodiscard]] Program shrunk(Program program, const std::function<bool(const Program&)>& differs);

/// Statements, those within others too.
[[nodiscard]] std::size_t statement_count(const Program& program);

}  // namespace gpulab::differential
