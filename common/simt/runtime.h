#pragma once
// Calls and what the device runtime serves: frames, saved registers of recursive functions, printf, assertions,
// and the messages of faults.

#include <cstdint>

#include "common/simt/program.h"
#include "common/simt/warp.h"

namespace gpulab::simt {

/// Fills reconvergence point `point` for a call by the running split; returns it.
std::int32_t begin_call(Warp& warp, const MicroOp* op, const CallInfo& call, std::int32_t point);
/// Passes arguments to a callee for some lanes and saves its registers if it may be active already.
void enter_function(Warp& warp, const MicroOp* op, const CallInfo& call, std::uint32_t callee, std::int32_t point,
                    std::uint32_t lanes);
/// Local frame of whatever this call calls.
[[nodiscard]] std::uint32_t callee_frame(const Warp& warp, const CallInfo& call);
/// All lanes are back: results to the caller's frame, saved registers restored. Returns the block to go on in.
std::uint32_t finish_call(Warp& warp, Reconvergence& point);
/// The function whose address this is; faults if there is none.
[[nodiscard]] std::uint32_t function_at(Warp& warp, const MicroOp* op, std::uint64_t address);
/// vprintf, __assertfail …, for the active lanes.
void call_builtin(Warp& warp, const MicroOp* op, const CallInfo& call);

}  // namespace gpulab::simt
