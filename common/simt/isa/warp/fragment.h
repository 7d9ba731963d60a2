#pragma once
// How a matrix is spread over the lanes of a warp (PTX ISA: Matrix Fragments for mma.*, wmma.*). Only for isa/*/*.cpp.
//
// A matrix is cut into blocks of 8 by 4 pieces; a lane l holds, of each block, the piece of row l/4 and place l%4. The
// "rows" (outer) are those of A and D and the columns of B; pieces lie along the other dimension (inner): k for A and
// B, n for D. wmma's fragments, which the manual leaves open, are on sm_80 and later those of the mma.m16n8 that ptxas
// makes of them: shapes of 8 rows by 32 columns are multiplied transposed, so that outer and inner of D change places.

#include <bit>

#include "common/simt/isa/warp/vectors.h"

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
  // All extents are powers of two: shifts, for a division takes as long as ten of them.
  constexpr int across() const { return inner >> (2 + std::countr_zero(static_cast<u32>(piece))); }
  constexpr int blocks() const { return outer / 8 * across(); }
  constexpr Block block(int b) const {
    const int high = order == Order::inner_first || outer == 8 ? 0 : 1;  // log2
    const int group = high + std::countr_zero(static_cast<u32>(across()));
    const int rest = b & ((1 << group) - 1);
    return {((b >> group << high) + (rest & ((1 << high) - 1))) * 8, (rest >> high) * 4 * piece};
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

// ---- of 16 rows at once (tensor_core.h) ----

inline constexpr int kMaxOuter = 32;                ///< rows of D
inline constexpr int kRows = 16, kMaxColumns = 16;  ///< computed at once

inline const u32* words_of(const Slot* regs, u16 slot) { return reinterpret_cast<const u32*>(regs + slot); }
inline u32* words_of(Slot* regs, u16 slot) { return reinterpret_cast<u32*>(regs + slot); }

/// The word of a row with which a block begins.
inline int word_of(const Fragment& f, Fragment::Block block) {
  return block.inner >> std::countr_zero(static_cast<u32>(f.piece));
}

/// Words of the rows from `first` on, pieces of a word each: words[word][row - first].
inline void read_rows(const Slot* regs, const u16* slots, const Fragment& f, int first, u32* words) {
  for (int b = 0; b < f.blocks(); ++b) {
    const Fragment::Block at = f.block(b);
    const int row = at.outer - first;
    if (row < 0 || row >= kRows) continue;
    u32* to = words + word_of(f, at) * kRows + row;
    for (int upper = 0; upper < 8; upper += 4)
      transpose_words(words_of(regs, slots[b]) + 4 * upper, 4, to + upper, kRows);
  }
}
/// The same of columns, which have `length` words in the result: words[column][word].
inline void read_columns(const Slot* regs, const u16* slots, const Fragment& f, int length, u32* words) {
  for (int b = 0; b < f.blocks(); ++b) {
    const Fragment::Block at = f.block(b);
    for (int row = 0; row < 8; ++row)
      std::memcpy(words + (at.outer + row) * length + word_of(f, at), words_of(regs, slots[b]) + 4 * row, 16);
  }
}
/// f(register, first column of four, how far the next is, first row of eight) for each register of the rows of C or D
/// from `first` on: its lane l has row l/4 and column l%4.
template <typename F>
inline void for_each_sum_register(const u16* slots, const Fragment& fragment, int first, F f) {
  for (int b = 0; b < fragment.blocks(); ++b) {
    const Fragment::Block at = fragment.block(b);
    const int row = at.outer - first;
    if (row < 0 || row >= kRows) continue;
    if (fragment.bits == 16)
      f(slots[b], at.inner / 2, 1, row);
    else
      for (int j = 0; j < 2; ++j) f(slots[2 * b + j], at.inner + j, 2, row);
  }
}
/// C: sums[column][row - first]; a column of 16-bit elements is two.
inline void read_sums(const Slot* regs, const u16* slots, const Fragment& f, int first, u32 (*sums)[kRows]) {
  for_each_sum_register(slots, f, first, [&](u16 slot, int column, int step, int row) {
    for (int upper = 0; upper < 8; upper += 4)
      transpose_words(words_of(regs, slot) + 4 * upper, 4, &sums[column][row + upper], step * kRows);
  });
}
inline void write_sums(Slot* regs, const u16* slots, const Fragment& f, int first, const u32 (*sums)[kRows]) {
  for_each_sum_register(slots, f, first, [&](u16 slot, int column, int step, int row) {
    for (int upper = 0; upper < 8; upper += 4)
      transpose_words(&sums[column][row + upper], step * kRows, words_of(regs, slot) + 4 * upper, 4);
  });
}

/// f(place, double) for all that the lanes hold.
template <typename F>
inline void for_each_double(Slot* regs, const u16* slots, const Fragment& fragment, F f) {
  for (int b = 0; b < fragment.blocks(); ++b)
    for (int j = 0; j < fragment.piece; ++j) {
      const Fragment::Block block = fragment.block(b);
      auto* doubles = reinterpret_cast<double*>(regs + slots[b * fragment.piece + j]);
      for (int lane = 0; lane < kLanes; ++lane) f(place_in(fragment, block, lane, j), doubles[lane]);
    }
}

// ---- one element after the other ----

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
