// Comparison of half-precision and bfloat16 values (PTX ISA: Half Precision Comparison Instructions): setp and set,
// alone and two at once.

#include "common/simt/isa/arithmetic/comparisons.h"
#include "common/simt/isa/arithmetic/half_arithmetic.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// A comparison by that of floats.
template <typename T, auto F>
constexpr auto as_floats = [](T a, T b) { return F(float_of(a), float_of(b)); };

/// Lanes for which the comparison of the lower halves, and of the upper, holds.
struct PairOfMasks {
  u32 low, high;
};
template <typename T, auto F>
inline PairOfMasks compared(const Source<u32>& a, const Source<u32>& b, bool ftz) {
  const auto value = [&](T x) { return float_of(ftz ? flush(x) : x); };
  return {true_lanes([&](int i) { return F(value(low<T>(a[i])), value(low<T>(b[i]))); }),
          true_lanes([&](int i) { return F(value(high<T>(a[i])), value(high<T>(b[i]))); })};
}

/// setp p, a, b{, c}: one value has no q.
template <typename T, auto F>
const MicroOp* compare_alone(Warp& w, const MicroOp* op) {
  const Source<T> a(w, op, 1), b(w, op, 2);
  const bool ftz = op->mods & kFtz;
  const auto value = [&](T x) { return float_of(ftz ? flush(x) : x); };
  const u32 t = true_lanes([&](int i) { return F(value(a[i]), value(b[i])); });
  write_pred(w, op->r[0], combined(op, t, op->mods & kBoolMask ? w.preds[op->r[3]] : 0));
  return following(w, op);
}
template <typename T, auto F>
constexpr Meaning setp_alone() {
  constexpr OperandType value{Role::in, kind_of<T>()};
  return {.run = compare_alone<T, F>,
          .operands = {{{Role::out, Kind::pred}, value, value, {Role::optional_in, Kind::pred}}}};
}

/// setp p{|q}, a, b{, c}: p of the lower halves, q of the upper.
template <typename T, auto F>
const MicroOp* compare_pairs(Warp& w, const MicroOp* op) {
  const auto t = compared<T, F>({w, op, 2}, {w, op, 3}, op->mods & kFtz);
  const u32 c = op->mods & kBoolMask ? w.preds[op->r[4]] : 0;
  write_pred(w, op->r[0], combined(op, t.low, c));
  if (op->r[1] != kNoOperand) write_pred(w, op->r[1], combined(op, t.high, c));
  return following(w, op);
}
template <typename T, auto F>
constexpr Meaning setp_pairs() {
  return {.run = compare_pairs<T, F>,
          .operands = {{{Role::out, Kind::pred},
                        {Role::optional_out, Kind::pred},
                        {Role::in, Kind::u32},
                        {Role::in, Kind::u32},
                        {Role::optional_in, Kind::pred}}}};
}

/// set d, a, b{, c}: R is what each half of d receives.
template <typename T, auto F, typename R>
const MicroOp* set_each(Warp& w, const MicroOp* op) {
  const auto t = compared<T, F>({w, op, 1}, {w, op, 2}, op->mods & kFtz);
  const u32 c = op->mods & kBoolMask ? w.preds[op->r[3]] : 0;
  const u32 low_result = combined(op, t.low, c), high_result = combined(op, t.high, c);
  const u32 one = to_raw<R>(when_true<R>);
  for_each_lane<u32>(
      w, op, [&](int i) { return (low_result & lane_bit[i] ? one : 0) | (high_result & lane_bit[i] ? one << 16 : 0); });
  return following(w, op);
}
template <typename T, auto F, typename R>
constexpr Meaning set_pairs() {
  return {.run = set_each<T, F, R>,
          .operands = {
              {{Role::out, Kind::u32}, {Role::in, Kind::u32}, {Role::in, Kind::u32}, {Role::optional_in, Kind::pred}}}};
}

// The forms of one comparison; bfloat16 has no .ftz.
#define BOOL "{.and,.or,.xor}"
#define COMPARISON_OF(OP, F, T, TYPE, FTZ)                                                                    \
  {"setp." OP BOOL FTZ TYPE " p, a, b{, c}", Unit::alu, setp_alone<T, F<float>>()},                           \
      {"setp." OP BOOL FTZ TYPE "x2 p{|q}, a, b{, c}", Unit::alu, setp_pairs<T, F<float>>()},                 \
      {"set." OP BOOL FTZ TYPE TYPE " d, a, b{, c}", Unit::alu, set<as_floats<T, F<float>>, T>()},            \
      {"set." OP BOOL FTZ "(.u16,.s16)" TYPE " d, a, b{, c}", Unit::alu, set<as_floats<T, F<float>>, u16>()}, \
      {"set." OP BOOL FTZ "(.u32,.s32)" TYPE " d, a, b{, c}", Unit::alu, set<as_floats<T, F<float>>, u32>()}, \
      {"set." OP BOOL FTZ TYPE "x2" TYPE "x2 d, a, b{, c}", Unit::alu, set_pairs<T, F<float>, T>()}, {        \
    "set." OP BOOL FTZ "(.u32,.s32)" TYPE "x2 d, a, b{, c}", Unit::alu, set_pairs<T, F<float>, u16>()         \
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
