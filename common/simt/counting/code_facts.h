#pragma once
// What a program's code says by itself of two mistakes that its counts do not show: double arithmetic that a float
// kernel got by a slip, and work that leaves nothing behind.

#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// By site: double arithmetic, and what converts to it and back, in code where each double comes from a float or from a
/// constant and none is kept: no parameter, load or store has one (the C library's own tables aside). Empty: there is
/// none, or a double of the program's own among its values.
[[nodiscard]] std::vector<bool> doubles_for_floats(const Program& program);

/// Whatever the kernel computes, nobody can tell that it has run, but for the time: it has no store but to memory that
/// ends with it, no atomic, no call, nothing that waits, asks for the time or could stop it.
[[nodiscard]] bool leaves_nothing(const Program& program);

}  // namespace gpulab::simt
