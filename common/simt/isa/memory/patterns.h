#pragma once
// The addresses of a warp's lanes, and the pattern that they have: most are recognised among those that the instruction
// has shown lately. Only for isa/*/*.cpp (see lanes.h): everything here has internal linkage.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "common/simt/counting/access.h"
#include "common/simt/isa/lanes.h"
#include "common/simt/isa/memory/pattern_counts.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

enum class Access { load, store, atomic };

inline const char* name_of(Access access) {
  return access == Access::load ? "load" : access == Access::store ? "store" : "atomic";
}

/// The lanes' addresses [a+imm], worked out when asked for: the fast paths need differences alone. `origin`: where the
/// space begins (shared memory reached by generic addresses). Two words, so that functions out of line get it in
/// registers: on the stack it would cost each handler that may call one a second frame pointer.
class Addresses {
 public:
  Addresses(Warp& w, const MicroOp* op, int operand, std::uint64_t origin = 0)
      : registers_(w.regs + op->r[operand]),
        offset_and_width_((static_cast<std::uint64_t>(std::int64_t{op->imm}) - origin) << 1 |
                          static_cast<std::uint64_t>((op->mods & kAddress32) != 0)) {}
  /// Addresses worked out before, which must outlive this.
  struct List {
    std::uint64_t at[kLanes];
  };
  explicit Addresses(const List& all) : registers_(all.at), offset_and_width_(0) {}

  [[nodiscard]] std::uint64_t operator[](int lane) const {
    return is_narrow() ? static_cast<std::uint32_t>(narrow()[lane] + offset()) : wide()[lane] + offset();
  }
  [[nodiscard]] Addresses within(std::uint64_t origin) const {
    Addresses moved = *this;
    moved.offset_and_width_ -= origin << 1;
    return moved;
  }
  [[nodiscard]] bool is_narrow() const { return (offset_and_width_ & 1) != 0; }
  [[nodiscard]] const std::uint32_t* narrow() const { return static_cast<const std::uint32_t*>(registers_); }
  [[nodiscard]] const std::uint64_t* wide() const { return static_cast<const std::uint64_t*>(registers_); }
  /// 63 bits do: it is an immediate of 32 bits, less an origin below 2^62.
  [[nodiscard]] std::uint64_t offset() const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(offset_and_width_) >> 1);
  }
  /// Calls f(lane, address) for all 32; garbage in inactive lanes.
  template <typename F>
  [[gnu::always_inline]] void for_each(F f) const {
    const std::uint64_t further = offset();
    if (is_narrow())
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) f(i, std::uint64_t{static_cast<std::uint32_t>(narrow()[i] + further)});
    else
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) f(i, wide()[i] + further);
  }
  /// All 32; garbage in inactive lanes.
  [[nodiscard]] List list() const {
    List all;
    for_each([&](int i, std::uint64_t address) { all.at[i] = address; });
    return all;
  }

 private:
  const void* registers_;
  std::uint64_t offset_and_width_;  ///< the offset, then one bit: registers of 32 bits
};

inline int first_lane(std::uint32_t mask) { return __builtin_ctz(mask); }

/// Bit i: words[i] == value, for 16 words.
inline std::uint32_t equal_words(const std::uint32_t* words, std::uint32_t value) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi32_mask(_mm512_load_si512(words), _mm512_set1_epi32(static_cast<int>(value)));
#else
  std::uint32_t hits = 0;
  for (int i = 0; i < kPatternWays; ++i) hits |= static_cast<std::uint32_t>(words[i] == value) << i;
  return hits;
#endif
}

/// Offsets of the active lanes from the first one's address, 0 elsewhere: what a pattern is recognised by. Kept in
/// vector registers where all 32 fit into two: by way of memory, the signature would wait for what was just stored.
class Relative {
 public:
  /// `far()`: some are beyond 32 bits.
  [[gnu::always_inline]] inline Relative(const Warp& w, const Addresses& addresses) {
    const int first = first_lane(w.mask);
    if (addresses.is_narrow()) {
      const std::uint32_t* a = addresses.narrow();
      const std::uint32_t base = a[first];
#if defined(__AVX512F__)
      const __m512i start = _mm512_set1_epi32(static_cast<int>(base));
      low_ = _mm512_maskz_sub_epi32(static_cast<__mmask16>(w.mask), _mm512_loadu_si512(a), start);
      high_ = _mm512_maskz_sub_epi32(static_cast<__mmask16>(w.mask >> 16), _mm512_loadu_si512(a + 16), start);
#else
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) at_[i] = static_cast<std::int32_t>(a[i] - base) & w.lanes[i];
#endif
      return;
    }
    const std::uint64_t* a = addresses.wide();
    const std::uint64_t base = a[first];
#if defined(__AVX512F__)
    const __m512i start = _mm512_set1_epi64(static_cast<long long>(base));
    const __m512i middle = _mm512_set1_epi64(0x80000000);
    const auto distances = [&](int i) {
      return _mm512_maskz_sub_epi64(static_cast<__mmask8>(w.mask >> i), _mm512_loadu_si512(a + i), start);
    };
    const __m512i d[4] = {distances(0), distances(8), distances(16), distances(24)};
    const auto shifted = [&](int i) { return _mm512_add_epi64(d[i], middle); };
    const __m512i beyond =
        _mm512_or_si512(_mm512_or_si512(shifted(0), shifted(1)), _mm512_or_si512(shifted(2), shifted(3)));
    far_ = _mm512_test_epi64_mask(beyond, _mm512_set1_epi64(static_cast<long long>(0xffffffff00000000u))) != 0;
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    low_ = _mm512_permutex2var_epi32(d[0], even, d[1]);  // the lower words
    high_ = _mm512_permutex2var_epi32(d[2], even, d[3]);
#else
    std::uint64_t beyond = 0;
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) {
      const std::uint64_t distance = (a[i] - base) & static_cast<std::uint64_t>(std::int64_t{w.lanes[i]});
      at_[i] = static_cast<std::int32_t>(distance);
      beyond |= (distance + 0x80000000u) >> 32;
    }
    far_ = beyond != 0;
#endif
  }
  [[nodiscard]] bool far() const { return far_; }

#if defined(__AVX512F__)
  /// Of the second lane, and of the second of the upper half.
  [[nodiscard]] std::uint32_t second() const { return word_1(low_); }
  [[nodiscard]] std::uint32_t second_of_upper() const { return word_1(high_); }
  [[nodiscard]] bool is(const std::int32_t* other) const {
    const __mmask16 low = _mm512_cmpneq_epi32_mask(low_, _mm512_loadu_si512(other));
    return _kortestz_mask16_u8(low, _mm512_cmpneq_epi32_mask(high_, _mm512_loadu_si512(other + 16))) != 0;
  }
  void store(std::int32_t* to) const {
    _mm512_storeu_si512(to, low_);
    _mm512_storeu_si512(to + 16, high_);
  }

 private:
  /// Not by a subscript, which g++ takes by way of memory.
  static std::uint32_t word_1(__m512i words) {
    return static_cast<std::uint32_t>(_mm_extract_epi32(_mm512_maskz_extracti32x4_epi32(0xf, words, 0), 1));
  }
  __m512i low_, high_;
#else
  [[nodiscard]] std::uint32_t second() const { return static_cast<std::uint32_t>(at_[1]); }
  [[nodiscard]] std::uint32_t second_of_upper() const { return static_cast<std::uint32_t>(at_[17]); }
  [[nodiscard]] bool is(const std::int32_t* other) const {
    std::int32_t difference = 0;
    for (int i = 0; i < kLanes; ++i) difference |= at_[i] ^ other[i];
    return difference == 0;
  }
  void store(std::int32_t* to) const { std::memcpy(to, at_, sizeof at_); }

 private:
  alignas(64) std::int32_t at_[kLanes];
#endif
  bool far_ = false;
};

// What is rare is out of line, and takes addresses by value, so that those of the common paths stay in registers.

/// What a pattern is sought by. Where nobody counts, patterns differ by alignment alone. Sectors depend on the base
/// modulo 32, banks on where it lies in a word (or in what one lane accesses): patterns that differ by more are one.
struct Sought {
  std::uint32_t phase, signature;
  [[gnu::always_inline]] inline Sought(const Warp& w, const Relative& relative, std::uint64_t base, std::uint32_t width,
                                       bool shared, bool counted) {
    const std::uint32_t matters = !counted ? width - 1 : !shared ? 31 : (width > 4 ? width : 4) - 1;
    phase = (shared ? kSharedPhase : 0) | (static_cast<std::uint32_t>(base) & matters);
    signature = ((w.mask * 0x9e3779b1u) ^ (relative.second() * 0x85ebca6bu) ^
                 (relative.second_of_upper() * 0xc2b2ae35u) ^ (phase << 20)) |
                1;
  }
};

/// Works out a pattern that none of the instruction's recent ones is, or nullptr if its lanes are more than 2 GiB
/// apart. Its offsets again: a list of them would cost the handler that calls this an aligned frame.
template <bool shared, bool counted>
[[gnu::noinline]] const Pattern* learn(Warp& w, const MicroOp* op, Addresses addresses, std::uint32_t width,
                                       Access access) {
  const std::uint64_t base = addresses[first_lane(w.mask)];
  const Relative relative(w, addresses);
  if (relative.far()) return nullptr;
  const Sought sought(w, relative, base, width, shared, counted);
  alignas(64) std::int32_t list[kLanes];
  relative.store(list);
  PatternCache& cache = w.patterns[op->site];
  const std::uint32_t hits = equal_words(cache.signatures, sought.signature);  // of other patterns
  const std::uint32_t way = hits ? static_cast<std::uint32_t>(__builtin_ctz(hits)) : next_way(w, cache);
  Pattern& pattern = cache.ways[way];
  set_shape(pattern, list, w.mask, sought.phase, width);
  if constexpr (counted) count_lanes(pattern, width, access == Access::store, access == Access::atomic);
  pattern.base = static_cast<std::uint32_t>(base);
  cache.signatures[way] = sought.signature;
  return &pattern;
}

/// The access's pattern if the instruction has shown it lately, else nullptr. Calls nothing: a handler that leaves all
/// else to a function out of line keeps no registers for it.
template <bool shared>
[[gnu::always_inline]] inline const Pattern* known_pattern(const Warp& w, const MicroOp* op, const Addresses& addresses,
                                                           std::uint64_t base, std::uint32_t width, bool counted) {
  const Relative relative(w, addresses);
  if (relative.far()) [[unlikely]]
    return nullptr;
  const Sought sought(w, relative, base, width, shared, counted);
  const PatternCache& cache = w.patterns[op->site];
  const std::uint32_t hits = equal_words(cache.signatures, sought.signature);
  if (hits == 0) [[unlikely]]
    return nullptr;
  const Pattern& pattern = cache.ways[__builtin_ctz(hits)];
  const bool same = relative.is(pattern.relative) && pattern.mask == w.mask && pattern.phase == sought.phase;
  return same ? &pattern : nullptr;
}

/// The access's pattern, or nullptr if its lanes are more than 2 GiB apart.
template <bool shared>
[[gnu::always_inline]] inline const Pattern* recognise(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                       std::uint64_t base, std::uint32_t width, Access access,
                                                       bool counted) {
  if (const Pattern* known = known_pattern<shared>(w, op, addresses, base, width, counted)) [[likely]]
    return known;
  return counted ? learn<shared, true>(w, op, addresses, width, access)
                 : learn<shared, false>(w, op, addresses, width, access);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
