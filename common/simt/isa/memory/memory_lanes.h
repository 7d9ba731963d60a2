#pragma once
// Loads, stores and atomics of a warp: resolve the addresses of all lanes at once, check them, count them, move.
// Only for isa/*/*.cpp (see lanes.h): everything here has internal linkage.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "common/ptx/extent.h"
#include "common/simt/counting/access.h"
#include "common/simt/isa/lanes.h"
#include "common/simt/machine/memory.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

enum class Access { load, store, atomic };

inline const char* name_of(Access access) {
  return access == Access::load ? "load" : access == Access::store ? "store" : "atomic";
}

/// A warp's access: the address of its first active lane and the pattern of the rest.
struct Resolved {
  const Pattern* pattern = nullptr;  ///< nullptr: lanes too far apart, go by `Addresses`
  std::uint64_t base = 0;
  std::byte* host = nullptr;  ///< of base (with a pattern)
};

/// The lanes' addresses [a+imm], worked out when asked for: the fast paths need differences alone. `origin`: where the
/// space begins (shared memory reached by generic addresses).
class Addresses {
 public:
  Addresses(Warp& w, const MicroOp* op, int operand, std::uint64_t origin = 0)
      : registers_(w.regs + op->r[operand]),
        offset_(static_cast<std::uint64_t>(std::int64_t{op->imm}) - origin),
        narrow_((op->mods & kAddress32) != 0) {}
  /// Addresses worked out before, which must outlive this.
  struct List {
    std::uint64_t at[kLanes];
  };
  explicit Addresses(const List& all) : registers_(all.at), offset_(0), narrow_(false) {}

  [[nodiscard]] std::uint64_t operator[](int lane) const {
    return narrow_ ? static_cast<std::uint32_t>(narrow()[lane] + offset_) : wide()[lane] + offset_;
  }
  [[nodiscard]] Addresses within(std::uint64_t origin) const {
    Addresses moved = *this;
    moved.offset_ -= origin;
    return moved;
  }
  [[nodiscard]] bool is_narrow() const { return narrow_; }
  [[nodiscard]] const std::uint32_t* narrow() const { return static_cast<const std::uint32_t*>(registers_); }
  [[nodiscard]] const std::uint64_t* wide() const { return static_cast<const std::uint64_t*>(registers_); }
  /// All 32; garbage in inactive lanes.
  [[nodiscard]] List list() const {
    List all;
    for (int i = 0; i < kLanes; ++i) all.at[i] = (*this)[i];
    return all;
  }

 private:
  const void* registers_;
  std::uint64_t offset_;
  bool narrow_;
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
  [[nodiscard]] std::uint32_t second() const { return reinterpret_cast<const Words&>(low_)[1]; }
  [[nodiscard]] std::uint32_t second_of_upper() const { return reinterpret_cast<const Words&>(high_)[1]; }
  [[nodiscard]] bool is(const std::int32_t* other) const {
    const __mmask16 low = _mm512_cmpneq_epi32_mask(low_, _mm512_loadu_si512(other));
    return _kortestz_mask16_u8(low, _mm512_cmpneq_epi32_mask(high_, _mm512_loadu_si512(other + 16))) != 0;
  }
  void store(std::int32_t* to) const {
    _mm512_storeu_si512(to, low_);
    _mm512_storeu_si512(to + 16, high_);
  }

 private:
  using Words [[gnu::vector_size(64), gnu::may_alias]] = std::uint32_t;
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

/// Works out a pattern that none of the instruction's recent ones is.
/// `hits`: the ways that have its signature, and another pattern.
[[gnu::noinline]] inline const Pattern* learn(Warp& w, PatternCache& cache, std::uint32_t hits, std::uint32_t signature,
                                              const std::int32_t* relative, std::uint32_t phase, std::uint64_t base,
                                              std::uint32_t width, bool store, bool counted) {
  const std::uint32_t way = hits ? static_cast<std::uint32_t>(__builtin_ctz(hits)) : next_way(w, cache);
  Pattern& pattern = cache.ways[way];
  if (counted)
    analyse(pattern, relative, w.mask, phase, width, store);
  else
    analyse_shape(pattern, relative, w.mask, phase, width);
  pattern.base = static_cast<std::uint32_t>(base);
  cache.signatures[way] = signature;
  return &pattern;
}

/// The access's pattern, or nullptr if its lanes are more than 2 GiB apart. Where nobody counts, patterns differ by
/// alignment alone. Sectors depend on the base modulo 32, banks
/// on where it lies in a word (or in what one lane accesses): patterns that differ by more are one.
[[gnu::always_inline]] inline const Pattern* recognise(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                       std::uint64_t base, std::uint32_t width, bool shared, bool store,
                                                       bool counted) {
  const Relative relative(w, addresses);
  if (relative.far()) [[unlikely]]
    return nullptr;
  const std::uint32_t matters = !counted ? width - 1 : !shared ? 31 : (width > 4 ? width : 4) - 1;
  const std::uint32_t phase = (shared ? kSharedPhase : 0) | (static_cast<std::uint32_t>(base) & matters);
  PatternCache& cache = w.patterns[op->site];
  const std::uint32_t signature = ((w.mask * 0x9e3779b1u) ^ (relative.second() * 0x85ebca6bu) ^
                                   (relative.second_of_upper() * 0xc2b2ae35u) ^ (phase << 20)) |
                                  1;
  const std::uint32_t hits = equal_words(cache.signatures, signature);
  if (hits != 0) [[likely]] {
    const Pattern& pattern = cache.ways[__builtin_ctz(hits)];
    if (relative.is(pattern.relative) && pattern.mask == w.mask && pattern.phase == phase) [[likely]]
      return &pattern;
  }
  alignas(64) std::int32_t list[kLanes];
  relative.store(list);
  return learn(w, cache, hits, signature, list, phase, base, width, store, counted);
}

[[gnu::noinline]] inline void check_alignment(Warp& w, const MicroOp* op, Addresses addresses, std::uint32_t width,
                                              Access access, std::uint64_t window = 0) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    if (addresses[i] & (width - 1)) fault_access(w, op, addresses[i] + window, i, width, name_of(access));
  }
}

/// Host memory of lane i's bytes in global memory; faults where there is none.
inline std::byte* global_host(Warp& w, const MicroOp* op, const Addresses& addresses, int i, std::uint32_t width,
                              Access access) {
  std::byte* host = w.global->host(addresses[i], width);
  if (!host || (addresses[i] & (width - 1))) fault_access(w, op, addresses[i], i, width, name_of(access));
  return host;
}

/// The allocation of `bytes` bytes at `address`, remembered as the instruction's last; false: they are in several, or
/// outside.
[[gnu::noinline]] inline bool find_allocation(Warp& w, const MicroOp* op, std::uint64_t address, std::uint64_t bytes) {
  const Allocation* found = w.global->find(address);
  if (!found || !found->host || bytes > found->bytes - (address - found->address)) return false;
  w.patterns[op->site].allocation = found;
  return true;
}

[[gnu::always_inline]] inline Resolved resolve_global(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      std::uint32_t width, Access access, bool counted = true) {
  Resolved r;
  r.base = addresses[first_lane(w.mask)];
  const Pattern* pattern = recognise(w, op, addresses, r.base, width, false, access == Access::store, counted);
  if (!pattern) return r;
  if (!pattern->aligned) [[unlikely]]
    check_alignment(w, op, addresses, width, access);
  const Allocation* const& cached = w.patterns[op->site].allocation;
  const std::uint64_t low = r.base + static_cast<std::uint64_t>(std::int64_t{pattern->lowest});
  const std::uint64_t span = static_cast<std::uint64_t>(std::int64_t{pattern->highest} - pattern->lowest) + width;
  if (!cached || low - cached->address > cached->bytes || span > cached->bytes - (low - cached->address))
    if (!find_allocation(w, op, low, span)) return r;  // lane by lane
  r.pattern = pattern;
  r.host = cached->host + (r.base - cached->address);
  return r;
}

[[gnu::noinline]] inline void count_far(Warp& w, const MicroOp* op, Addresses addresses, std::uint32_t width,
                                        Access access) {
  SiteStatistics& site = w.sites[op->site];
  const auto all = addresses.list();
  const FarCounts counts = analyse_far(all.at, w.mask, width);
  site.sectors += counts.sectors;
  site.distinct_bytes += counts.distinct_bytes;
  if (counts.max_same_address > site.max_same_address[0]) site.max_same_address[0] = counts.max_same_address;
  mark_far(w, all.at, access != Access::load);
}

template <bool counted>
[[gnu::always_inline]] inline void count_global(Warp& w, const MicroOp* op, const Resolved& r,
                                                const Addresses& addresses, std::uint32_t width, Access access) {
  if constexpr (counted) {
    SiteStatistics& site = w.sites[op->site];
    ++site.requests[0];
    site.lanes[0] += active_count(w.mask);
    if (!r.pattern) {
      count_far(w, op, addresses, width, access);
      return;
    }
    const Pattern& p = *r.pattern;
    site.sectors += p.sectors;
    site.distinct_bytes += p.distinct_bytes;
    if (p.max_same_address > site.max_same_address[0]) site.max_same_address[0] = p.max_same_address;
    const Allocation* a = w.patterns[op->site].allocation;
    std::uint64_t* bits = access == Access::load ? w.footprint->loaded(a->index) : w.footprint->stored(a->index);
    const std::uint64_t line =
        (r.base >> 5) - (a->address >> 5);  // of those that a program registers, none need be aligned
    for (int i = 0; i < p.sectors; ++i) {
      const std::uint64_t sector = line + static_cast<std::uint64_t>(std::int64_t{p.sector_list[i]});
      bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
    }
  }
}

/// All lanes' bytes. In unsigned numbers: a base next to 2^63 or 2^64 is as far outside as any.
inline bool in_shared(const Warp& w, const Pattern& pattern, std::uint64_t base, std::uint32_t width) {
  const std::uint64_t low = base + static_cast<std::uint64_t>(std::int64_t{pattern.lowest});
  return within(low, static_cast<std::uint64_t>(std::int64_t{pattern.highest} - pattern.lowest) + width,
                w.shared_bytes);
}

/// Some lane is outside of the block's shared memory: the lowest is named.
[[noreturn, gnu::noinline]] inline void fault_shared(Warp& w, const MicroOp* op, Addresses addresses,
                                                     std::uint32_t width, Access access) {
  std::uint32_t left = w.mask;
  const auto outside = [&](int i) { return !within(addresses[i], width, w.shared_bytes); };
  while ((left & (left - 1)) && !outside(first_lane(left))) left &= left - 1;
  const int i = first_lane(left);
  fault_access(w, op, addresses[i] + kSharedWindow, i, width, name_of(access));
}

[[gnu::always_inline]] inline Resolved resolve_shared(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      std::uint32_t width, Access access, bool counted = true) {
  Resolved r;
  r.base = addresses[first_lane(w.mask)];
  r.pattern = recognise(w, op, addresses, r.base, width, true, access == Access::store, counted);
  if (!r.pattern || !in_shared(w, *r.pattern, r.base, width)) [[unlikely]]
    fault_shared(w, op, addresses, width, access);
  if (!r.pattern->aligned) [[unlikely]]
    check_alignment(w, op, addresses, width, access, kSharedWindow);
  r.host = w.shared + r.base;
  return r;
}

template <bool counted>
[[gnu::always_inline]] inline void count_shared(Warp& w, const MicroOp* op, const Pattern& p) {
  if constexpr (counted) {
    SiteStatistics& site = w.sites[op->site];
    ++site.requests[1];
    site.lanes[1] += active_count(w.mask);
    site.wavefronts += p.wavefronts;
    site.ideal_wavefronts += p.ideal_wavefronts;
    if (p.max_same_address > site.max_same_address[1]) site.max_same_address[1] = p.max_same_address;
  }
}

/// Host memory of lane i's bytes in local memory; faults outside the thread's stack.
inline std::byte* local_host(Warp& w, const MicroOp* op, const Addresses& addresses, int i, std::uint32_t width,
                             Access access) {
  const std::uint64_t at = addresses[i];
  if (!within(at, width, w.local_stride) || (at & (width - 1)))
    fault_access(w, op, at + kLocalWindow, i, width, name_of(access));
  return w.local + static_cast<std::size_t>(i) * w.local_stride + at;
}

template <bool counted>
inline void count_local(Warp& w, const MicroOp* op, const Addresses& addresses, std::uint32_t width) {
  if constexpr (counted) w.sites[op->site].local_sectors += local_sectors(addresses.list().at, w.mask, width);
}

// ---- moving values between memory and registers ----

template <typename T>
inline T peek(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
inline void poke(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename T, int n>
inline void load_lane(Raw<T>* const* d, int i, const std::byte* from) {
  for (int k = 0; k < n; ++k) d[k][i] = to_raw<T>(peek<T>(from + k * sizeof(T)));
}
template <typename T, int n>
inline void store_lane(Raw<T>* const* s, int i, std::byte* to) {
  for (int k = 0; k < n; ++k) poke<T>(to + k * sizeof(T), from_raw<T>(s[k][i]));
}

/// Elements as memory has them: unaligned for the compiler, and free to overlap anything.
template <typename T>
using InMemory [[gnu::aligned(1), gnu::may_alias]] = T;

#if defined(__AVX512F__)
/// 4-byte words from within 128 bytes, whichever lane wants which: two vector loads and a permutation.
inline void load_window(Warp& w, std::uint32_t* d, const Pattern& p, const std::byte* host) {
  const auto words = static_cast<std::uint32_t>(p.highest - p.lowest) / 4 + 1;
  const std::uint32_t have = kFullMask >> (32 - words);
  const std::byte* from = host + p.lowest;
  const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have), from);
  const __m512i high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have >> 16), from + 64);
  const __m512i lowest = _mm512_set1_epi32(p.lowest);
  for (int i = 0; i < kLanes; i += 16) {
    const __m512i index =
        _mm512_maskz_srli_epi32(0xffff, _mm512_sub_epi32(_mm512_loadu_si512(p.relative + i), lowest), 2);
    _mm512_mask_storeu_epi32(d + i, static_cast<__mmask16>(w.mask >> i), _mm512_permutex2var_epi32(low, index, high));
  }
}
/// 4-byte words from anywhere within 2 GiB.
inline void load_gathered(Warp& w, std::uint32_t* d, const Pattern& p, const std::byte* host) {
  for (int i = 0; i < kLanes; i += 16) {
    const auto on = static_cast<__mmask16>(w.mask >> i);
    const __m512i index = _mm512_loadu_si512(p.relative + i);
    _mm512_mask_storeu_epi32(d + i, on, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), on, index, host, 1));
  }
}
#endif

/// Loads through a pattern: whole vectors where lanes are contiguous, one value where they all want the same.
template <typename T, int n>
[[gnu::always_inline]] inline void load_pattern(Warp& w, Raw<T>* const* d, const Pattern& p, const std::byte* host) {
  if (p.contiguous) {
    const auto* from = reinterpret_cast<const InMemory<T>*>(host);
    if (p.mask == kFullMask) {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i)
        for (int k = 0; k < n; ++k) d[k][i] = to_raw<T>(from[i * n + k]);
      return;
    }
    if constexpr (n == 1 && sizeof(T) >= 4) {
      std::memcpy(d[0], host, active_count(p.mask) * sizeof(T));
      return;
    }
  } else if (p.uniform) {
    for (int k = 0; k < n; ++k) {
      const Raw<T> value = to_raw<T>(peek<T>(host + static_cast<std::size_t>(k) * sizeof(T)));
      for (int i = 0; i < kLanes; ++i) d[k][i] = w.lanes[i] ? value : d[k][i];
    }
    return;
  }
#if defined(__AVX512F__)
  if constexpr (n == 1 && sizeof(T) == 4) {
    if (p.window)
      load_window(w, reinterpret_cast<std::uint32_t*>(d[0]), p, host);
    else
      load_gathered(w, reinterpret_cast<std::uint32_t*>(d[0]), p, host);
    return;
  }
#endif
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    load_lane<T, n>(d, i, host + p.relative[i]);
  }
}
template <typename T, int n>
[[gnu::always_inline]] inline void store_pattern(Warp& w, Raw<T>* const* s, const Pattern& p, std::byte* host) {
  if constexpr (n == 1 && sizeof(T) >= 4) {
    if (p.contiguous) {
      if (p.mask == kFullMask)
        std::memcpy(host, s[0], kLanes * sizeof(T));
      else
        std::memcpy(host, s[0], active_count(p.mask) * sizeof(T));
      return;
    }
  }
  // Lanes that meet on one address: the highest wins, always.
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    store_lane<T, n>(s, i, host + p.relative[i]);
  }
}

/// Runs `work` for the active lanes of each address window (generic addresses), with addresses of that space.
template <typename Global, typename Shared, typename Local>
inline void by_window(Warp& w, const Addresses& addresses, Global global, Shared shared, Local local) {
  std::uint32_t in_shared = 0, in_local = 0;
  for (int i = 0; i < kLanes; ++i) {
    const std::uint64_t at = addresses[i];
    in_shared |= static_cast<std::uint32_t>(at - kSharedWindow < kWindowBytes) << i;
    in_local |= static_cast<std::uint32_t>(at - kLocalWindow < kWindowBytes) << i;
  }
  const std::uint32_t whole = w.mask;
  in_shared &= whole;
  in_local &= whole;
  if (!(in_shared | in_local)) return global(addresses);
  const auto part = [&](std::uint32_t mask, std::uint64_t origin, auto work) {
    if (!mask) return;
    set_mask(w, mask);
    work(addresses.within(origin));
  };
  part(whole & ~(in_shared | in_local), 0, global);
  part(in_shared, kSharedWindow, shared);
  part(in_local, kLocalWindow, local);
  set_mask(w, whole);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
