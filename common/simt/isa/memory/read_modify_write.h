#pragma once
// What atomics, reductions and bulk copies that reduce do to a value in memory. Only for isa/memory/*.cpp.

#include "common/simt/isa/arithmetic/half_arithmetic.h"
#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

/// Two halves or bfloat16 in a word: each is atomic by itself, here both at once.
template <typename T>
struct Pair {
  u32 bits = 0;
};
template <typename T>
constexpr bool rounds = std::is_floating_point_v<T> || is_short_float<T>;
template <typename T>
constexpr bool rounds<Pair<T>> = true;

/// *host = f(*host), returns the old value; indivisible where blocks run in parallel.
template <typename T, typename F>
inline T read_modify_write(std::byte* host, bool parallel, F f) {
  auto* word = reinterpret_cast<Bits<T>*>(host);
  if (!parallel) {
    const T old = bits_as<T>(*word);
    *word = bits_as<Bits<T>>(f(old));
    return old;
  }
  Bits<T> seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &seen, bits_as<Bits<T>>(f(bits_as<T>(seen))), true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
  }
  return bits_as<T>(seen);
}

template <auto F, typename T>
void apply_later(std::byte* host, u64 b) {
  read_modify_write<T>(host, false, [&](T value) { return F(value, bits_as<T>(static_cast<Bits<T>>(b))); });
}

template <typename T>
constexpr auto sum = [](T old, T b) { return static_cast<T>(old + b); };
constexpr auto sum_f64 = [](double old, double b) {
  return with_first_nan([](double x, double y) { return x + y; }, old, b);
};
// Single precision in global memory is added where it lies, and there subnormals are flushed (SASS RED.ADD.F32.FTZ); in
// shared memory FADD adds, in a compare-and-swap loop.
constexpr auto sum_f32 = [](float old, float b) { return canonical(old + b); };
constexpr auto sum_f32_ftz = [](float old, float b) { return flush(canonical(flush(old) + flush(b))); };
template <typename T>
constexpr auto short_sum = [](T old, T b) { return computed<by_double::add>(0, old, b); };
template <typename T>
constexpr auto pair_sum = [](Pair<T> old, Pair<T> b) {
  return Pair<T>{
      pair_of(short_sum<T>(low<T>(old.bits), low<T>(b.bits)), short_sum<T>(high<T>(old.bits), high<T>(b.bits)))};
};
template <typename T>
constexpr auto least = [](T old, T b) { return b < old ? b : old; };
template <typename T>
constexpr auto most = [](T old, T b) { return b > old ? b : old; };
template <typename T>
constexpr auto conjunction = [](T old, T b) { return old & b; };
template <typename T>
constexpr auto disjunction = [](T old, T b) { return old | b; };
template <typename T>
constexpr auto difference = [](T old, T b) { return old ^ b; };
constexpr auto increment = [](u32 old, u32 b) { return old >= b ? 0 : old + 1; };
constexpr auto decrement = [](u32 old, u32 b) { return old == 0 || old > b ? b : old - 1; };

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
