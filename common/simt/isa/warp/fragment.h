#pragma once
// How a matrix is spread over the lanes of a warp (PTX ISA: Matrix Fragments for mma.*, wmma.*). Only for isa/*/*.cpp.
//
// A matrix is cut into blocks of 8 by 4 pieces; a lane l holds, of each block, the piece of row l/4 and place l%4. The
// "rows" (outer) are those of A and D and the columns of B; pieces lie along the other dimension (inner): k for A and
// B, n for D. wmma's fragments, which the manual leaves open, are on sm_80 and later those of the mma.m16n8 that ptxas
// makes of them: shapes of 8 rows by 32 columns are multiplied transposed, so that outer and inner of D change places.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

struct Fragment {
  enum class Order : u8 {
    pairs,       ///< rows in groups of 16: within a group the inner blocks, of each the upper and the lower half (A, D)
    inner_first  ///< rows by 8, of each the inner blocks (B)
  };
  int outer = 8, inner = 8;  ///< extents, elements
  int piece = 2;             ///< elements of a block that a lane holds
  int bits = 16;             ///< of an element
  Order order = Order::pairs;

  struct Block {
    int outer, inner;  ///< of its first element
  };
  constexpr int blocks() const { return outer / 8 * (inner / (4 * piece)); }
  constexpr Block block(int b) const {
    const int across = inner / (4 * piece);
    const int high = order == Order::inner_first || outer == 8 ? 1 : 2;
    const int rest = b % (across * high);
    return {b / (across * high) * high * 8 + rest % high * 8, rest / high * 4 * piece};
  }
  /// Registers that hold distinct elements; the instruction may name more, which repeat them.
  constexpr int registers() const { return bits >= 32 ? blocks() * piece : blocks() * piece * bits / 32; }
};

/// Element j of lane l's piece of a block: where in the matrix.
struct Place {
  int outer, inner;
};
inline Place place_in(const Fragment& f, Fragment::Block block, int lane, int j) {
  return {block.outer + lane / 4, block.inner + lane % 4 * f.piece + j};
}

/// Element e (counted over a lane's pieces) of a lane: bits of up to 64.
inline u64 element(const Slot* regs, const u16* slots, const Fragment& f, int lane, int e) {
  if (f.bits == 64) return reinterpret_cast<const u64*>(regs + slots[e])[lane];
  const int in_register = 32 / f.bits;
  const u32 word = reinterpret_cast<const u32*>(regs + slots[e / in_register])[lane];
  return f.bits == 32 ? word : word >> e % in_register * f.bits & ((1u << f.bits) - 1);
}
inline void set_element(Slot* regs, const u16* slots, const Fragment& f, int lane, int e, u64 value) {
  if (f.bits == 64) {
    reinterpret_cast<u64*>(regs + slots[e])[lane] = value;
    return;
  }
  const int in_register = 32 / f.bits, shift = e % in_register * f.bits;
  u32& word = reinterpret_cast<u32*>(regs + slots[e / in_register])[lane];
  const u32 mask = f.bits == 32 ? ~0u : ((1u << f.bits) - 1) << shift;
  word = (word & ~mask) | (static_cast<u32>(value) << shift & mask);
}

/// f(place, bits) for every element that the lanes hold.
template <typename F>
inline void for_each_element(const Slot* regs, const u16* slots, const Fragment& fragment, F f) {
  for (int b = 0; b < fragment.blocks(); ++b)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int j = 0; j < fragment.piece; ++j)
        f(place_in(fragment, fragment.block(b), lane, j), element(regs, slots, fragment, lane, b * fragment.piece + j));
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
