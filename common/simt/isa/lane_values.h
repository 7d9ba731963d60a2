#pragma once
// How the values of 32 lanes sit in registers, and how rows read and write them. Only for isa/*/*.cpp, by way of
// lanes.h.

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "common/simt/isa/host_arithmetic.h"
#include "common/simt/isa/op.h"
#include "common/simt/machine/warp.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using s8 = std::int8_t;
using u8 = std::uint8_t;
using s16 = std::int16_t;
using u16 = std::uint16_t;
using s32 = std::int32_t;
using u32 = std::uint32_t;
using s64 = std::int64_t;
using u64 = std::uint64_t;

/// A half-precision value (5 bits of exponent, 10 of mantissa), as bits. Arithmetic: half.h.
struct Half {
  u16 bits = 0;
  Half() = default;
  constexpr explicit Half(u32 b) : bits(static_cast<u16>(b)) {}
};
/// The upper half of a single-precision value (8 and 7 bits), as bits.
struct Bfloat16 {
  u16 bits = 0;
  Bfloat16() = default;
  constexpr explicit Bfloat16(u32 b) : bits(static_cast<u16>(b)) {}
};
template <typename T>
constexpr bool is_short_float = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

/// Goes on with the next micro-op: within a basic block handlers jump from one to the next (SIMT_CHAIN: the build makes
/// it a tail call), which an indirect-branch predictor follows better than one shared call. Only for handlers whose
/// successor runs in any case; .sync collectives and what ends a block return to the warp's loop, so that without
/// tail calls the stack would be no deeper than one block is long.
[[gnu::always_inline]] inline const MicroOp* following(Warp& w, const MicroOp* op) {
#if defined(SIMT_CHAIN)
  return op[1].run(w, op + 1);
#else
  (void)w;
  return op + 1;
#endif
}

// ---- rows that share handlers ----

/// A row, and what tells it from the others of its table that have the same handlers: these find it as
/// table[op->extra].more.
template <typename More>
struct RowWith {
  Row row;
  More more;
};
/// The rows of such a table, each with its number as Meaning::extra.
template <typename More, std::size_t count>
constexpr std::array<Row, count> numbered(const RowWith<More> (&table)[count]) {
  std::array<Row, count> rows{};
  for (std::size_t i = 0; i < count; ++i) {
    rows[i] = table[i].row;
    rows[i].meaning.extra = static_cast<u16>(i);
  }
  return rows;
}

// ---- how values sit in registers ----

/// Sub-word values occupy 32-bit lanes.
template <typename T>
using Raw = std::conditional_t<(sizeof(T) >= 4), T, std::uint32_t>;

template <typename T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>)
    return Kind::pred;
  else if constexpr (std::is_same_v<T, Half>)
    return Kind::f16;
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return Kind::bf16;
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
  else if constexpr (is_short_float<T>)
    return value.bits;
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
  alignas(64) s32 words[kLanes];  // one per lane, so that the compiler can select by vectors
  Source(Warp& w, const MicroOp* op, int k) {
    const u32 bits = w.preds[op->r[k]];
    for (int i = 0; i < kLanes; ++i) words[i] = (bits & lane_bit[i]) != 0 ? -1 : 0;
  }
  bool operator[](int lane) const { return words[lane] != 0; }
};

/// 32 words, all ones or zero, to a lane mask.
inline std::uint32_t lane_mask(const std::int32_t* words) {
#if defined(__AVX512DQ__)
  using Words [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
  const auto half = [&](int i) {
    return std::uint32_t{
        static_cast<std::uint16_t>(__builtin_ia32_cvtd2mask512(reinterpret_cast<const Words*>(words)[i]))};
  };
  return half(0) | half(1) << 16;
#elif defined(__AVX2__)
  using EightFloats [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
  std::uint32_t mask = 0;
  for (int i = 0; i < 4; ++i)
    mask |= static_cast<std::uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<const EightFloats*>(words)[i]))
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

/// The lanes, active or not, for which f holds.
template <typename F>
inline u32 true_lanes(F f) {
  alignas(64) s32 words[kLanes];
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) words[i] = f(i) ? -1 : 0;
  return lane_mask(words);
}

inline void write_pred(Warp& w, std::uint16_t number, std::uint32_t bits) {
  std::uint32_t& pred = w.preds[number];
  pred = (pred & ~w.mask) | (bits & w.mask);
}

/// The bits of a value as another type of its size.
template <typename To, typename From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(to));
  return to;
}

/// Single-precision instructions make one NaN only; double-precision ones keep a NaN operand's payload
/// (with_first_nan).
inline float canonical(float x) { return x == x ? x : bits_as<float>(0x7fffffffu); }

// ---- floating-point modifiers ----

/// .ftz: subnormals become zeros of their sign.
inline float flush(float x) {
  const u32 bits = bits_as<u32>(x);
  return bits_as<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
inline Half flush(Half x) { return Half((x.bits & 0x7c00u) == 0 ? x.bits & 0x8000u : x.bits); }
template <typename T>
inline T flush_if(T x, bool ftz) {
  if constexpr (std::is_same_v<T, float>)  // halves: only where an instruction says so
    return ftz ? flush(x) : x;
  else
    return x;
}
template <typename T>
inline T saturate(T x) {
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};  // NaN: 0
}
template <typename T>
inline T saturate_if(T x, bool sat) {
  if constexpr (std::is_floating_point_v<T>)
    return sat ? saturate(x) : x;
  else
    return x;
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
