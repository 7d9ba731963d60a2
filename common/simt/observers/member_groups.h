#pragma once
// Lanes that come to a .sync instruction with the same member mask. Tiles of cooperative groups come together, each
// with a mask of its own.

#include <bit>
#include <cstdint>

#include "common/simt/decode/program.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt {

/// Runs f(group, members) for each group of the active lanes.
template <typename F>
void for_each_member_group(const Warp& w, const MicroOp* op, F f) {
  const Row& row = *w.program->sites[op->site].row;
  if (row.unit != Unit::warp) return;
  int entry = 0, mask_entry = -1;  // the mask is the last input
  for (const OperandType& operand : row.meaning.operands) {
    if (operand.role == Role::in) mask_entry = entry;
    if (operand.role != Role::none) entry += operand.vector;
  }
  if (mask_entry < 0) return;
  const auto* masks = reinterpret_cast<const std::uint32_t*>(w.regs + op->r[static_cast<std::size_t>(mask_entry)]);
  for (std::uint32_t left = w.mask; left;) {
    const std::uint32_t members = masks[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (int lane = 0; lane < kLanes; ++lane) same |= masks[lane] == members ? lane_bit[lane] : 0;
    const std::uint32_t group = same & left;
    left &= ~group;
    f(group, members);
  }
}

}  // namespace gpulab::simt
