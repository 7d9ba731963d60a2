#pragma once
// LLVM that makes nothing: each call goes into a digest of 128 bits, by which two modules of the emitter are the same
// or not. No module has another's by chance. Who makes a kernel that has a lab's on purpose gets wrong results of his
// own kernel: the outline (ready_code.h) is the same, so that code finds no register, predicate or site that is not
// there.

#include "common/simt/compiled/ahead/ready_code.h"
#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

/// The functions that the emitter calls. Each thread records one module at a time.
[[nodiscard]] const Library& recorder();
/// Of this thread's module, which ModuleCreateWithNameInContext() has begun.
[[nodiscard]] Digest recorded();

}  // namespace gpulab::simt::compiled
