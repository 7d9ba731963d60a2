#pragma once
// Super-instructions, found when a function's micro-ops are complete. None of them changes what is executed or counted.

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Within each basic block:
/// - An access to shared memory whose address register is that of an earlier one of the same kind, neither rewritten
/// nor
///   waited for in between, has that one's pattern: the lanes' addresses need not be looked at again, and its counts
///   are that one's (Site::leader).
/// - A comparison right before the branch that takes its predicate jumps by itself.
void fuse(Program& program);

}  // namespace gpulab::simt
