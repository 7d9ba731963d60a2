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

/// Floating-point arithmetic whose instructions have a rounding mode of their own on this CPU: `of` gives 16 results
/// under one. For all else handlers set the host's.
template <typename F>
struct Directed {
  static constexpr bool known = false;
};

/// Of a function of one lane, with modifiers. `arithmetic`: of floating-point numbers.
template <auto F, bool arithmetic, u16 mods, typename Signature = decltype(+F)>
struct LaneValues;
template <auto F, bool arithmetic, u16 mods, typename R, typename... A>
struct LaneValues<F, arithmetic, mods, R (*)(A...)> {
  static constexpr bool takes_floats = (std::is_same_v<R, float> || ... || std::is_same_v<A, float>);
#if defined(SIMT_COMPILED)
  template <int lanes>
  static void run(void* __restrict to, const void* a, const void* b, const void* c, const void* d) {
    const void* const from[] = {a, b, c, d};
    run_at<lanes>(to, from, std::make_integer_sequence<int, sizeof...(A)>{});
  }

 private:
  static constexpr bool ftz = (mods & kFtz) != 0, sat = (mods & kSat) != 0;
  using Function = std::remove_cv_t<decltype(F)>;

  template <int lanes, int... k>
  [[gnu::always_inline]] static void run_at(void* __restrict to, const void* const* from,
                                            std::integer_sequence<int, k...>) {
    if constexpr ((mods & kRoundMask) != 0) return run_directed<lanes>(to, static_cast<const float*>(from[k])...);
    const auto apply = [to](const auto&... x) {
      give<R, lanes>(to, [&](int i) { return result_of(x[i]...); });
      // What was less before it was rounded is rare, and costs as much again.
      if constexpr (arithmetic && ftz && std::is_same_v<R, float> && scales_with_outer_operands<Function>)
        if (has_smallest<lanes>(static_cast<const float*>(to))) [[unlikely]]
          give<R, lanes>(to, [&](int i) { return result_of_scaled(x[i]...); });
    };
    apply(Given<A>(from[k])...);
  }
  template <int lanes>
  static bool has_smallest(const float* x) {
    const auto is_smallest = [&](int i) { return __builtin_fabsf(x[i]) == 0x1p-126f; };
    if constexpr (lanes == 1)
      return is_smallest(0);
    else
      return true_lanes(is_smallest) != 0;
  }
  template <int lanes, typename... Floats>
  [[gnu::always_inline]] static void run_directed(void* __restrict to, const Floats*... from) {
    using SixteenFloats [[gnu::vector_size(64)]] = float;
    constexpr int at_once = lanes == 1 ? 1 : 16;
    for (int first = 0; first < lanes; first += at_once) {
      const auto given = [first](const float* x) {
        SixteenFloats v{};
        std::memcpy(&v, x + first, at_once * sizeof(float));
        return v;
      };
      const SixteenFloats result = Directed<Function>::template of<mods & kRoundMask>(given(from)...);
      float* const d = static_cast<float*>(to) + first;
      for (int i = 0; i < at_once; ++i) d[i] = canonical(result[i]);
    }
  }
  static R result_of(A... a) {
    if constexpr (!arithmetic)
      return F(flush_if(a, ftz)...);
    else
      return finished(as_on_x86<R>(F, ftz, flush_if(a, ftz)...));
  }
  static R result_of_scaled(A... a) {
    const R result = as_on_x86<R>(F, ftz, flush_if(a, ftz)...);
    return finished(__builtin_fabsf(result) == 0x1p-126f && was_less(F, flush_if(a, ftz)...) ? result * 0 : result);
  }
  static R finished(R result) {
    const R rounded = saturate_if(flush_if(result, ftz), sat);
    if constexpr (std::is_same_v<R, float>)
      return canonical(rounded);
    else
      return rounded;
  }
#endif
};

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

/// The meaning of a row whose handler does with these modifiers what Values do.
template <typename Values>
constexpr Meaning with_values(Meaning meaning, [[maybe_unused]] u16 mods = 0) {
#if defined(SIMT_COMPILED)
  meaning.values[mods] = {&Values::template run<kLanes>, &Values::template run<1>};
#endif
  return meaning;
}
template <auto F, u16 mods = 0>
constexpr Meaning with_plain_values(const Meaning& meaning) {
  return with_values<LaneValues<F, false, mods>>(meaning, mods);
}
/// Of floating-point arithmetic: also with .ftz and .sat, and under rounding modes that this CPU's instructions have.
template <auto F>
constexpr Meaning with_arithmetic_values(Meaning meaning) {
#if defined(SIMT_COMPILED)
  const auto add = [&]<u16... mods>(std::integer_sequence<u16, mods...>) {
    ((meaning = with_values<LaneValues<F, true, mods>>(meaning, mods)), ...);
  };
  add(std::integer_sequence<u16, 0>{});
  if constexpr (LaneValues<F, true, 0>::takes_floats) add(std::integer_sequence<u16, kFtz, kSat, kFtz | kSat>{});
  if constexpr (Directed<std::remove_cv_t<decltype(F)>>::known)
    add(std::integer_sequence<u16, kRoundZero, kRoundDown, kRoundUp>{});
#endif
  return meaning;
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
