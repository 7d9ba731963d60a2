#pragma once
// Words of shared memory where each lane goes where its own data leads it: nearly each access of such an instruction
// has a pattern that it has not shown, and what it takes to keep them is most of what the access takes. Where nobody
// asks for patterns afterwards, such accesses are checked, counted and moved without one; now and then one is looked
// for again. Only for isa/*/*.cpp (see lanes.h).

#include "common/simt/isa/memory/memory_lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

#if defined(__AVX512CD__)
/// A miss so many accesses behind another one counts as in a row; so many in a row, and so many accesses are scattered.
constexpr u64 kNearMiss = 3;
constexpr u32 kManyMisses = 16, kScatteredAtOnce = 128;

/// An access has a pattern that its instruction has not shown lately.
inline void note_miss(Warp& w, const MicroOp* op) {
  PatternCache& cache = w.patterns[op->site];
  if (w.keeps_patterns || op->extra != 0 || cache.capacity < kPatternWays) return;
  const u64 before = w.sites[op->site].requests[1];
  cache.misses = before - cache.missed_before <= kNearMiss ? cache.misses + 1 : 0;
  cache.missed_before = before;
  if (cache.misses < kManyMisses) return;
  cache.scattered = kScatteredAtOnce;
  cache.missed_before += kScatteredAtOnce;
}

/// The active lanes' places, from the begin of shared memory.
class ScatteredWords {
 public:
  ScatteredWords(const Warp& w, const Addresses& addresses)
      : mask_(w.mask), first_(static_cast<u32>(addresses[first_lane(w.mask)])) {
    const __m512i further = _mm512_set1_epi32(static_cast<int>(addresses.offset()));
    at_ = {_mm512_add_epi32(_mm512_loadu_si512(addresses.narrow()), further),
           _mm512_add_epi32(_mm512_loadu_si512(addresses.narrow() + 16), further)};
  }
  /// Whether all are aligned and in so many bytes.
  [[nodiscard]] bool are_good(u32 bytes) const {
    if (bytes < 4) return false;
    const __m512i last = _mm512_set1_epi32(static_cast<int>(bytes - 4)), part = _mm512_set1_epi32(3);
    const auto wrong = [&](const __m512i& at, u32 lanes) {
      const auto on = static_cast<__mmask16>(lanes);
      return _mm512_mask_cmpgt_epu32_mask(on, at, last) | _mm512_mask_test_epi32_mask(on, at, part);
    };
    return (wrong(at_.low, mask_) | wrong(at_.high, mask_ >> 16)) == 0;
  }
  [[nodiscard]] u32 wavefronts() const {
    const Numbers places = at_.shifted(0, 2);
    const int word = static_cast<int>(first_ >> 2);
    const __m512i one = _mm512_set1_epi32(word);
    const Numbers words{_mm512_mask_mov_epi32(one, static_cast<__mmask16>(mask_), places.low),
                        _mm512_mask_mov_epi32(one, static_cast<__mmask16>(mask_ >> 16), places.high)};
    // Lanes that go up from the first one, or lie on both sides of it.
    for (const int from : {word, word - 64}) {
      const int last = word + 63;
      if (all_in(words, from, last)) return banks_of_near(words, from, last).most;
    }
    const u32 active = active_count(mask_);
    return (active <= 16 ? banks_of_sixteen(closed_up(words, mask_), (1u << active) - 1) : banks_of_all(words, mask_))
        .most;
  }
  void load(u32* d, const std::byte* shared) const {
    const auto half = [&](const __m512i& at, u32* to, u32 lanes) {
      const auto on = static_cast<__mmask16>(lanes);
      if (on) _mm512_mask_storeu_epi32(to, on, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), on, at, shared, 1));
    };
    half(at_.low, d, mask_);
    half(at_.high, d + 16, mask_ >> 16);
  }
  /// The highest lane of those that meet wins.
  void store(const u32* s, std::byte* shared) const {
    alignas(64) u32 at[kLanes];
    _mm512_store_si512(at, at_.low);
    _mm512_store_si512(at + 16, at_.high);
    for (u32 left = mask_; left; left &= left - 1) {
      const int i = first_lane(left);
      poke<u32>(shared + at[i], s[i]);
    }
  }

 private:
  static bool all_in(const Numbers& words, int from, int last) {
    const __m512i start = _mm512_set1_epi32(from), reach = _mm512_set1_epi32(last - from);
    return (_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(words.low, start), reach) |
            _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(words.high, start), reach)) == 0;
  }
  u32 mask_, first_;
  Numbers at_;
};
#endif

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
