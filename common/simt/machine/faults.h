#pragma once
// What ends a launch because of one thread: the message says what it did, where, and what to do about it. Handlers call
// fault_access, fault_trap and fault_message (warp.h).

#include <string>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// The lane's place in the grid, for messages: "block (0,0,0), thread (35,0,0)".
[[nodiscard]] std::string thread_name(const Warp& warp, int lane);
[[noreturn]] void fault(Warp& warp, const MicroOp* op, int lane, const std::string& what, const std::string& hint = {});

}  // namespace gpulab::simt
