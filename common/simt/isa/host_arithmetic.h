#pragma once
// What the host's floating-point arithmetic has to be told: the rounding mode, what becomes of subnormal results, which
// NaN comes of doubles. Only for isa/*/*.cpp, by way of lanes.h.

#include <cstdint>
#include <iterator>
#include <type_traits>

#if defined(__x86_64__)
#include <xmmintrin.h>  // SSE alone: immintrin.h takes three times as long to read as all else here
#endif

#include "common/simt/isa/op.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Operations whose result is scaled by a power of two where their first and third operand are. float32.cpp names them.
template <typename F>
constexpr bool scales_with_outer_operands = false;

template <typename T, typename F, typename... More>
inline T scaled_up(F f, T a, T b, More... c) {
  return f(a * T(0x1p24), b, (c * T(0x1p24))...);
}
/// f(a…), which is the smallest normal number, was less before it was rounded to a multiple of 2^-149: rounded to 24
/// digits, as if there were no least exponent.
template <typename F, typename... More>
inline bool was_less(F f, float a, More... more) {
  if constexpr (scales_with_outer_operands<F>)
    return __builtin_fabsf(scaled_up(f, a, more...)) < 0x1p-102f;
  else
    return false;
}

/// f(a…), and which NaN comes of doubles: that of the first operand which is one, made quiet, else 0xfff8000000000000.
/// The manual says that payloads are kept, not which operand's. It is what x86 does with operands that stay in their
/// order. Known to differ: of two NaNs an H100 gives the last operand's (of a quotient the first's, as here).
template <typename F, typename... More>
inline double with_first_nan(F f, double a, More... more) {
  const double result = f(a, more...);
  double nan = __builtin_bit_cast(double, std::uint64_t{0xfff8000000000000});
  const auto prefer = [&](double x) {
    nan = x != x ? __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) | std::uint64_t{1} << 51) : nan;
  };
  const double operands[] = {a, more...};
  for (std::size_t k = std::size(operands); k-- > 0;) prefer(operands[k]);
  return result == result ? result : nan;
}

/// As many doubles as this CPU adds at once.
#if defined(__AVX512F__)
using Doubles [[gnu::vector_size(64)]] = double;
using DoubleMask [[gnu::vector_size(64)]] = std::int64_t;
using DoubleLanes [[gnu::vector_size(32)]] = std::int32_t;  // Warp::lanes
#elif defined(__AVX__)
using Doubles [[gnu::vector_size(32)]] = double;
using DoubleMask [[gnu::vector_size(32)]] = std::int64_t;
using DoubleLanes [[gnu::vector_size(16)]] = std::int32_t;   // Warp::lanes
#else
using Doubles [[gnu::vector_size(16)]] = double;
using DoubleMask [[gnu::vector_size(16)]] = std::int64_t;
using DoubleLanes [[gnu::vector_size(8)]] = std::int32_t;  // Warp::lanes
#endif
inline Doubles doubles_at(const double* from) {
  Doubles x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

/// Operations of which g++ takes the operands in any order, which decides between two NaN: `of` is one whose operands
/// stay where they are. float64.cpp has them.
template <typename F>
struct InOrder {
  static constexpr bool known = false;
};

/// f(a…) where the host's arithmetic does what x86's does: which NaN comes of an operation on doubles of which one
/// operand at most is a NaN, and with .ftz what is below the normal numbers (with_rounding). Other hosts are told in
/// software.
template <typename R, typename F, typename First, typename... More>
inline R as_on_x86(F f, [[maybe_unused]] bool ftz, First a, More... more) {
#if !defined(__x86_64__) || defined(SIMT_COMPILED)  // LLVM may exchange the operands of a sum
  if constexpr (std::is_same_v<R, double> && std::is_same_v<First, double>) return with_first_nan(f, a, more...);
#endif
  R result = f(a, more...);
#if !defined(__x86_64__)
  if constexpr (std::is_same_v<R, float> && scales_with_outer_operands<F>)
    if (ftz && __builtin_fabsf(result) == 0x1p-126f && was_less(f, a, more...)) result *= 0;
#endif
  return result;
}

/// Runs `work` under the rounding mode of an instruction's modifiers. With .ftz what is below the normal numbers once
/// it is rounded to their digits becomes zero, which need not be below them in the end: 1.11…1 (24 digits) * 2^-127
/// rounds to 2^-126. An H200 tells them as x86's flush-to-zero mode does.
template <typename F>
inline void with_rounding(std::uint16_t mods, F work) {
#if defined(__x86_64__)
  static constexpr unsigned control[4] = {0x0000, 0x6000, 0x2000, 0x4000};  // MXCSR.RC: nearest, zero, down, up
  const unsigned saved = _mm_getcsr();
  constexpr unsigned flush_to_zero = 0x8000;
  _mm_setcsr((saved & ~0x6000u) | control[mods & kRoundMask] | (mods & kFtz ? flush_to_zero : 0));
  asm volatile("" ::: "memory");
  work();
  asm volatile("" ::: "memory");
  _mm_setcsr(saved);
#elif defined(__aarch64__)
  static constexpr std::uint64_t control[4] = {0, 3, 2, 1};  // FPCR.RMode, bits 22 and 23: nearest, zero, down, up
  std::uint64_t saved;
  asm volatile("mrs %0, fpcr" : "=r"(saved));
  asm volatile("msr fpcr, %0"
               :
               : "r"((saved & ~(std::uint64_t{3} << 22)) | control[mods & kRoundMask] << 22)
               : "memory");
  work();
  asm volatile("msr fpcr, %0" : : "r"(saved) : "memory");
#else
#error "how is this CPU's rounding mode set?"
#endif
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
