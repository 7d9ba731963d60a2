#pragma once
// Where builtins.cpp finds them all, and what those of the CUDA device runtime share.

#include <span>

#include "common/simt/device_runtime/builtins.h"
#include "common/simt/device_runtime/device_launch.h"
#include "common/simt/machine/block.h"

namespace gpulab::simt {

[[nodiscard]] std::span<const Builtin> launch_builtins();  ///< device_launch.cpp
[[nodiscard]] std::span<const Builtin> device_builtins();  ///< device_queries.cpp

/// Errors are recorded per thread until it asks for them (cudaGetLastError).
void set_last_error(Warp& w, int lane, CudaError error);
/// What a call of the runtime returns; recorded where it is an error.
void return_error(Warp& w, const CallInfo& call, int lane, CudaError error);
/// Tells the observers what was stored for a lane.
inline void tell_written(const Warp& w, int lane, std::uint64_t address, std::uint64_t bytes) {
  w.block->launch.tell([&](Observer& observer) { observer.written_for(w, lane, address, bytes); });
}
/// Stores through a pointer that the kernel passed; faults where it leads nowhere.
template <typename T>
void store_result(Warp& w, const MicroOp* op, int lane, std::uint64_t address, T value) {
  if (address % sizeof(T) || !write_memory(w, lane, address, &value, sizeof(T)))
    fault_access(w, op, address, lane, sizeof(T), "store");
  tell_written(w, lane, address, sizeof(T));
}
/// Device memory of the runtime's own.
std::uint64_t runtime_memory(Warp& w, std::string_view name, std::uint64_t bytes);

}  // namespace gpulab::simt
