#pragma once
// LLVM that makes nothing: each call goes into a digest, so that two modules of the emitter have the same one if, and
// but for a chance of 2^-128 only if, they are the same.

#include "common/simt/compiled/ahead/ready_code.h"
#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

/// Its functions are those that the emitter calls, and work on what this thread has last begun.
[[nodiscard]] const Library& recorder();
/// ModuleCreateWithNameInContext() begins one.
[[nodiscard]] Digest recorded();

}  // namespace gpulab::simt::compiled
