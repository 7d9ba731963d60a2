#pragma once
#include <functional>

#include "tests/differential/program.h"

namespace gpulab::differential {

/// The program with as many statements, guards, blocks and threads taken out as it takes while `differs` holds.
[[nodiscard]] Program shrunk(Program program, const std::function<bool(const Program&)>& differs);

/// Statements, those within others too.
[[nodiscard]] std::size_t statement_count(const Program& program);

}  // namespace gpulab::differential
