#pragma once
// Turns a scalar function into an instruction: `lane<[](std::uint32_t a, std::uint32_t b) { return a + b; }>` runs it
// for every active lane of a warp, and its signature tells decode the operand types. Only for isa/*.cpp, which are
// compiled once per x86-64 level: everything here has internal linkage, so that the linker never mixes levels.

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "common/simt/op.h"
#include "common/simt/warp.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// ---- how values sit in registers ----

/// Sub-word values occupy 32-bit lanes.
template <typename T>
using Raw = std::conditional_t<(sizeof(T) >= 4), T, std::uint32_t>;

template <typename T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>)
    return Kind::pred;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::f64;
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? Kind::s8 : Kind::u8;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? Kind::s16 : Kind::u16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? Kind::s32 : Kind::u32;
  else
    return std::is_signed_v<T> ? Kind::s64 : Kind::u64;
}

template <typename T>
inline T from_raw(Raw<T> raw) {
  if constexpr (sizeof(T) >= 4)
    return raw;
  else
    return static_cast<T>(raw);
}
template <typename T>
inline Raw<T> to_raw(T value) {
  if constexpr (sizeof(T) >= 4)
    return value;
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

/// Operand k of an instruction as 32 values.
template <typename T>
inline Raw<T>* values(Warp& w, const MicroOp* op, int k) {
  return reinterpret_cast<Raw<T>*>(w.regs + op->r[k]);
}

/// A source operand, indexable by lane; predicates are bit masks.
template <typename T>
struct Source {
  const Raw<T>* raw;
  Source(Warp& w, const MicroOp* op, int k) : raw(values<T>(w, op, k)) {}
  T operator[](int lane) const { return from_raw<T>(raw[lane]); }
};
template <>
struct Source<bool> {
  alignas(64) std::int32_t words[kLanes];  // one per lane, so that the compiler can select by vectors
  Source(Warp& w, const MicroOp* op, int k) {
    const std::uint32_t bits = w.preds[op->r[k]];
    for (int i = 0; i < kLanes; ++i) words[i] = static_cast<std::int32_t>(bits >> i & 1);
  }
  bool operator[](int lane) const { return words[lane]; }
};

/// 32 words, all ones or zero, to a lane mask.
inline std::uint32_t lane_mask(const std::int32_t* words) {
#if defined(__AVX512DQ__)
  const auto low = _mm512_movepi32_mask(_mm512_loadu_si512(words));
  const auto high = _mm512_movepi32_mask(_mm512_loadu_si512(words + 16));
  return static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16;
#elif defined(__AVX2__)
  std::uint32_t mask = 0;
  for (int i = 0; i < 4; ++i)
    mask |=
        static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(words) + 8 * i)))
        << 8 * i;
  return mask;
#elif defined(__x86_64__)
  std::uint32_t mask = 0;
  for (int i = 0; i < 8; ++i)
    mask |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_loadu_ps(reinterpret_cast<const float*>(words) + 4 * i)))
            << 4 * i;
  return mask;
#else
  std::uint32_t mask = 0;
  for (int i = 0; i < kLanes; ++i) mask |= static_cast<std::uint32_t>(words[i] & 1) << i;
  return mask;
#endif
}

inline void write_pred(Warp& w, std::uint16_t number, std::uint32_t bits) {
  std::uint32_t& pred = w.preds[number];
  pred = (pred & ~w.mask) | (bits & w.mask);
}

// ---- a function of one lane, run for all ----

/// d[i] = f(i) in active lanes. `f` must be harmless in inactive ones.
template <typename R, typename F>
inline void for_each_lane(Warp& w, const MicroOp* op, F f) {
  if constexpr (std::is_same_v<R, bool>) {
    alignas(64) std::int32_t words[kLanes];
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) words[i] = f(i) ? -1 : 0;
    write_pred(w, op->r[0], lane_mask(words));
  } else {
    Raw<R>* d = values<R>(w, op, 0);
    if (w.mask == kFullMask) {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) d[i] = to_raw<R>(f(i));
    } else {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) {
        const Raw<R> value = to_raw<R>(f(i));
        d[i] = w.lanes[i] ? value : d[i];
      }
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

// ---- floating-point modifiers ----

inline float flush(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if ((bits & 0x7f800000u) == 0) bits &= 0x80000000u;
  std::memcpy(&x, &bits, 4);
  return x;
}
template <typename T>
inline T flush_if(T x, bool ftz) {
  if constexpr (std::is_same_v<T, float>)
    return ftz ? flush(x) : x;
  else
    return x;
}
template <typename T>
inline T saturate_if(T x, bool sat) {
  if constexpr (std::is_floating_point_v<T>)
    return !sat ? x : x > T{0} ? (x < T{1} ? x : T{1}) : T{0};  // NaN: 0
  else
    return x;
}

/// Runs `work` under the rounding mode of an instruction's modifiers.
template <typename F>
inline void with_rounding(std::uint16_t mods, F work) {
#if defined(__x86_64__)
  static constexpr unsigned control[4] = {0x0000, 0x6000, 0x2000, 0x4000};  // MXCSR.RC: nearest, zero, down, up
  const unsigned saved = _mm_getcsr();
  _mm_setcsr((saved & ~0x6000u) | control[mods & kRoundMask]);
  asm volatile("" ::: "memory");
  work();
  asm volatile("" ::: "memory");
  _mm_setcsr(saved);
#else
  work();
#endif
}

// ---- handlers by arity ----

enum class Cost { vector, costly };

template <Cost cost, typename R, typename F>
inline void dispatch(Warp& w, const MicroOp* op, F f) {
  if constexpr (cost == Cost::vector)
    for_each_lane<R>(w, op, f);
  else
    for_each_active_lane<R>(w, op, f);
}

template <auto F, Cost cost, typename Signature>
struct LaneOp;

template <auto F, Cost cost, typename R, typename A>
struct LaneOp<F, cost, R (*)(A)> {
  static constexpr std::array<OperandType, 6> operands{{{Role::out, kind_of<R>()}, {Role::in, kind_of<A>()}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    dispatch<cost, R>(w, op, [&](int i) { return F(a[i]); });
    return op + 1;
  }
  static const MicroOp* modified(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    const bool ftz = op->mods & kFtz, sat = op->mods & kSat;
    with_rounding(op->mods, [&] {
      dispatch<cost, R>(w, op, [&](int i) { return saturate_if(flush_if(F(flush_if(a[i], ftz)), ftz), sat); });
    });
    return op + 1;
  }
};

template <auto F, Cost cost, typename R, typename A, typename B>
struct LaneOp<F, cost, R (*)(A, B)> {
  static constexpr std::array<OperandType, 6> operands{
      {{Role::out, kind_of<R>()}, {Role::in, kind_of<A>()}, {Role::in, kind_of<B>()}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    const Source<B> b(w, op, 2);
    dispatch<cost, R>(w, op, [&](int i) { return F(a[i], b[i]); });
    return op + 1;
  }
  static const MicroOp* modified(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    const Source<B> b(w, op, 2);
    const bool ftz = op->mods & kFtz, sat = op->mods & kSat;
    with_rounding(op->mods, [&] {
      dispatch<cost, R>(
          w, op, [&](int i) { return saturate_if(flush_if(F(flush_if(a[i], ftz), flush_if(b[i], ftz)), ftz), sat); });
    });
    return op + 1;
  }
};

template <auto F, Cost cost, typename R, typename A, typename B, typename C>
struct LaneOp<F, cost, R (*)(A, B, C)> {
  static constexpr std::array<OperandType, 6> operands{
      {{Role::out, kind_of<R>()}, {Role::in, kind_of<A>()}, {Role::in, kind_of<B>()}, {Role::in, kind_of<C>()}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    const Source<B> b(w, op, 2);
    const Source<C> c(w, op, 3);
    dispatch<cost, R>(w, op, [&](int i) { return F(a[i], b[i], c[i]); });
    return op + 1;
  }
  static const MicroOp* modified(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    const Source<B> b(w, op, 2);
    const Source<C> c(w, op, 3);
    const bool ftz = op->mods & kFtz, sat = op->mods & kSat;
    with_rounding(op->mods, [&] {
      dispatch<cost, R>(w, op, [&](int i) {
        return saturate_if(flush_if(F(flush_if(a[i], ftz), flush_if(b[i], ftz), flush_if(c[i], ftz)), ftz), sat);
      });
    });
    return op + 1;
  }
};

template <auto F, typename R, typename A, typename B, typename C, typename D>
struct LaneOp<F, Cost::costly, R (*)(A, B, C, D)> {
  static constexpr std::array<OperandType, 6> operands{{{Role::out, kind_of<R>()},
                                                        {Role::in, kind_of<A>()},
                                                        {Role::in, kind_of<B>()},
                                                        {Role::in, kind_of<C>()},
                                                        {Role::in, kind_of<D>()}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1);
    const Source<B> b(w, op, 2);
    const Source<C> c(w, op, 3);
    const Source<D> d(w, op, 4);
    for_each_active_lane<R>(w, op, [&](int i) { return F(a[i], b[i], c[i], d[i]); });
    return op + 1;
  }
};

/// Meaning of a plain function: no modifiers. Lambdas must be safe in inactive lanes (no division by zero trap).
template <auto F, Cost cost = Cost::vector>
constexpr Meaning lane() {
  using Op = LaneOp<F, cost, decltype(+F)>;
  return {.run = &Op::run, .operands = Op::operands};
}
/// The same for floating point: also honours rounding, .ftz and .sat when an opcode has them.
template <auto F, Cost cost = Cost::vector>
constexpr Meaning lane_float() {
  using Op = LaneOp<F, cost, decltype(+F)>;
  return {.run = &Op::run, .modified = &Op::modified, .operands = Op::operands};
}
/// For functions that cost more than a few instructions: inactive lanes are skipped.
template <auto F>
constexpr Meaning lane_costly() {
  return lane<F, Cost::costly>();
}

/// setp: a comparison into a predicate, optionally combined with another (mods kAnd/kOr/kXor), optionally with
/// its complement in a second predicate: p[|q], a, b{, c}.
template <auto F, typename Signature = decltype(+F)>
struct CompareOp;
template <auto F, typename A>
struct CompareOp<F, bool (*)(A, A)> {
  static constexpr std::array<OperandType, 6> operands{{{Role::out, Kind::pred},
                                                        {Role::optional_out, Kind::pred},
                                                        {Role::in, kind_of<A>()},
                                                        {Role::in, kind_of<A>()},
                                                        {Role::optional_in, Kind::pred}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 2), b(w, op, 3);
    alignas(64) std::int32_t words[kLanes];
    const bool ftz = op->mods & kFtz;
    if (std::is_same_v<A, float> && ftz) {
      for (int i = 0; i < kLanes; ++i) words[i] = F(flush_if(a[i], true), flush_if(b[i], true)) ? -1 : 0;
    } else {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) words[i] = F(a[i], b[i]) ? -1 : 0;
    }
    const std::uint32_t t = lane_mask(words);
    if (!(op->mods & kBoolMask) && op->r[1] == kNoOperand) {
      write_pred(w, op->r[0], t);
    } else {
      combine(w, op, t);
    }
    return op + 1;
  }
  static void combine(Warp& w, const MicroOp* op, std::uint32_t t) {
    const std::uint32_t c = w.preds[op->r[4]];
    const auto with_c = [&](std::uint32_t x) {
      switch (op->mods & kBoolMask) {
        case kAnd:
          return x & c;
        case kOr:
          return x | c;
        case kXor:
          return x ^ c;
        default:
          return x;
      }
    };
    write_pred(w, op->r[0], with_c(t));
    if (op->r[1] != kNoOperand) write_pred(w, op->r[1], with_c(~t));
  }
};
template <auto F>
constexpr Meaning compare() {
  return {.run = &CompareOp<F>::run, .operands = CompareOp<F>::operands};
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
