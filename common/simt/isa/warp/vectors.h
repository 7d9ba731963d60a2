#pragma once
// Vectors as wide as the CPU level's registers, for what is not one function of one lane (lanes.h): matrices. Only for
// isa/*/*.cpp.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <typename T, int count>
struct VectorOf {
  using Type [[gnu::vector_size(count * sizeof(T))]] = T;
};
template <typename T, int count = kVectorBytes / static_cast<int>(sizeof(T))>
using Vector = typename VectorOf<T, count>::Type;

template <typename V, typename T>
inline V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <typename V, typename T>
inline void store(T* to, V v) {
  std::memcpy(to, &v, sizeof(v));
}
template <typename T>
inline Vector<T> all(T value) {
  return Vector<T>{} + value;
}
/// The same bits as other elements.
template <typename T, typename V>
inline Vector<T> as(V v) {
  return (Vector<T>)v;  // NOLINT: how GCC spells it
}
template <typename V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}
template <typename V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}

/// Of elements that are not negative.
inline s32 largest_of(Vector<s32> v) {
  s32 elements[kVectorBytes / 4], most = 0;
  store(elements, v);
  for (const s32 x : elements) most = x > most ? x : most;
  return most;
}

/// 2^exponent, of normal numbers.
template <typename T>
inline T power_of_two(s32 exponent) {
  if constexpr (std::is_same_v<T, float>)
    return bits_as<float>(static_cast<u32>(exponent + 127) << 23);
  else
    return bits_as<double>(static_cast<u64>(exponent + 1023) << 52);
}
template <typename T, typename Exponents>
inline Vector<T> powers_of_two(Exponents exponents) {
  if constexpr (std::is_same_v<T, float>)
    return as<float>((exponents + 127) << 23);
  else
    return as<double>(__builtin_convertvector(exponents + 1023, Vector<s64>) << 52);
}

/// Four rows of four words each, `from_stride` words apart, as four columns.
[[gnu::always_inline]] inline void transpose_words(const u32* from, int from_stride, u32* to, int to_stride) {
  using Four = Vector<u32, 4>;
  const auto a = load<Four>(from), b = load<Four>(from + from_stride), c = load<Four>(from + 2 * from_stride),
             d = load<Four>(from + 3 * from_stride);
  constexpr Four low = {0, 4, 1, 5}, high = {2, 6, 3, 7}, front = {0, 1, 4, 5}, back = {2, 3, 6, 7};
  const Four ab = __builtin_shuffle(a, b, low), cd = __builtin_shuffle(c, d, low);
  const Four ab_high = __builtin_shuffle(a, b, high), cd_high = __builtin_shuffle(c, d, high);
  store(to, __builtin_shuffle(ab, cd, front));
  store(to + to_stride, __builtin_shuffle(ab, cd, back));
  store(to + 2 * to_stride, __builtin_shuffle(ab_high, cd_high, front));
  store(to + 3 * to_stride, __builtin_shuffle(ab_high, cd_high, back));
}

using Halves = Vector<u16, 8>;

/// Eight rows of eight halves become columns.
[[gnu::always_inline]] inline void transpose_halves(Halves (&rows)[8]) {
  constexpr Halves low = {0, 8, 1, 9, 2, 10, 3, 11}, high = {4, 12, 5, 13, 6, 14, 7, 15};
  Halves turned[8];
  for (int round = 0; round < 3; ++round) {  // each takes one bit of a row's number to its column's
    for (int i = 0; i < 4; ++i) {
      turned[2 * i] = __builtin_shuffle(rows[i], rows[i + 4], low);
      turned[2 * i + 1] = __builtin_shuffle(rows[i], rows[i + 4], high);
    }
    for (int i = 0; i < 8; ++i) rows[i] = turned[i];
  }
}

/// a[2 i] b[2 i] + a[2 i + 1] b[2 i + 1]: x86 has an instruction for it.
inline Vector<s32> sum_of_pairs(Vector<s16> a, Vector<s16> b) {
#if defined(__AVX512BW__)
  return (Vector<s32>)__builtin_ia32_pmaddwd512_mask(a, b, Vector<s32>{}, 0xffff);  // NOLINT
#elif defined(__AVX2__)
  return (Vector<s32>)__builtin_ia32_pmaddwd256(a, b);
#elif defined(__x86_64__)
  return (Vector<s32>)__builtin_ia32_pmaddwd128(a, b);
#else
  const auto x = as<s32>(a), y = as<s32>(b);
  return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
