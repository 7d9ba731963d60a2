#pragma once
// What one instruction makes of one thread's operands. Integers, logic, shifts, comparisons, selections and the common
// IEEE operations by arithmetic of our own in plain C++; the rest by the row's handler on a lane of its own, for which
// instruction cases (tests/ptx) and the GPU vouch.

#include <array>
#include <cstdint>

#include "tests/differential/instruction_pool.h"

namespace gpulab::differential {

inline constexpr std::size_t kMostOperands = 8;
struct Values {
  std::array<std::uint64_t, kMostOperands> bits{};
  std::array<bool, kMostOperands> present{};
};

/// Results of an instruction, in `out.bits` where `out.present`; the operands' order is the row's.
void compute(const PooledInstruction& one, std::uint32_t immediate, const Values& in, Values& out);

/// Whether our own arithmetic knows the instruction; if so, its results.
[[nodiscard]] bool compute_ourselves(const PooledInstruction& one, std::uint32_t immediate, const Values& in,
                                     Values& out);

/// The row's handler, for the lowest lane of a warp of its own.
void compute_by_row(const PooledInstruction& one, std::uint32_t immediate, const Values& in, Values& out);

}  // namespace gpulab::differential
