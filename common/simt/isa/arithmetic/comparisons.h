#pragma once
// Comparisons of two lanes, shared by setp (compare.cpp), set (set.cpp) and those of 16-bit floating point
// (compare_half.cpp). Only for isa/*/*.cpp.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
constexpr auto equal = [](T a, T b) { return a == b; };
template <typename T>
constexpr auto not_equal = [](T a, T b) { return a != b; };  // floating point: neu
template <typename T>
constexpr auto less = [](T a, T b) { return a < b; };
template <typename T>
constexpr auto less_equal = [](T a, T b) { return a <= b; };
template <typename T>
constexpr auto greater = [](T a, T b) { return a > b; };
template <typename T>
constexpr auto greater_equal = [](T a, T b) { return a >= b; };
template <typename T>
constexpr auto ordered_not_equal = [](T a, T b) { return __builtin_islessgreater(a, b) != 0; };
template <typename T>
constexpr auto unordered_equal = [](T a, T b) { return !__builtin_islessgreater(a, b); };
template <typename T>
constexpr auto unordered_less = [](T a, T b) { return !(a >= b); };
template <typename T>
constexpr auto unordered_less_equal = [](T a, T b) { return !(a > b); };
template <typename T>
constexpr auto unordered_greater = [](T a, T b) { return !(a <= b); };
template <typename T>
constexpr auto unordered_greater_equal = [](T a, T b) { return !(a < b); };
template <typename T>
constexpr auto both_numbers = [](T a, T b) { return !__builtin_isunordered(a, b); };
template <typename T>
constexpr auto any_nan = [](T a, T b) { return __builtin_isunordered(a, b) != 0; };

/// set: what a comparison that holds writes: one, or all bits.
template <typename R>
constexpr R when_true = static_cast<R>(~0u);
template <>
constexpr float when_true<float> = 1;
template <>
constexpr Half when_true<Half>{0x3c00};
template <>
constexpr Bfloat16 when_true<Bfloat16>{0x3f80};

/// set: d, a, b{, c}
template <auto F, typename R, typename Signature = decltype(+F)>
struct SetOp;
template <auto F, typename R, typename A>
struct SetOp<F, R, bool (*)(A, A)> {
  static constexpr std::array<OperandType, 6> operands{
      {{Role::out, kind_of<R>()}, {Role::in, kind_of<A>()}, {Role::in, kind_of<A>()}, {Role::optional_in, Kind::pred}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1), b(w, op, 2);
    const bool ftz = op->mods & kFtz;
    const auto value = [&](A x) {
      if constexpr (std::is_same_v<A, float> || std::is_same_v<A, Half>)
        return ftz ? flush(x) : x;
      else
        return x;
    };
    const u32 t = true_lanes([&](int i) { return F(value(a[i]), value(b[i])); });
    const u32 result = combined(op, t, op->mods & kBoolMask ? w.preds[op->r[3]] : 0);
    for_each_lane<R>(w, op, [&](int i) { return result & lane_bit[i] ? when_true<R> : R{}; });
    return following(w, op);
  }
};
template <auto F, typename R>
constexpr Meaning set() {
  return {.run = &SetOp<F, R>::run, .operands = SetOp<F, R>::operands};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
