#pragma once
// A thread's stack on a GPU (cudaLimitStackSize), which is smaller than the simulator's. Measured on an H100 (driver of
// CUDA 13.0): the frames of the calls that have not returned, the kernel's own included, may take the limit, rounded up
// to 16 bytes, or the most that a kernel before needed; one frame more is an illegal address.

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/simt/decode/stack.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

struct StackLimit {
  /// `asked`: cudaLimitStackSize; `before`: what a kernel so far has needed; `known`: what ptxas gave each of
  /// Program::functions, at least (0: it became part of another); empty: nobody asked ptxas.
  StackLimit(const Program& program, std::uint64_t asked, std::uint64_t before, std::span<const std::uint32_t> known);

  std::uint64_t bytes;
  bool is_known;                      ///< by ptxas
  std::vector<std::uint64_t> frames;  ///< of Program::functions
  std::uint64_t largest_frame;
  std::uint32_t recursive_bytes;  ///< of local memory that the simulator adds for recursion
  /// The most that calls have taken where that was beyond the limit.
  mutable std::atomic<std::uint64_t> exceeded = 0;
};

/// Before `lanes` go into `callee`, whose call is `point`. Faults where a GPU would, whatever its compiler has done.
void check_stack(Warp& warp, const MicroOp* op, std::uint32_t callee, std::int32_t point, std::uint32_t lanes,
                 const StackLimit& limit);

}  // namespace gpulab::simt
