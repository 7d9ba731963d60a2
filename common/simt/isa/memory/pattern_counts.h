#pragma once
// What is counted of a pattern, by vectors where the CPU has them: the most of what scattered lanes cost. The rules are
// those of counting/access.cpp, which counts all other patterns. Only for isa/*/*.cpp (see lanes.h).

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <utility>

#include "common/simt/counting/access.h"
#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

#if defined(__AVX512CD__)
constexpr __mmask16 kSixteen = 0xffff;  // g++ 12 warns of what intrinsics without a mask leave undefined

/// A number of each lane; those of inactive lanes are the first active one's.
struct Numbers {
  __m512i low, high;
  [[nodiscard]] [[gnu::always_inline]] Numbers shifted(int by, u32 bits) const {
    const __m512i more = _mm512_set1_epi32(by);
    return {_mm512_maskz_srai_epi32(kSixteen, _mm512_add_epi32(low, more), bits),
            _mm512_maskz_srai_epi32(kSixteen, _mm512_add_epi32(high, more), bits)};
  }
};
[[gnu::always_inline]] inline Numbers offsets_of(const Pattern& pattern) {
  return {_mm512_load_si512(pattern.relative), _mm512_load_si512(pattern.relative + 16)};
}
/// Bit k of lane i's: lane k is before i, has the same number and is one of `lanes`.
[[gnu::always_inline]] inline __m512i equal_before(const __m512i& numbers, u32 lanes) {
  return _mm512_and_si512(_mm512_maskz_conflict_epi32(kSixteen, numbers), _mm512_set1_epi32(static_cast<int>(lanes)));
}
/// Calls f(sixteen lanes as they were, moved round by 0 to 15).
template <typename F>
[[gnu::always_inline]] inline void for_each_turn(const __m512i& numbers, F f) {
  [&]<int... by>(std::integer_sequence<int, by...>) {
    (f(_mm512_maskz_alignr_epi32(kSixteen, numbers, numbers, by)), ...);
  }
  (std::make_integer_sequence<int, 16>{});
}

/// The active lanes whose number no active lane before has.
[[gnu::always_inline]] inline u32 first_of_each(const Numbers& numbers, u32 mask) {
  const auto first_in = [](const __m512i& half, u32 lanes) {
    const __m512i before = equal_before(half, lanes);
    return lanes & u32{_mm512_testn_epi32_mask(before, before)};
  };
  const u32 low = first_in(numbers.low, mask & 0xffff), high = first_in(numbers.high, mask >> 16);
  if (low == 0 || high == 0) return low | high << 16;
  __mmask16 in_low = 0;
  for_each_turn(numbers.low, [&](const __m512i& turned) { in_low |= _mm512_cmpeq_epi32_mask(numbers.high, turned); });
  return low | (high & ~u32{in_low}) << 16;
}

/// Bits set in the lower half of each lane.
[[gnu::always_inline]] inline __m512i bits_in(const __m512i& words) {
  const __m512i of_four = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100);
  const __m512i nibble = _mm512_set1_epi8(0x0f);
  const __m512i by_byte =
      _mm512_add_epi8(_mm512_shuffle_epi8(of_four, _mm512_and_si512(words, nibble)),
                      _mm512_shuffle_epi8(of_four, _mm512_and_si512(_mm512_srli_epi16(words, 4), nibble)));
  return _mm512_maddubs_epi16(by_byte, _mm512_set1_epi8(1));
}

/// The largest of sixteen.
[[gnu::always_inline]] inline u32 largest(__m512i numbers) {
  [&]<int... by>(std::integer_sequence<int, by...>) {
    ((numbers = _mm512_maskz_max_epu32(kSixteen, numbers, _mm512_maskz_alignr_epi32(kSixteen, numbers, numbers, by))),
     ...);
  }
  (std::integer_sequence<int, 8, 4, 2, 1>{});
  return static_cast<u32>(_mm_cvtsi128_si32(_mm512_maskz_extracti32x4_epi32(0xf, numbers, 0)));
}

/// The most of `lanes` that have the same number, which is not -1 (an aligned offset never is).
[[gnu::always_inline]] inline u32 most_on_one_number(const Numbers& numbers, u32 lanes) {
  const u32 low = lanes & 0xffff, high = lanes >> 16;
  const __m512i before_low = bits_in(equal_before(numbers.low, low));
  __m512i before_high = bits_in(equal_before(numbers.high, high));
  if (low != 0 && high != 0) {
    const __m512i none = _mm512_set1_epi32(-1), one = _mm512_set1_epi32(1);
    for_each_turn(_mm512_mask_mov_epi32(none, static_cast<__mmask16>(low), numbers.low), [&](const __m512i& turned) {
      before_high = _mm512_mask_add_epi32(before_high, _mm512_cmpeq_epi32_mask(numbers.high, turned), before_high, one);
    });
  }
  const __m512i of_low = _mm512_maskz_mov_epi32(static_cast<__mmask16>(low), before_low);
  const __m512i of_high = _mm512_maskz_mov_epi32(static_cast<__mmask16>(high), before_high);
  return largest(_mm512_maskz_max_epu32(kSixteen, of_low, of_high)) + 1;
}

/// Of an access to global memory: each lane's bytes lie in one sector.
inline void count_sectors(Pattern& pattern, u32 width, bool atomic) {
  const Numbers places = offsets_of(pattern), sectors = places.shifted(static_cast<int>(pattern.phase), 5);
  const u32 active = active_count(pattern.mask), first = first_of_each(sectors, pattern.mask);
  const auto low = static_cast<__mmask16>(first), high = static_cast<__mmask16>(first >> 16);
  _mm512_storeu_si512(pattern.sector_list, _mm512_maskz_compress_epi32(low, sectors.low));
  _mm512_storeu_si512(pattern.sector_list + active_count(low), _mm512_maskz_compress_epi32(high, sectors.high));
  const u32 count = active_count(first);
  const u32 distinct = count == active ? active : active_count(first_of_each(places, pattern.mask));
  pattern.sectors = static_cast<u16>(count);
  pattern.distinct_bytes = static_cast<u16>(distinct * width);
  pattern.wavefronts = pattern.ideal_wavefronts = 0;
  pattern.max_same_address = static_cast<u8>(!atomic              ? 0
                                             : distinct == active ? 1
                                                                  : most_on_one_number(places, pattern.mask));
}

/// The active lanes' numbers side by side, where these are sixteen at most: a divergent warp's often are.
[[gnu::always_inline]] inline __m512i closed_up(const Numbers& numbers, u32 mask) {
  const auto low = static_cast<__mmask16>(mask), high = static_cast<__mmask16>(mask >> 16);
  const auto behind = static_cast<__mmask16>(u32{kSixteen} << active_count(low));
  const __m512i first = _mm512_maskz_compress_epi32(low, numbers.low);
  return _mm512_mask_expand_epi32(first, behind, _mm512_maskz_compress_epi32(high, numbers.high));
}

/// Different words of each bank, of the bank with the most; and different words in all.
struct BankCounts {
  u32 most, words;
};
[[gnu::always_inline]] inline BankCounts banks_of_sixteen(const __m512i& words, u32 lanes) {
  const __m512i before = equal_before(words, lanes);
  const u32 first = lanes & u32{_mm512_testn_epi32_mask(before, before)};
  const __m512i banks = _mm512_and_si512(words, _mm512_set1_epi32(31));
  const __m512i in_bank = _mm512_maskz_mov_epi32(static_cast<__mmask16>(first), equal_before(banks, first));
  const u32 words_in_all = active_count(first);
  if (_mm512_test_epi32_mask(in_bank, in_bank) == 0) return {1, words_in_all};
  return {largest(bits_in(in_bank)) + 1, words_in_all};
}
[[gnu::always_inline]] inline BankCounts banks_of_all(const Numbers& words, u32 mask) {
  const u32 first = first_of_each(words, mask);
  const __m512i bank = _mm512_set1_epi32(31);
  const Numbers banks{_mm512_and_si512(words.low, bank), _mm512_and_si512(words.high, bank)};
  return {most_on_one_number(banks, first), active_count(first)};
}

/// Bit k: a lane has the number `first` + k, of 64.
[[gnu::always_inline]] inline u64 set_of(const Numbers& numbers, int first) {
  const __m512i one = _mm512_set1_epi64(1), start = _mm512_set1_epi32(first);
  const auto bits = [&](const __m512i& sixteen) {
    const __m512i numbers_from = _mm512_sub_epi32(sixteen, start);  // what is not in 0 to 63 gives no bit
    const auto eight = [&](const __m256i& half) {
      return _mm512_maskz_sllv_epi64(0xff, one, _mm512_maskz_cvtepu32_epi64(0xff, half));
    };
    return _mm512_or_si512(eight(_mm512_maskz_extracti64x4_epi64(0xf, numbers_from, 0)),
                           eight(_mm512_maskz_extracti64x4_epi64(0xf, numbers_from, 1)));
  };
  const __m512i eight = _mm512_or_si512(bits(numbers.low), bits(numbers.high));
  const __m256i four =
      _mm256_or_si256(_mm512_maskz_extracti64x4_epi64(0xf, eight, 0), _mm512_maskz_extracti64x4_epi64(0xf, eight, 1));
  const __m128i two = _mm_or_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return static_cast<u64>(_mm_cvtsi128_si64(two) | _mm_extract_epi64(two, 1));
}
/// Where all words lie within 128: a bit for each, of a bank four, 32 apart.
[[gnu::always_inline]] inline BankCounts banks_of_near(const Numbers& words, int first, int last) {
  const u64 a = set_of(words, first), b = last - first < 64 ? 0 : set_of(words, first + 64);
  const u32 one_of_a = static_cast<u32>(a ^ a >> 32), both_of_a = static_cast<u32>(a & a >> 32);
  const u32 one_of_b = static_cast<u32>(b ^ b >> 32), both_of_b = static_cast<u32>(b & b >> 32);
  const u32 most = (both_of_a & both_of_b)                           ? 4
                   : (both_of_a & one_of_b) | (both_of_b & one_of_a) ? 3
                   : both_of_a | both_of_b | (one_of_a & one_of_b)   ? 2
                                                                     : 1;
  return {most, static_cast<u32>(__builtin_popcountll(a) + __builtin_popcountll(b))};
}

/// Of an access to shared memory of a word per lane, or a part of one.
inline void count_banks(Pattern& pattern, bool atomic) {
  const int phase = static_cast<int>(pattern.phase & ~kSharedPhase);
  const Numbers words = offsets_of(pattern).shifted(phase, 2);
  const int first = (pattern.lowest + phase) >> 2, last = (pattern.highest + phase) >> 2;
  const u32 active = active_count(pattern.mask);
  const BankCounts counts = last - first < 128 ? banks_of_near(words, first, last)
                            : active <= 16     ? banks_of_sixteen(closed_up(words, pattern.mask), (1u << active) - 1)
                                               : banks_of_all(words, pattern.mask);
  pattern.wavefronts = static_cast<u8>(counts.most);
  pattern.ideal_wavefronts = 1;
  pattern.sectors = pattern.distinct_bytes = 0;
  pattern.max_same_address =
      static_cast<u8>(!atomic                  ? 0
                      : counts.words == active ? 1
                                               : most_on_one_number(offsets_of(pattern), pattern.mask));
}
#endif

/// count_pattern(), quicker where the CPU has vectors for it.
[[gnu::always_inline]] inline void count_lanes(Pattern& pattern, u32 width, bool store, bool atomic) {
#if defined(__AVX512CD__)
  constexpr s32 most = 1 << 30;  // no sum beyond 32 bits
  if (pattern.aligned && pattern.highest < most && active_count(pattern.mask) > 1) {
    if (!(pattern.phase & kSharedPhase)) return count_sectors(pattern, width, atomic);
    if (width <= 4) return count_banks(pattern, atomic);
  }
#endif
  count_pattern(pattern, width, store, atomic);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
