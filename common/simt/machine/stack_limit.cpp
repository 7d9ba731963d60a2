#include "common/simt/machine/stack_limit.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/simt/decode/program.h"
#include "common/simt/machine/divergence.h"
#include "common/simt/machine/faults.h"

namespace gpulab::simt {
namespace {

/// By the PTX alone. Beside its variables a function that calls itself saves the return address and registers: 24 to 36
/// bytes in small ones, by ptxas of CUDA 13.0 for sm_90.
std::uint64_t frame_by_ptx(const FunctionInfo& function) {
  constexpr std::uint32_t saved = 32;
  return function.frame_bytes + (function.recursive ? saved : 0);
}

/// As many calls as there may be with frames as large as there are: most calls are far from the limit, and not counted.
bool is_far(const Warp& w, const StackLimit& limit) {
  return (w.local_base / kLeastFrame + limit.frames.size() + 1) * limit.largest_frame <= limit.bytes;
}

}  // namespace

StackLimit::StackLimit(const Program& program, std::uint64_t asked, std::uint64_t before,
                       std::span<const std::uint32_t> known)
    : bytes(std::max(asked, before)), is_known(!known.empty()), frames(known.begin(), known.end()) {
  if (!is_known)
    for (const auto& function : program.functions) frames.push_back(frame_by_ptx(function));
  largest_frame = std::ranges::max(frames);
  // PTX's frames may be larger than those that ptxas makes of them.
  recursive_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(2 * asked, kRecursiveStack) - kRecursiveStack);
}

void check_stack(Warp& w, const MicroOp* op, std::uint32_t callee, std::int32_t point, std::uint32_t lanes,
                 const StackLimit& limit) {
  if (is_far(w, limit)) return;
  std::uint64_t above = 0;
  for (std::int32_t at = point; at >= 0; at = point_of(w, at).parent)
    if (const auto call = point_of(w, at).call; call >= 0)
      above += limit.frames[w.program->calls[static_cast<std::size_t>(call)].caller];
  const std::uint64_t own = limit.frames[callee];
  if (above + own <= limit.bytes) return;
  // The first thing that a function does is to save registers in its frame. That lies outside as a whole, even where
  // ptxas has made one of the calls part of its caller.
  if (limit.is_known && own > 0 && above >= limit.bytes + own)
    fault(w, op, __builtin_ctz(lanes),
          fmt::format("stack overflow: calls that have not returned take {} bytes of stack, of which a thread has {}",
                      above, limit.bytes),
          "cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the launch gives threads more; a loop takes less");
  auto known = limit.exceeded.load(std::memory_order_relaxed);
  while (known < above + own && !limit.exceeded.compare_exchange_weak(known, above + own)) {
  }
}

}  // namespace gpulab::simt
