#pragma once
// Calls (frames, saved registers of recursive functions) and the messages of faults.

#include <cstdint>
#include <string>

#include "common/simt/decode/program.h"
#include "common/simt/machine/warp.h"

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
/// A function that no module defines, for the active lanes.
void call_builtin(Warp& warp, const MicroOp* op, const CallInfo& call);

/// The lane's place in the grid, for messages: "block (0,0,0), thread (35,0,0)".
[[nodiscard]] std::string thread_name(const Warp& warp, int lane);
[[noreturn]] void fault(Warp& warp, const MicroOp* op, int lane, const std::string& what, const std::string& hint = {});

}  // namespace gpulab::simt
