// Comparison of half-precision and bfloat16 values (PTX ISA: Half Precision Comparison Instructions): setp and set,
// alone and two at once.

#include "common/simt/isa/arithmetic/comparisons.h"
#include "common/simt/isa/arithmetic/half_arithmetic.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// The lanes in which the values compare as the row says: `shift` 0: the lower halves, or single values; 16: the upper.
template <typename T>
[[gnu::noinline]] u32 compared(Warp& w, const MicroOp* op, int operand, int shift) {
  const bool ftz = op->mods & kFtz;
  alignas(64) float values_of[2][kLanes];
  for (int k = 0; k < 2; ++k) {
    const u32* raw = values<u32>(w, op, operand + k);
    for (int i = 0; i < kLanes; ++i) {
      const T x(raw[i] >> shift);
      values_of[k][i] = float_of(ftz ? flush(x) : x);
    }
  }
  return related<float>(op->extra & kRelations, values_of[0], values_of[1], false);
}

/// setp p, a, b{, c}: one value has no q.
template <typename T>
const MicroOp* compare_alone(Warp& w, const MicroOp* op) {
  write_pred(w, op->r[0], set_result(w, op, compared<T>(w, op, 1, 0)));
  return following(w, op);
}
template <typename T, auto F>
constexpr Meaning setp_alone() {
  constexpr OperandType value{Role::in, kind_of<T>()};
  return {.run = compare_alone<T>,
          .operands = {{{Role::out, Kind::pred}, value, value, {Role::optional_in, Kind::pred}}},
          .extra = relations<F>};
}

/// setp p{|q}, a, b{, c}: p of the lower halves, q of the upper.
template <typename T>
const MicroOp* compare_pairs(Warp& w, const MicroOp* op) {
  const u32 low = compared<T>(w, op, 2, 0), high = compared<T>(w, op, 2, 16);
  const u32 c = op->mods & kBoolMask ? w.preds[op->r[4]] : 0;
  write_pred(w, op->r[0], combined(op, low, c));
  if (op->r[1] != kNoOperand) write_pred(w, op->r[1], combined(op, high, c));
  return following(w, op);
}
template <typename T, auto F>
constexpr Meaning setp_pairs() {
  return {.run = compare_pairs<T>,
          .operands = {{{Role::out, Kind::pred},
                        {Role::optional_out, Kind::pred},
                        {Role::in, Kind::u32},
                        {Role::in, Kind::u32},
                        {Role::optional_in, Kind::pred}}},
          .extra = relations<F>};
}

/// set d, a, b{, c}
template <typename T>
const MicroOp* set_one(Warp& w, const MicroOp* op) {
  write_set(w, op, compared<T>(w, op, 1, 0));
  return following(w, op);
}
template <typename T, auto F, typename R>
constexpr Meaning set_alone() {
  constexpr OperandType value{Role::in, kind_of<T>()};
  return {.run = set_one<T>,
          .operands = {{{Role::out, kind_of<R>()}, value, value, {Role::optional_in, Kind::pred}}},
          .extra = set_number<F, R>};
}
/// R is what each half of d receives.
template <typename T>
const MicroOp* set_each(Warp& w, const MicroOp* op) {
  const u32 low = set_result(w, op, compared<T>(w, op, 1, 0)), high = set_result(w, op, compared<T>(w, op, 1, 16));
  const u32 one = when_true[op->extra >> 4];
  for_each_lane_at_once<u32>(
      w, op, [&](int i) { return (low & lane_bit[i] ? one : 0) | (high & lane_bit[i] ? one << 16 : 0); });
  return following(w, op);
}
template <typename T, auto F, typename R>
constexpr Meaning set_pairs() {
  return {.run = set_each<T>,
          .operands =
              {{{Role::out, Kind::u32}, {Role::in, Kind::u32}, {Role::in, Kind::u32}, {Role::optional_in, Kind::pred}}},
          .extra = set_number<F, R>};
}

// The forms of one comparison; bfloat16 has no .ftz.
#define BOOL "{.and,.or,.xor}"
#define COMPARISON_OF(OP, F, T, TYPE, FTZ)                                                               \
  {"setp." OP BOOL FTZ TYPE " p, a, b{, c}", Unit::alu, setp_alone<T, F<float>>()},                      \
      {"setp." OP BOOL FTZ TYPE "x2 p{|q}, a, b{, c}", Unit::alu, setp_pairs<T, F<float>>()},            \
      {"set." OP BOOL FTZ TYPE TYPE " d, a, b{, c}", Unit::alu, set_alone<T, F<float>, T>()},            \
      {"set." OP BOOL FTZ "(.u16,.s16)" TYPE " d, a, b{, c}", Unit::alu, set_alone<T, F<float>, u16>()}, \
      {"set." OP BOOL FTZ "(.u32,.s32)" TYPE " d, a, b{, c}", Unit::alu, set_alone<T, F<float>, u32>()}, \
      {"set." OP BOOL FTZ TYPE "x2" TYPE "x2 d, a, b{, c}", Unit::alu, set_pairs<T, F<float>, T>()}, {   \
    "set." OP BOOL FTZ "(.u32,.s32)" TYPE "x2 d, a, b{, c}", Unit::alu, set_pairs<T, F<float>, u16>()    \
  }
#define COMPARISON(OP, F) COMPARISON_OF(OP, F, Half, ".f16", "{.ftz}"), COMPARISON_OF(OP, F, Bfloat16, ".bf16", "")

const Row rows[] = {
    COMPARISON("eq", equal),
    COMPARISON("ne", ordered_not_equal),
    COMPARISON("lt", less),
    COMPARISON("le", less_equal),
    COMPARISON("gt", greater),
    COMPARISON("ge", greater_equal),
    COMPARISON("equ", unordered_equal),
    COMPARISON("neu", not_equal),
    COMPARISON("ltu", unordered_less),
    COMPARISON("leu", unordered_less_equal),
    COMPARISON("gtu", unordered_greater),
    COMPARISON("geu", unordered_greater_equal),
    COMPARISON("num", both_numbers),
    COMPARISON("nan", any_nan),
};

}  // namespace

std::span<const Row> compare_half_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
