#pragma once
// Turns a scalar function into an instruction: `lane<[](std::uint32_t a, std::uint32_t b) { return a + b; }>` runs it
// for every active lane of a warp, and its signature tells decode the operand types. Only for isa/*/*.cpp, which are
// compiled once per x86-64 level: everything here has internal linkage, so that the linker never mixes levels.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "common/simt/isa/value_functions.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// ---- a function of one lane, run for all ----

/// d[i] = f(i) in active lanes. `f` must be harmless in inactive ones.
template <typename R, typename F>
inline void for_each_lane_at_once(Warp& w, const MicroOp* op, F f) {
  if constexpr (std::is_same_v<R, bool>) {
    write_pred(w, op->r[0], true_lanes(f));
  } else {
    Raw<R>* d = values<R>(w, op, 0);
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) {
      const Raw<R> value = to_raw<R>(f(i));
      d[i] = w.lanes[i] ? value : d[i];
    }
  }
}

/// The same, faster where all lanes are active; twice the code.
template <typename R, typename F>
inline void for_each_lane(Warp& w, const MicroOp* op, F f) {
  if constexpr (std::is_same_v<R, bool>) {
    write_pred(w, op->r[0], true_lanes(f));
  } else {
    Raw<R>* d = values<R>(w, op, 0);
    if (w.mask == kFullMask) {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) d[i] = to_raw<R>(f(i));
    } else {
      for_each_lane_at_once<R>(w, op, f);
    }
  }
}

/// The same, skipping inactive lanes: for costly functions (division, transcendental).
template <typename R, typename F>
inline void for_each_active_lane(Warp& w, const MicroOp* op, F f) {
  if constexpr (std::is_same_v<R, bool>) {
    std::uint32_t bits = 0;
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = __builtin_ctz(left);
      bits |= static_cast<std::uint32_t>(f(i)) << i;
    }
    write_pred(w, op->r[0], bits);
  } else {
    Raw<R>* d = values<R>(w, op, 0);
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = __builtin_ctz(left);
      d[i] = to_raw<R>(f(i));
    }
  }
}

// ---- NaN ----

/// Lanes whose value is NaN.
inline u32 nan_lanes(const float* x) {
#if defined(__AVX512F__)
  using Floats [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
  const auto unordered = [&](int i) {
    constexpr int unordered_quiet = 3, current_rounding = 4;
    const Floats v = reinterpret_cast<const Floats*>(x)[i];
    return u32{static_cast<u16>(__builtin_ia32_cmpps512_mask(v, v, unordered_quiet, 0xffff, current_rounding))};
  };
  return unordered(0) | unordered(1) << 16;
#else
  return true_lanes([&](int i) { return x[i] != x[i]; });
#endif
}
/// canonical() of what an instruction has written: looked for after the result is written, so that no later instruction
/// waits for it.
template <typename R>
[[gnu::always_inline]] inline void canonicalise(Warp& w, const MicroOp* op) {
  if constexpr (std::is_same_v<R, float>) {
    float* d = values<float>(w, op, 0);
    for (u32 left = nan_lanes(d) & w.mask; left; left &= left - 1)
      [[unlikely]] d[__builtin_ctz(left)] = bits_as<float>(0x7fffffffu);
  }
}

// ---- handlers ----

enum class Cost { vector, rare, costly };

template <Cost cost, typename R, typename F>
inline void dispatch(Warp& w, const MicroOp* op, F f) {
  if constexpr (cost == Cost::vector)
    for_each_lane<R>(w, op, f);
  else if constexpr (cost == Cost::rare)
    for_each_lane_at_once<R>(w, op, f);
  else
    for_each_active_lane<R>(w, op, f);
}

template <auto F, Cost cost, typename Signature>
struct LaneOp;

template <auto F, Cost cost, typename R, typename... A>
struct LaneOp<F, cost, R (*)(A...)> {
  static constexpr std::array<OperandType, 6> operands{{{Role::out, kind_of<R>()}, {Role::in, kind_of<A>()}...}};
  using InItsOrder = InOrder<std::remove_cv_t<decltype(F)>>;

  /// Integers, bits and moves.
  static const MicroOp* plain(Warp& w, const MicroOp* op) {
    with_sources(w, op, [&](const auto&... a) { dispatch<cost, R>(w, op, [&](int i) { return F(a[i]...); }); });
    return following(w, op);
  }
  /// Floating-point arithmetic without modifiers.
  static const MicroOp* arithmetic(Warp& w, const MicroOp* op) {
    with_sources(w, op, [&](const auto&... a) {
      dispatch<cost, R>(w, op, [&](int i) { return as_on_x86<R>(F, false, a[i]...); });
    });
    canonicalise<R>(w, op);
    return following(w, op);
  }
  /// The same on doubles whose operands' order g++ would change.
  static const MicroOp* in_order(Warp& w, const MicroOp* op) {
    constexpr int count = sizeof(Doubles) / sizeof(double);
    double* d = values<double>(w, op, 0);
    const bool all = w.mask == kFullMask;
    with_sources(w, op, [&](const auto&... a) {
      for (int i = 0; i < kLanes; i += count) {
        Doubles result = InItsOrder::of(doubles_at(a.raw + i)...);
        if (!all) {
          DoubleLanes active;
          std::memcpy(&active, w.lanes + i, sizeof active);
          result = __builtin_convertvector(active, DoubleMask) ? result : doubles_at(d + i);
        }
        std::memcpy(d + i, &result, sizeof result);
      }
    });
    return following(w, op);
  }
  /// With modifiers. Kernels built with -use_fast_math have .ftz throughout, expf() begins with two .sat: a path of
  /// their own.
  static const MicroOp* modified(Warp& w, const MicroOp* op) {
    // These two have their own copies of the operands: of one whose address is known elsewhere the compiler expects
    // that a lane's result changes it, and takes lane by lane.
    with_sources(w, op, [&](const auto&... a) {
      if ((op->mods & (kFtz | kSat | kRoundMask)) == kFtz)
        flushed(w, op, [a...](int i) { return flush_if(as_on_x86<R>(F, true, flush_if(a[i], true)...), true); });
      else if (!InItsOrder::known && (op->mods & (kFtz | kSat | kRoundMask)) == kSat)
        dispatch<cost, R>(w, op, [a...](int i) { return saturate_if(as_on_x86<R>(F, false, a[i]...), true); });
      else
        with_rounding(op->mods, [&] {
          const bool ftz = op->mods & kFtz, sat = op->mods & kSat;
          constexpr Cost rounded = cost == Cost::vector ? Cost::rare : cost;
          dispatch<rounded, R>(w, op, [&](int i) {
            if constexpr (InItsOrder::known)
              return with_first_nan(F, a[i]...);
            else
              return saturate_if(flush_if(as_on_x86<R>(F, ftz, flush_if(a[i], ftz)...), ftz), sat);
          });
        });
    });
    canonicalise<R>(w, op);
    return following(w, op);
  }

 private:
  /// .ftz alone. The host's mode is changed (tens of cycles) only where a result is the smallest normal number, which
  /// may have been less before it was rounded.
  template <typename Compute>
  static void flushed(Warp& w, const MicroOp* op, Compute compute) {
    if constexpr (std::is_same_v<R, float> && cost == Cost::vector) {
      alignas(64) float results[kLanes];
      const auto compute_all = [&] {
#pragma GCC ivdep
        for (int i = 0; i < kLanes; ++i) results[i] = compute(i);
      };
      compute_all();
#if defined(__x86_64__)
      if (true_lanes([&](int i) { return __builtin_fabsf(results[i]) == 0x1p-126f; }) != 0) [[unlikely]]
        with_rounding(kFtz, compute_all);
#endif
      for_each_lane<R>(w, op, [&](int i) { return results[i]; });
    } else {
      dispatch<cost, R>(w, op, compute);
    }
  }
  template <typename Work>
  static void with_sources(Warp& w, const MicroOp* op, Work work) {
    with_sources_at(w, op, work, std::make_integer_sequence<int, sizeof...(A)>{});
  }
  template <typename Work, int... k>
  static void with_sources_at(Warp& w, const MicroOp* op, Work work, std::integer_sequence<int, k...>) {
    work(Source<A>(w, op, k + 1)...);
  }
};

/// Meaning of a plain function: no modifiers. Lambdas must be safe in inactive lanes (no division by zero trap).
template <auto F, Cost cost = Cost::vector>
constexpr Meaning lane() {
  using Op = LaneOp<F, cost, decltype(+F)>;
  return with_plain_values<F>({.run = &Op::plain, .operands = Op::operands});
}
/// The same for floating-point arithmetic: also honours rounding, .ftz and .sat when an opcode has them.
template <auto F, Cost cost = Cost::vector>
constexpr Meaning lane_float() {
  using Op = LaneOp<F, cost, decltype(+F)>;
  Meaning meaning{.run = nullptr, .modified = &Op::modified, .operands = Op::operands};
  if constexpr (Op::InItsOrder::known)
    meaning.run = &Op::in_order;
  else
    meaning.run = &Op::arithmetic;
  if constexpr (cost == Cost::costly)  // it calls the host's libm, which machine code of a kernel does not
    return meaning;
  else
    return with_arithmetic_values<F>(meaning);
}
/// For what few kernels use: half the code.
template <auto F>
constexpr Meaning lane_rare() {
  return lane<F, Cost::rare>();
}
/// For functions that cost more than a few instructions: inactive lanes are skipped.
template <auto F>
constexpr Meaning lane_costly() {
  return lane<F, Cost::costly>();
}
template <auto F>
constexpr Meaning lane_float_costly() {
  return lane_float<F, Cost::costly>();
}

/// Predicates in, predicate out: a function of lane masks.
template <auto F, typename Signature = decltype(+F)>
struct MaskOp;
template <auto F, typename... A>
struct MaskOp<F, u32 (*)(A...)> {
  template <typename>
  static constexpr Kind predicate = Kind::pred;
  static constexpr std::array<OperandType, 6> operands{{{Role::out, Kind::pred}, {Role::in, predicate<A>}...}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    run_at(w, op, std::make_integer_sequence<int, sizeof...(A)>{});
    return following(w, op);
  }

 private:
  template <int... k>
  static void run_at(Warp& w, const MicroOp* op, std::integer_sequence<int, k...>) {
    write_pred(w, op->r[0], F(w.preds[op->r[k + 1]]...));
  }
};
template <auto F>
constexpr Meaning mask_function() {
  using Op = MaskOp<F>;
  return with_values<MaskValues<F>>({.run = &Op::run, .operands = Op::operands});
}

/// %branch_if
inline const MicroOp* branch_on(Warp& w, const MicroOp* op, u32 predicate) {
  const u32 taken = (is_negated(op) ? ~predicate : predicate) & w.mask;
  if (taken == w.mask) return enter(w, taken_block(op));
  if (taken == 0) return enter(w, fall_through_block(op));
  return diverge(w, op, taken);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
