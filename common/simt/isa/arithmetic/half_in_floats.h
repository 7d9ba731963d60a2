#pragma once
// Sums, products and fused multiply-adds of halves by way of single precision, 32 lanes at once. Only for isa/*/*.cpp.

#include "common/simt/isa/arithmetic/half_arithmetic.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// Products of halves are exact in single precision (22 bits). A sum may be rounded twice, which is harmless: 24 bits
// are 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?"), and sums below the smallest normal half are exact.
namespace by_single {
constexpr auto add = [](float a, float b) { return a + b; };
constexpr auto sub = [](float a, float b) { return a - b; };
constexpr auto mul = [](float a, float b) { return a * b; };
/// As by_double::fused: the sum is rounded to odd. Products are no smaller than 2^-48: the error is exact.
constexpr auto fused = [](float a, float b, float c) {
  const float product = a * b;
  const float sum = product + c;
  const float part = sum - product;
  const float error = (product - (sum - part)) + (c - part);
  const u32 bits = bits_as<u32>(sum);
  const bool inexact = error < 0 || error > 0;  // not where an operand is infinite or NaN
  const u32 towards_error = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return bits_as<float>(inexact && (bits & 1) == 0 ? towards_error : bits);
};
// With signs, for sums that decode takes together with a product (contraction.h).
constexpr auto less_addend = [](float a, float b, float c) { return fused(a, b, -c); };
constexpr auto less_product = [](float a, float b, float c) { return fused(-a, b, c); };
constexpr auto less_both = [](float a, float b, float c) { return fused(-a, b, -c); };
constexpr auto fused_relu = [](float a, float b, float c) {
  const float d = fused(a, b, c);
  return d > 0 ? d : d != d ? d : 0.0f;
};
}  // namespace by_single

/// computed() of all lanes' halves in the lower or upper bits of 32.
template <auto F, typename... Raws>
[[gnu::always_inline]] inline void compute_halves(u16 mods, int shift, u32* results, const Raws*... raws) {
  const auto compute = [&](auto before, auto after, const auto&... a) {
    Floats exact;
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) exact.of[i] = after(F(before(a.of[i])...));
    nearest_halves(exact, results);
  };
  const auto as_it_is = [](float x) { return x; };
  if ((mods & (kFtz | kSat)) == 0) return compute(as_it_is, as_it_is, floats_of(raws, shift)...);
  const bool ftz = mods & kFtz, sat = mods & kSat;
  compute([&](float x) { return ftz && __builtin_fabsf(x) < 0x1p-14f ? __builtin_copysignf(0, x) : x; },
          [&](float x) {
            const float flushed = ftz ? static_cast<float>(without_tiny<Half>(double{x})) : x;
            return sat ? saturate(flushed) : flushed;
          },
          floats_of(raws, shift)...);
}

/// The instruction on one half, and on pairs of them.
template <auto F, typename Signature = decltype(+F)>
struct HalfOp;
template <auto F, typename... D>
struct HalfOp<F, float (*)(D...)> {
  static constexpr std::array<OperandType, 6> scalars{{{Role::out, Kind::f16}, {Role::in, kind_as<D>(Kind::f16)}...}};
  static constexpr std::array<OperandType, 6> pairs{{{Role::out, Kind::u32}, {Role::in, kind_as<D>(Kind::u32)}...}};

  static const MicroOp* scalar(Warp& w, const MicroOp* op) {
    run_at<false>(w, op, std::make_integer_sequence<int, sizeof...(D)>{});
    return following(w, op);
  }
  static const MicroOp* pair(Warp& w, const MicroOp* op) {
    run_at<true>(w, op, std::make_integer_sequence<int, sizeof...(D)>{});
    return following(w, op);
  }

 private:
  template <bool paired, int... k>
  [[gnu::always_inline]] static void run_at(Warp& w, const MicroOp* op, std::integer_sequence<int, k...>) {
    alignas(64) u32 low[kLanes], high[kLanes];
    compute_halves<F>(op->mods, 0, low, values<u32>(w, op, k + 1)...);
    if constexpr (paired) compute_halves<F>(op->mods, 16, high, values<u32>(w, op, k + 1)...);
    for_each_lane_at_once<u32>(w, op, [&](int i) { return paired ? low[i] | high[i] << 16 : low[i]; });
  }
};
template <auto F>
constexpr Meaning half_alone() {
  return {.run = &HalfOp<F>::scalar, .operands = HalfOp<F>::scalars};
}
template <auto F>
constexpr Meaning half_in_pairs() {
  return {.run = &HalfOp<F>::pair, .operands = HalfOp<F>::pairs};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
