#pragma once
// What a tensor core computes: D = A B + C of small matrices. Only for isa/*/*.cpp.
//
// Floating point (f16, bf16, tf32), as measured on Hopper (M. Fasi et al., "Numerical behavior of NVIDIA tensor cores",
// 2021; F. Khattak and M. Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv:2512.07004, whose H100 and H200
// models agree with the hardware bit for bit): the products of one row and column, 16 of f16 or bf16, 8 of tf32, are
// exact. They and C are aligned to the largest exponent among them (an f16 product's is the sum of its factors'
// exponents, not normalised; 2^-133 at least), cut off 25 bits below its unit, towards zero, added exactly, and the sum
// is rounded once: towards zero to f32, to the nearest to f16. Subnormals count. The error is hence below
// (terms + 4) * 2^-25 of the largest term, and one rounding. NaN results are 0x7fffffff and 0x7fff.
// Double precision: one fused multiply-add after another, k ascending, each rounded to nearest.
// Integers: exact; the sum wraps around, or is clamped (.satfinite).
//
// A lane of a vector is a row of D: 16 rows are computed at once, one column after the other. k may go through a matrix
// in any order, the same on both sides, where sums are exact.

#include <algorithm>
#include <cmath>

#include "common/simt/isa/arithmetic/half.h"
#include "common/simt/isa/warp/fragment.h"
#include "common/simt/isa/warp/vectors.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

enum class Element : u8 { f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32 };

constexpr int bits_of(Element e) {
  switch (e) {
    case Element::f64:
      return 64;
    case Element::tf32:
    case Element::f32:
    case Element::s32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::s8:
    case Element::u8:
      return 8;
    case Element::s4:
    case Element::u4:
      return 4;
    default:
      return 1;
  }
}

/// Elements in a word, or 1.
constexpr int in_word(Element e) { return bits_of(e) >= 32 ? 1 : 32 >> std::countr_zero(static_cast<u32>(bits_of(e))); }

/// A factor of D's 16 rows (left) or up to 16 columns (right), up to 8 words of each: left[word * 16 + row],
/// right[column * 8 + word].
inline constexpr int kWords = 8;
struct Words {
  alignas(64) u32 of[kWords * kRows]{};
};
/// 16 rows of C or D: [column][row].
struct Sums {
  alignas(64) u32 of[kMaxColumns][kRows];
};

// ---- floating point ----

inline constexpr int kExtraBits = 25;  ///< below the unit of the largest exponent
inline constexpr int kBias = 127;      ///< of factors' exponents; products have twice as much, and so have tops
inline constexpr int kLeastTop = -133 + 2 * kBias;
inline constexpr int kZeroExponent = -10000;

/// Elements of a matrix as numbers: of each word its lower, then (128 further) its upper half where it has two.
template <typename T>
struct Numbers {
  alignas(64) T of[2 * kWords * kRows];
};
struct FloatFactors {
  Numbers<float> value;   ///< exact
  Numbers<s32> exponent;  ///< biased; of subnormals that of the smallest normal number
  s32 least, most;        ///< of the exponents of what is not zero
  s32 infinite;           ///< the exponent of infinities and NaN
  int parts, count;       ///< of a word, words
  bool special() const { return most >= infinite; }
};

template <typename F>
inline void for_each_number(const FloatFactors& factors, F f) {
  for (int part = 0; part < factors.parts; ++part)
    for (int i = 0; i < factors.count; ++i) f(part * kWords * kRows + i);
}

template <Element type>
inline void decode(const Words& words, int count, FloatFactors& factors) {
  using Bits = Vector<u32>;
  constexpr bool half = type == Element::f16;
  constexpr s32 lowest = half ? kBias - 14 : 1;
  Vector<s32> least = all<s32>(255), most = all<s32>(0);
  for (int part = 0; part < 32 / bits_of(type); ++part)
    for (int i = 0; i < count; i += kVectorBytes / 4) {
      const auto word = load<Bits>(words.of + i);
      Bits bits = type == Element::tf32 ? word & ~0x1fffu : part ? word & 0xffff0000u : word << 16;
      if constexpr (half) {  // subnormals become normal by the multiplication
        const auto magnitude = as<float>(bits >> 3 & 0x0fffe000u) * 0x1p112f;
        bits = as<u32>(magnitude) | (bits & 0x80000000u);
      }
      const auto magnitude = as<s32>(bits & 0x7fffffffu);
      const auto exponent = larger(magnitude >> 23, all<s32>(lowest));
      const auto zero = magnitude == 0;
      least = smaller(least, zero ? all<s32>(255) : exponent);
      most = larger(most, exponent);
      store(factors.value.of + part * kWords * kRows + i, bits);
      store(factors.exponent.of + part * kWords * kRows + i, zero ? all<s32>(kZeroExponent) : exponent);
    }
  factors.parts = 32 / bits_of(type), factors.count = count;
  factors.infinite = half ? kBias + 16 : 255;
  factors.least = 255 - largest_of(255 - least), factors.most = largest_of(most);
}
inline void decode(Element type, const Words& words, int count, FloatFactors& factors) {
  if (type == Element::f16)
    decode<Element::f16>(words, count, factors);
  else if (type == Element::bf16)
    decode<Element::bf16>(words, count, factors);
  else
    decode<Element::tf32>(words, count, factors);
}
/// Infinities and NaN count as zeros: whoever multiplies them sees to their sums.
inline void drop_specials(FloatFactors& factors) {
  for_each_number(factors, [&](int i) {
    if (factors.exponent.of[i] >= factors.infinite) factors.value.of[i] = 0, factors.exponent.of[i] = kZeroExponent;
  });
}

inline double double_of(Element type, u32 bits) {
  if (type == Element::f16) return static_cast<double>(float_of(Half(bits)));
  return static_cast<double>(bits_as<float>(type == Element::bf16 ? bits << 16 : bits));
}

/// What is summed: tops are the largest exponents of a sum's terms, totals the sums of products in steps of
/// 2^(top - kExtraBits), each cut off towards zero.
struct Totals {
  alignas(64) s32 top[kMaxColumns][kRows], total[kMaxColumns][kRows];
};
/// How many elements, and columns of D.
struct Extent {
  int parts, words;  ///< of a line of a factor: elements in a word, words
  int columns;
};

/// Adds the products to totals whose tops are those of C. T holds all products exactly: 22 bits, and their exponents.
template <typename T>
inline void add_products(const Extent& extent, const T* left, const s32* left_exponent, const T* right,
                         const s32* right_exponent, Totals& sums) {
  constexpr int lanes = kVectorBytes / static_cast<int>(sizeof(T));
  using Values = Vector<T>;
  using Integers = Vector<s32, lanes>;
  // A smaller top than this has none but zeros among its products.
  constexpr s32 greatest_scale = std::is_same_v<T, float> ? 127 : 1023;
  const auto for_each_k = [&](int column, int row, auto f) {
    for (int part = 0; part < extent.parts; ++part)
      for (int word = 0; word < extent.words; ++word)
        f(part * kWords * kRows + word * kRows + row, part * kWords * kRows + column * kWords + word);
  };
  for (int column = 0; column < extent.columns; ++column)
    for (int row = 0; row < kRows; row += lanes) {
      auto top = load<Integers>(&sums.top[column][row]);
      for_each_k(column, row,
                 [&](int l, int r) { top = larger(top, load<Integers>(left_exponent + l) + right_exponent[r]); });
      const Integers places = 2 * kBias + kExtraBits - top;
      const Values scale = powers_of_two<T>(smaller(places, places * 0 + greatest_scale));
      Integers total{};
      for_each_k(column, row, [&](int l, int r) {
        total += __builtin_convertvector(load<Values>(left + l) * right[r] * scale, Integers);
      });
      store(&sums.top[column][row], top);
      store(&sums.total[column][row], total);
    }
}
inline void add_products(const Extent& extent, const FloatFactors& left, const FloatFactors& right, Totals& sums) {
  // Whether floats will do: no factor, product or scale is beyond their normal numbers.
  const s32 least = std::min(left.least, right.least) - kBias, sum = left.least + right.least - 2 * kBias;
  if (least >= -100 && sum >= -102 && left.most + right.most - 2 * kBias <= 126)
    return add_products(extent, left.value.of, left.exponent.of, right.value.of, right.exponent.of, sums);
  Numbers<double> left_values, right_values;
  for_each_number(left, [&](int i) { left_values.of[i] = static_cast<double>(left.value.of[i]); });
  for_each_number(right, [&](int i) { right_values.of[i] = static_cast<double>(right.value.of[i]); });
  add_products(extent, left_values.of, left.exponent.of, right_values.of, right.exponent.of, sums);
}

/// The tops of C, single precision; whether an infinity or a NaN is in it.
inline bool tops_of(int columns, const Sums& c, Totals& sums) {
  auto most = all<s32>(0);
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < kRows; row += kVectorBytes / 4) {
      const auto magnitude = as<s32>(load<Vector<u32>>(&c.of[column][row]) & 0x7fffffffu);
      most = larger(most, magnitude);
      const auto top = larger(magnitude >> 23, all<s32>(1)) + kBias;
      store(&sums.top[column][row], magnitude == 0 ? all<s32>(kLeastTop) : top);
    }
  return largest_of(most) >= 0x7f800000;
}
inline bool is_special(u32 single) { return (single & 0x7f800000u) == 0x7f800000u; }
/// What is infinite or NaN counts as zero.
inline void drop_specials(int columns, Sums& c, Totals& sums) {
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < kRows; ++row) {
      const bool special = is_special(c.of[column][row]);
      c.of[column][row] = special ? 0 : c.of[column][row];
      sums.top[column][row] = special ? kLeastTop : sums.top[column][row];
    }
}

/// Towards zero; a magnitude of 2^128 and more is infinite.
inline float truncated(double x) {
  const float nearest = static_cast<float>(x);
  const bool beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(x) && std::fabs(x) < 0x1p128;
  return bits_as<float>(bits_as<u32>(nearest) - (beyond ? 1 : 0));
}
/// A sum as D holds it.
template <bool half>
inline u32 float_result(double sum) {
  const float cut = truncated(sum);
  if constexpr (!half) return bits_as<u32>(canonical(cut));
  // What is cut off is kept as a last bit that is set: the nearest half is the same.
  return nearest_half(bits_as<float>(bits_as<u32>(cut) | (static_cast<double>(cut) != sum ? 1 : 0)));
}

/// Sums are what C is where it is infinite or NaN, and no factor is.
template <bool half>
inline void keep_specials(int columns, const Sums& c, Sums& d) {
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < kRows; ++row)
      if (is_special(c.of[column][row]))
        d.of[column][row] = float_result<half>(static_cast<double>(bits_as<float>(c.of[column][row])));
}

/// D of C and the products.
template <bool half>
inline void round_sums(int columns, const Totals& sums, const Sums& c, Sums& d) {
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < kRows; ++row) {
      const s32 top = sums.top[column][row] - 2 * kBias - kExtraBits;
      const double scaled = static_cast<double>(bits_as<float>(c.of[column][row])) * power_of_two<double>(-top);
      const double sum = static_cast<double>(sums.total[column][row]) + static_cast<double>(static_cast<s32>(scaled));
      d.of[column][row] = float_result<half>(sum * power_of_two<double>(top));
    }
}

// ---- integers ----

/// The elements of words, `bits` each, as pairs of 16 bits: of each word two elements, then (128 further) the next two
/// …
struct Pairs {
  alignas(64) u32 of[4 * kWords * kRows];
};
inline void decode(Element type, const Words& words, int count, Pairs& pairs) {
  const int bits = bits_of(type);
  const bool is_signed = type == Element::s8 || type == Element::s4;
  for (int part = 0; part < 16 / bits; ++part)
    for (int i = 0; i < count; i += kVectorBytes / 4) {
      const auto raised = as<u16>(load<Vector<u32>>(words.of + i)) << (16 - bits * (part + 1));
      u32* to = pairs.of + part * kWords * kRows + i;
      if (is_signed)
        store(to, as<s16>(raised) >> (16 - bits));
      else
        store(to, raised >> (16 - bits));
    }
}
/// Products of integers up to 8 bits wide, summed.
inline void add_products(const Extent& extent, const Pairs& left, const Pairs& right, Sums& sums) {
  for (int column = 0; column < extent.columns; ++column)
    for (int row = 0; row < kRows; row += kVectorBytes / 4) {
      Vector<s32> total{};
      for (int part = 0; part < extent.parts; ++part)
        for (int word = 0; word < extent.words; ++word) {
          const int at = part * kWords * kRows;
          const auto pair = all<u32>(right.of[at + column * kWords + word]);
          total += sum_of_pairs(load<Vector<s16>>(left.of + at + word * kRows + row), as<s16>(pair));
        }
      store(&sums.of[column][row], total);
    }
}
/// How many bits of both are set (and), or of one alone.
template <bool exclusive>
inline void count_bits(const Extent& extent, const Words& left, const Words& right, Sums& sums) {
  using Bits = Vector<u32>;
  for (int column = 0; column < extent.columns; ++column)
    for (int row = 0; row < kRows; row += kVectorBytes / 4) {
      Bits in_bytes{};  // at most 8 * 8
      for (int word = 0; word < extent.words; ++word) {
        const auto one = load<Bits>(left.of + word * kRows + row);
        const u32 other = right.of[column * kWords + word];
        Bits x = exclusive ? one ^ other : one & other;
        x -= x >> 1 & 0x55555555u;
        x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
        in_bytes += (x + (x >> 4)) & 0x0f0f0f0fu;
      }
      const Bits in_halves = (in_bytes & 0x00ff00ffu) + (in_bytes >> 8 & 0x00ff00ffu);
      store(&sums.of[column][row], (in_halves + (in_halves >> 16)) & 0xffffu);
    }
}
/// D = products + C.
inline void add_integers(int columns, bool clamp, const Sums& products, const Sums& c, Sums& d) {
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < kRows; ++row) {
      const u32 a = products.of[column][row], b = c.of[column][row], sum = a + b;
      const bool overflows = static_cast<s32>((a ^ sum) & (b ^ sum)) < 0;
      d.of[column][row] = clamp && overflows ? 0x7fffffffu + (b >> 31) : sum;
    }
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
