#pragma once
// Calls: frames of local memory, arguments and results, registers of functions that are active twice. A call's lanes go
// through the functions that it calls as splits of their own and meet behind it (divergence.h). Handlers call
// call_function and call_indirect (warp.h).

#include <cstdint>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// All lanes of the call at `point` are back: results to the caller's frame, saved registers restored. Returns the
/// block to go on in.
std::uint32_t finish_call(Warp& warp, Reconvergence& point);
/// Gives up the registers that a call has saved.
void release_saved(Warp& warp, Reconvergence& point);
/// The running split's lanes return to their caller. False: they have none, `ret` ends the kernel for them.
bool return_from_call(Warp& warp);

}  // namespace gpulab::simt
