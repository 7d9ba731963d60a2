// Video instructions (PTX ISA: SIMD Video Instructions) on two 16-bit or four 8-bit elements, in the registers' own
// order. Elements of a and b are signed or not by their types; a sum goes to c, else c is not read.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

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

/// A row's signs and result, in Meaning::extra. `signs`: bit 0: a is signed, bit 1: b is.
constexpr u16 variant(int signs, Result result) { return static_cast<u16>(signs | static_cast<int>(result) << 2); }

/// F of all elements; one handler for all variants.
template <auto F, int bits>
const MicroOp* by_element(Warp& w, const MicroOp* op) {
  const Source<u32> a(w, op, 1), b(w, op, 2), c(w, op, 3);
  const auto result = static_cast<Result>(op->extra >> 2);
  const s32 a_sign = op->extra & 1 ? 1 << (bits - 1) : 0, b_sign = op->extra & 2 ? 1 << (bits - 1) : 0;
  const s32 half_range = 1 << (bits - 1);
  const s32 lowest = result == Result::clamped_s ? -half_range : result == Result::clamped_u ? 0 : INT32_MIN;
  const s32 highest = result == Result::clamped_s   ? half_range - 1
                      : result == Result::clamped_u ? 2 * half_range - 1
                                                    : INT32_MAX;
  constexpr u32 element_bits = (1u << bits) - 1;
  for_each_lane_at_once<u32>(w, op, [&](int i) {
    const auto element = [&](u32 x, int at, s32 sign) {
      return (static_cast<s32>(x >> at & element_bits) ^ sign) - sign;
    };
    u32 total = c[i], cut = 0;
    for (int at = 0; at < 32; at += bits) {
      const s32 x = F(element(a[i], at, a_sign), element(b[i], at, b_sign));
      total += static_cast<u32>(x);
      cut |= (static_cast<u32>(x < lowest ? lowest : x > highest ? highest : x) & element_bits) << at;
    }
    return result == Result::sum ? total : cut;
  });
  return following(w, op);
}
template <auto F, int bits, int signs, Result result>
constexpr Meaning video() {
  constexpr OperandType in{Role::in, Kind::u32};
  return {
      .run = by_element<F, bits>, .operands = {{{Role::out, Kind::u32}, in, in, in}}, .extra = variant(signs, result)};
}

#define SIGNED_AS(OP, TYPES, F, BITS, SIGNS)                                                        \
  {OP "(.u32,.s32)" TYPES " d, a, b, c", Unit::alu, video<F, BITS, SIGNS, Result::cut>()},          \
      {OP ".u32" TYPES ".sat d, a, b, c", Unit::alu, video<F, BITS, SIGNS, Result::clamped_u>()},   \
      {OP ".s32" TYPES ".sat d, a, b, c", Unit::alu, video<F, BITS, SIGNS, Result::clamped_s>()}, { \
    OP "(.u32,.s32)" TYPES ".add d, a, b, c", Unit::alu, video<F, BITS, SIGNS, Result::sum>()       \
  }
#define COMPARED_AS(TYPES, OP, F, BITS, SIGNS)                                  \
  {TYPES OP " d, a, b, c", Unit::alu, video<F, BITS, SIGNS, Result::cut>()}, {  \
    TYPES OP ".add d, a, b, c", Unit::alu, video<F, BITS, SIGNS, Result::sum>() \
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
