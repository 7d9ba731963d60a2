#pragma once
// The scalar function of a row as a ValueFunction: what its handler does, of values that do not lie in a warp's
// registers. Only in the rows as bitcode (SIMT_COMPILED), of which common/simt/compiled/ makes machine code; for all
// other compilers with_values() changes nothing. Only for isa/*/*.cpp, by way of lanes.h.

#include "common/simt/isa/lane_values.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

#if defined(SIMT_COMPILED)
/// An operand, indexable by lane.
template <typename T>
struct Given {
  const Raw<T>* raw;
  explicit Given(const void* from) : raw(static_cast<const Raw<T>*>(from)) {}
  T operator[](int lane) const { return from_raw<T>(raw[lane]); }
};
template <>
struct Given<bool> {
  u32 bits;
  explicit Given(const void* from) : bits(*static_cast<const u32*>(from)) {}
  bool operator[](int lane) const { return (bits & lane_bit[lane]) != 0; }
};

/// Writes f(i) of `lanes` lanes: of all 32, or of one that stands for all.
template <typename R, int lanes, typename F>
[[gnu::always_inline]] inline void give(void* __restrict to, F f) {
  if constexpr (std::is_same_v<R, bool>) {
    if constexpr (lanes == 1)
      *static_cast<u32*>(to) = f(0) ? kFullMask : 0;
    else
      *static_cast<u32*>(to) = true_lanes(f);
  } else {
    Raw<R>* __restrict d = static_cast<Raw<R>*>(to);
#pragma clang loop vectorize(assume_safety) interleave(disable)
    for (int i = 0; i < lanes; ++i) d[i] = to_raw<R>(f(i));
  }
}
#endif

/// Of a function of one lane. `arithmetic`: of floating-point numbers.
template <auto F, bool arithmetic, typename Signature = decltype(+F)>
struct LaneValues;
template <auto F, bool arithmetic, typename R, typename... A>
struct LaneValues<F, arithmetic, R (*)(A...)> {
#if defined(SIMT_COMPILED)
  template <int lanes>
  static void run(void* __restrict to, const void* a, const void* b, const void* c, const void* d) {
    const void* const from[] = {a, b, c, d};
    run_at<lanes>(to, from, std::make_integer_sequence<int, sizeof...(A)>{});
  }

 private:
  template <int lanes, int... k>
  [[gnu::always_inline]] static void run_at(void* __restrict to, const void* const* from,
                                            std::integer_sequence<int, k...>) {
    const auto apply = [to](const auto&... x) { give<R, lanes>(to, [&](int i) { return result_of(x[i]...); }); };
    apply(Given<A>(from[k])...);
  }
  static R result_of(A... a) {
    if constexpr (!arithmetic)
      return F(a...);
    else if constexpr (std::is_same_v<R, float>)
      return canonical(as_on_x86<R>(F, false, a...));
    else
      return as_on_x86<R>(F, false, a...);
  }
#endif
};
template <auto F>
using PlainValues = LaneValues<F, false>;
template <auto F>
using ArithmeticValues = LaneValues<F, true>;

/// Of a function of lane masks: one lane is as all are.
template <auto F, typename Signature = decltype(+F)>
struct MaskValues;
template <auto F, typename... A>
struct MaskValues<F, u32 (*)(A...)> {
#if defined(SIMT_COMPILED)
  template <int>
  static void run(void* to, const void* a, const void* b, const void* c, const void* d) {
    const void* const from[] = {a, b, c, d};
    run_at(to, from, std::make_integer_sequence<int, sizeof...(A)>{});
  }

 private:
  template <int... k>
  static void run_at(void* to, const void* const* from, std::integer_sequence<int, k...>) {
    *static_cast<u32*>(to) = F(*static_cast<const u32*>(from[k])...);
  }
#endif
};

/// The meaning of a row whose handler does without modifiers what Values do.
template <typename Values>
constexpr Meaning with_values(Meaning meaning) {
#if defined(SIMT_COMPILED)
  meaning.all = &Values::template run<kLanes>;
  meaning.one = &Values::template run<1>;
#endif
  return meaning;
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
