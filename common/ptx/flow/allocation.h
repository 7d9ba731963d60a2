#pragma once
// Register allocation for the simulator: virtual registers to as few slots as their lifetimes allow, so that a warp's
// registers stay in the first-level cache. There is no upper bound on slots, hence no spilling.

#include <cstdint>
#include <span>
#include <vector>

#include "common/ptx/flow/liveness.h"

namespace gpulab::ptx {

struct VirtualRegister {
  std::uint8_t slot_class = 0;  ///< 0: 32-bit, 1: 64-bit, 2: predicate, … Slots of different classes never overlap.
  bool pinned = false;          ///< keeps a slot of its own from entry to exit
};

struct Allocation {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> slots;       ///< per virtual register: its slot within its class; none if it never occurs
  std::vector<std::uint32_t> slot_count;  ///< per class
  /// Registers that some path from the function's entry reads before it writes them, in order.
  std::vector<std::uint32_t> entering;
};

/// Guarantees: registers that are live at once never share a slot; destinations of one instruction never share one,
/// even if unused afterwards; a destination may take the slot of a source that dies there (of the same class) unless
/// the instruction is `early_clobber`. Same input, same result.
[[nodiscard]] Allocation allocate_registers(std::span<const VirtualRegister> registers, const ControlFlowGraph& graph,
                                            std::span<const RegisterAccess> instructions);

}  // namespace gpulab::ptx
