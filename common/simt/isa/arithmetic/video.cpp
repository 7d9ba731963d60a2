// Video instructions (PTX ISA: SIMD Video Instructions) on two 16-bit or four 8-bit elements, in the registers' own
// order. Elements of a and b are signed or not by their types; a sum goes to c, else c is not read.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <int bits, bool is_signed>
inline s32 element(u32 x, int at) {
  const u32 high = x << (32 - bits - at);
  return is_signed ? static_cast<s32>(high) >> (32 - bits) : static_cast<s32>(high >> (32 - bits));
}

// A result has one bit more than an element.
constexpr auto add = [](s32 a, s32 b) { return a + b; };
constexpr auto sub = [](s32 a, s32 b) { return a - b; };
/// Rounded away from zero.
constexpr auto average = [](s32 a, s32 b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; };
constexpr auto distance = [](s32 a, s32 b) { return a > b ? a - b : b - a; };
constexpr auto min = [](s32 a, s32 b) { return a < b ? a : b; };
constexpr auto max = [](s32 a, s32 b) { return a > b ? a : b; };
constexpr auto equal = [](s32 a, s32 b) { return a == b ? 1 : 0; };
constexpr auto not_equal = [](s32 a, s32 b) { return a != b ? 1 : 0; };
constexpr auto less = [](s32 a, s32 b) { return a < b ? 1 : 0; };
constexpr auto less_equal = [](s32 a, s32 b) { return a <= b ? 1 : 0; };
constexpr auto greater = [](s32 a, s32 b) { return a > b ? 1 : 0; };
constexpr auto greater_equal = [](s32 a, s32 b) { return a >= b ? 1 : 0; };

/// What becomes of the elements' results: cut to an element's size, clamped to its range, or added to c.
enum class Result { cut, clamped_u, clamped_s, sum };

template <int bits, Result result>
inline s32 limited(s32 x) {
  constexpr s32 lowest = result == Result::clamped_s ? -(1 << (bits - 1)) : 0;
  constexpr s32 highest = (1 << (result == Result::clamped_s ? bits - 1 : bits)) - 1;
  return result == Result::cut ? x : x < lowest ? lowest : x > highest ? highest : x;
}

/// `signs`: bit 0: a is signed, bit 1: b is.
template <auto F, int bits, int signs, Result result>
constexpr auto by_element = [](u32 a, u32 b, u32 c) {
  u32 d = result == Result::sum ? c : 0;
  for (int at = 0; at < 32; at += bits) {
    const s32 x = F(element<bits, (signs & 1) != 0>(a, at), element<bits, (signs & 2) != 0>(b, at));
    if (result == Result::sum)
      d += static_cast<u32>(x);
    else
      d |= (static_cast<u32>(limited<bits, result>(x)) & ((1u << bits) - 1)) << at;
  }
  return d;
};

#define SIGNED_AS(OP, TYPES, F, BITS, SIGNS)                                                                   \
  {OP "(.u32,.s32)" TYPES " d, a, b, c", Unit::alu, lane<by_element<F, BITS, SIGNS, Result::cut>>()},          \
      {OP ".u32" TYPES ".sat d, a, b, c", Unit::alu, lane<by_element<F, BITS, SIGNS, Result::clamped_u>>()},   \
      {OP ".s32" TYPES ".sat d, a, b, c", Unit::alu, lane<by_element<F, BITS, SIGNS, Result::clamped_s>>()}, { \
    OP "(.u32,.s32)" TYPES ".add d, a, b, c", Unit::alu, lane<by_element<F, BITS, SIGNS, Result::sum>>()       \
  }
#define COMPARED_AS(TYPES, OP, F, BITS, SIGNS)                                             \
  {TYPES OP " d, a, b, c", Unit::alu, lane<by_element<F, BITS, SIGNS, Result::cut>>()}, {  \
    TYPES OP ".add d, a, b, c", Unit::alu, lane<by_element<F, BITS, SIGNS, Result::sum>>() \
  }
#define OPERATION(OP, F, BITS)                                                                                         \
  SIGNED_AS(OP, ".u32.u32", F, BITS, 0), SIGNED_AS(OP, ".s32.u32", F, BITS, 1), SIGNED_AS(OP, ".u32.s32", F, BITS, 2), \
      SIGNED_AS(OP, ".s32.s32", F, BITS, 3)
#define COMPARISON(SET, OP, F, BITS)                                                        \
  COMPARED_AS(SET ".u32.u32", OP, F, BITS, 0), COMPARED_AS(SET ".s32.u32", OP, F, BITS, 1), \
      COMPARED_AS(SET ".u32.s32", OP, F, BITS, 2), COMPARED_AS(SET ".s32.s32", OP, F, BITS, 3)

const Row rows[] = {
    OPERATION("vadd2", add, 16),
    OPERATION("vadd4", add, 8),
    OPERATION("vsub2", sub, 16),
    OPERATION("vsub4", sub, 8),
    OPERATION("vavrg2", average, 16),
    OPERATION("vavrg4", average, 8),
    OPERATION("vabsdiff2", distance, 16),
    OPERATION("vabsdiff4", distance, 8),
    OPERATION("vmin2", min, 16),
    OPERATION("vmin4", min, 8),
    OPERATION("vmax2", max, 16),
    OPERATION("vmax4", max, 8),
    COMPARISON("vset2", ".eq", equal, 16),
    COMPARISON("vset4", ".eq", equal, 8),
    COMPARISON("vset2", ".ne", not_equal, 16),
    COMPARISON("vset4", ".ne", not_equal, 8),
    COMPARISON("vset2", ".lt", less, 16),
    COMPARISON("vset4", ".lt", less, 8),
    COMPARISON("vset2", ".le", less_equal, 16),
    COMPARISON("vset4", ".le", less_equal, 8),
    COMPARISON("vset2", ".gt", greater, 16),
    COMPARISON("vset4", ".gt", greater, 8),
    COMPARISON("vset2", ".ge", greater_equal, 16),
    COMPARISON("vset4", ".ge", greater_equal, 8),
};

}  // namespace

std::span<const Row> video_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
