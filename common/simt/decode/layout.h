#pragma once
// Inside decode: what a program keeps in shared and in local memory, and where.

#include "common/simt/decode/decoder.h"

namespace gpulab::simt {

/// Shared variables of the module and of its functions get offsets; dynamic shared memory starts behind them all.
/// Throws Error where they need more than a block has.
void layout_shared(Decoder& decoder);

/// Marks recursive functions and sizes the local memory of a lane by the deepest chain of frames. Throws Error where it
/// is deeper than a thread has memory for.
void layout_stack(Decoder& decoder);

}  // namespace gpulab::simt
