#pragma once
// rcp.approx, div.approx and div.full of floats: what ptxas makes of them around the special function unit's
// reciprocal, as its machine code shows. It scales what is too small or too large for the unit.

#include "common/simt/isa/arithmetic/special_functions.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

inline Singles magnitude(Singles x) { return (Singles)((Words)x & 0x7fffffff); }
inline Singles singles_of(float x) { return Singles{} + x; }
template <bool ftz>
inline Singles reciprocal_approx(Singles a) {
  if constexpr (ftz) return unit_reciprocal(a);
  const Singles scale = magnitude(a) > 0x1p126F    ? singles_of(0.25F)
                        : magnitude(a) < 0x1p-126F ? singles_of(0x1p24F)
                                                   : singles_of(1);
  return scale * unit_reciprocal(a * scale);
}
/// a b, with .ftz. What is below the normal numbers before it is rounded becomes zero.
template <bool ftz>
inline Singles product(Singles a, Singles b) {
  const Singles result = a * b;
  if constexpr (!ftz) return result;
  const auto less = (magnitude(result) == 0x1p-126F) & (magnitude(a * 0x1p24F * b) < 0x1p-102F);
  return flushed(less ? (Singles)((Words)result & 0x80000000) : result);
}
/// A product with the reciprocal. Without .ftz both are scaled; div.full scales large divisors, too.
template <bool ftz, bool full>
inline Singles quotient_scale(Singles b) {
  Singles scale = singles_of(1);
  if constexpr (full) scale = magnitude(b) > 0x1p126F ? singles_of(0.25F) : scale;
  if constexpr (!ftz) scale = magnitude(b) < 0x1p-126F ? singles_of(0x1p24F) : scale;
  return scale;
}
template <bool ftz, bool full>
inline Singles quotient_approx(Singles a, Singles b) {
  const Singles scale = quotient_scale<ftz, full>(b);
  return product<ftz>(unit_reciprocal(b * scale), product<ftz>(a, scale));
}
/// The same product within a sum (contraction.h): F rounds once.
template <bool ftz, bool full, auto F>
inline Singles quotient_sum(Singles a, Singles b, Singles c) {
  const Singles scale = quotient_scale<ftz, full>(b), x = product<ftz>(a, scale), y = unit_reciprocal(b * scale);
  Singles result;
  for (int i = 0; i < kWords; ++i) {
    result[i] = F(x[i], y[i], c[i]);
    if (ftz && __builtin_fabsf(result[i]) == 0x1p-126F &&
        __builtin_fabsf(F(x[i] * 0x1p24F, y[i], c[i] * 0x1p24F)) < 0x1p-102F)
      result[i] *= 0;
  }
  return result;
}

inline Singles canonical(Singles x) { return x != x ? (Singles)words_of(kNoNumber) : x; }
template <bool full>
struct QuotientOp {
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const float *a = values<float>(w, op, 1), *b = values<float>(w, op, 2);
    if (op->mods & kFtz)
      return for_vectors(w, op, [&](int i) {
        return canonical(flushed(quotient_approx<true, full>(flushed(singles_at(a + i)), flushed(singles_at(b + i)))));
      });
    return for_vectors(
        w, op, [&](int i) { return canonical(quotient_approx<false, full>(singles_at(a + i), singles_at(b + i))); });
  }
};
template <bool full, auto F>
struct QuotientSumOp {
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const float *a = values<float>(w, op, 1), *b = values<float>(w, op, 2), *c = values<float>(w, op, 3);
    if (op->mods & kFtz)
      return for_vectors(w, op, [&](int i) {
        const auto at = [i](const float* from) { return flushed(singles_at(from + i)); };
        return canonical(flushed(quotient_sum<true, full, F>(at(a), at(b), at(c))));
      });
    return for_vectors(w, op, [&](int i) {
      return canonical(quotient_sum<false, full, F>(singles_at(a + i), singles_at(b + i), singles_at(c + i)));
    });
  }
};
template <bool full, auto F>
constexpr Meaning of_quotient_sum() {
  return {.run = &QuotientSumOp<full, F>::run,
          .operands = {{{Role::out, Kind::f32}, {Role::in, Kind::f32}, {Role::in, Kind::f32}, {Role::in, Kind::f32}}}};
}
template <bool full>
constexpr Meaning of_quotient() {
  return {.run = &QuotientOp<full>::run,
          .operands = {{{Role::out, Kind::f32}, {Role::in, Kind::f32}, {Role::in, Kind::f32}}}};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
